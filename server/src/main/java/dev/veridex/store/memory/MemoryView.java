package dev.veridex.store.memory;

import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader.Counter;
import dev.veridex.store.optimistic.StoredCursor;
import dev.veridex.store.optimistic.StoredValue;
import dev.veridex.store.optimistic.View;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The state of a [MemoryDisk] at a sequence.
record MemoryView(MemoryDisk disk, long sequence) implements View {
  @Override
  public @Nullable StoredValue get(byte[] key) {
    StoredValue stored = disk.records.get(key, sequence);
    return stored == null
        ? null
        : new StoredValue(stored.value().clone(), stored.expiresAt(), stored.goneAt());
  }

  @Override
  public List<@Nullable StoredValue> getAll(List<byte[]> keys) {
    List<@Nullable StoredValue> answers = new ArrayList<>(keys.size());
    keys.forEach(key -> answers.add(get(key)));
    return answers;
  }

  @Override
  public StoredCursor scan(KeyRange range, Direction direction) {
    Iterator<byte[]> keys = disk.records.covered(range, direction).keySet().iterator();
    return new StoredCursor() {
      private byte @Nullable [] key;
      private @Nullable StoredValue stored;

      @Override
      public boolean next() {
        while (keys.hasNext()) {
          key = keys.next();
          stored = get(key);
          if (stored != null) {
            return true;
          }
        }
        return false;
      }

      @Override
      public byte[] key() {
        return Objects.requireNonNull(key).clone();
      }

      @Override
      public byte[] value() {
        return Objects.requireNonNull(stored).value();
      }

      @Override
      public long expiresAt() {
        return Objects.requireNonNull(stored).expiresAt();
      }

      @Override
      public long goneAt() {
        return Objects.requireNonNull(stored).goneAt();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public long counter(byte[] key) {
    Long sum = disk.counters.get(key, sequence);
    return sum == null ? 0 : sum;
  }

  @Override
  public List<Counter> counters(KeyRange range) {
    List<Counter> counters = new ArrayList<>();
    for (byte[] key : disk.counters.covered(range, Direction.FORWARD).keySet()) {
      Long sum = disk.counters.get(key, sequence);
      if (sum != null) {
        counters.add(new Counter(key.clone(), sum));
      }
    }
    return counters;
  }
}
