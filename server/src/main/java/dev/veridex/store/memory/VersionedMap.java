package dev.veridex.store.memory;

import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// A sorted map that remembers, for each key, what stood there at earlier sequences.
///
/// One thread writes at a time; any number read meanwhile, each at a sequence of its own.
final class VersionedMap<V> {
  /// The value of a key from `sequence` on; null: no value.
  record Version<V>(long sequence, @Nullable V value, @Nullable Version<V> previous) {
    private @Nullable V at(long when) {
      Version<V> version = this;
      while (version != null && version.sequence > when) {
        version = version.previous;
      }
      return version == null ? null : version.value;
    }
  }

  private final ConcurrentNavigableMap<byte[], Version<V>> versions =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

  @Nullable V get(byte[] key, long sequence) {
    Version<V> newest = versions.get(key);
    return newest == null ? null : newest.at(sequence);
  }

  void put(byte[] key, @Nullable V value, long sequence, long oldestReader) {
    versions.put(key, new Version<>(sequence, value, needed(versions.get(key), oldestReader)));
  }

  /// The versions that readers from `oldestReader` on can still come to see.
  private static <V> @Nullable Version<V> needed(@Nullable Version<V> newest, long oldestReader) {
    List<Version<V>> kept = new ArrayList<>();
    Version<V> version = newest;
    while (version != null) {
      kept.add(version);
      version = version.sequence <= oldestReader ? null : version.previous;
    }
    Version<V> needed = null;
    for (Version<V> old : kept.reversed()) {
      needed = new Version<>(old.sequence, old.value, needed);
    }
    return needed;
  }

  /// The keys of a range that ever held something, in order.
  ConcurrentNavigableMap<byte[], Version<V>> covered(KeyRange range, Direction direction) {
    ConcurrentNavigableMap<byte[], Version<V>> part =
        range.isEmpty()
            ? new ConcurrentSkipListMap<>(Arrays::compareUnsigned)
            : range
                .to()
                .map(to -> versions.subMap(range.from(), true, to, false))
                .orElseGet(() -> versions.tailMap(range.from(), true));
    return direction == Direction.FORWARD ? part : part.descendingMap();
  }
}
