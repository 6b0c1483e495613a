package dev.veridex.common;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Part of a list: its items, where to go on, and why it ended here.
///
/// @param cursor hand it back to get what follows; absent exactly when the list is exhausted
public record Page<T>(List<T> items, Optional<String> cursor, End end) {

  /// The reason why a page ended.
  public enum End {
    /// There is nothing after it.
    EXHAUSTED,
    /// It holds as many items as were asked for.
    LIMIT,
    /// It holds as many bytes as a page may.
    SIZE,
    /// The time allowed for it was used up; it may hold no item at all and still have a cursor.
    TIME
  }

  public Page {
    items = List.copyOf(items);
    if (cursor.isEmpty() != (end == End.EXHAUSTED)) {
      throw new IllegalArgumentException("a page has a cursor exactly when more may follow");
    }
  }

  /// The last page of a list.
  public static <T> Page<T> last(List<T> items) {
    return new Page<>(items, Optional.empty(), End.EXHAUSTED);
  }

  /// A page that more may follow.
  public static <T> Page<T> until(List<T> items, String cursor, End end) {
    return new Page<>(items, Optional.of(cursor), end);
  }

  public <R> Page<R> map(Function<? super T, ? extends R> mapper) {
    return new Page<>(items.stream().<R>map(mapper).toList(), cursor, end);
  }
}
