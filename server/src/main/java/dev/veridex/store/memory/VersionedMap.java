package dev.veridex.store.memory;

import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import java.util.Arrays;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// A sorted map that remembers, for each key, what stood there at earlier sequences.
///
/// One thread writes at a time; any number read meanwhile, each at a sequence of its own.
final class VersionedMap<V> {
  /// What stands at a key from `sequence` on; a null value: nothing.
  record Version<V>(long sequence, @Nullable V value, @Nullable Version<V> previous) {
    private @Nullable V at(long when) {
      Version<V> version = this;
      while (version != null && version.sequence > when) {
        version = version.previous;
      }
      return version == null ? null : version.value;
    }

    /// The versions that readers from `oldestReader` on can still come to see.
    private Version<V> pruned(long oldestReader) {
      if (sequence <= oldestReader || previous == null) {
        return new Version<>(sequence, value, null);
      }
      return new Version<>(sequence, value, previous.pruned(oldestReader));
    }
  }

  private final ConcurrentNavigableMap<byte[], Version<V>> versions =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

  @Nullable V get(byte[] key, long sequence) {
    Version<V> newest = versions.get(key);
    return newest == null ? null : newest.at(sequence);
  }

  void put(byte[] key, @Nullable V value, long sequence, long oldestReader) {
    Version<V> newest = versions.get(key);
    Version<V> previous = newest == null ? null : newest.pruned(oldestReader);
    versions.put(key, new Version<>(sequence, value, previous));
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
