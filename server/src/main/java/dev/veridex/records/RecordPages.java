package dev.veridex.records;

import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/// Pages of records whose keys are a prefix and a name.
public final class RecordPages {
  private RecordPages() {}

  /// The records after those of the page before, by name.
  ///
  /// @param cursor of the page before: the name of its last item
  /// @param item makes an item of a key and a value, or leaves it out
  /// @param name of an item
  public static <T> Page<T> page(
      Reader reader,
      byte[] prefix,
      Optional<String> cursor,
      int limit,
      BiFunction<byte[], byte[], Optional<T>> item,
      Function<T, String> name) {
    byte[] from =
        cursor
            .map(last -> KeyRange.successor(KeyWriter.after(prefix).string(last).toKey()))
            .orElse(prefix);
    List<T> items = new ArrayList<>();
    try (Cursor found =
        reader.scan(new KeyRange(from, KeyRange.prefix(prefix).to()), Direction.FORWARD)) {
      while (found.next()) {
        Optional<T> next = item.apply(found.key(), found.value());
        if (next.isPresent() && items.size() == limit) {
          return Page.until(items, name.apply(items.getLast()), Page.End.LIMIT);
        }
        next.ifPresent(items::add);
      }
    }
    return Page.last(items);
  }
}
