package dev.veridex.store.optimistic;

import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader.Counter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An immutable state of an engine: exactly the commits up to a sequence, no clock applied.
public interface View {
  /// The last commit it contains.
  long sequence();

  @Nullable StoredValue get(byte[] key);

  /// One answer a key, in their order.
  List<@Nullable StoredValue> getAll(List<byte[]> keys);

  StoredCursor scan(KeyRange range, Direction direction);

  long counter(byte[] key);

  List<Counter> counters(KeyRange range);
}
