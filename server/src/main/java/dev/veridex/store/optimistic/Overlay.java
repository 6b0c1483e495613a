package dev.veridex.store.optimistic;

import dev.veridex.common.Expiry;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader.Counter;
import dev.veridex.store.optimistic.WriteSet.Write;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A view through the writes of a transaction, which notes what was read from below them.
final class Overlay implements View {
  private final View base;
  private final WriteSet writes;
  private final ReadSet reads;
  private final long now;

  Overlay(View base, WriteSet writes, ReadSet reads, long now) {
    this.base = base;
    this.writes = writes;
    this.reads = reads;
    this.now = now;
  }

  @Override
  public long sequence() {
    return base.sequence();
  }

  @Override
  public @Nullable StoredValue get(byte[] key) {
    if (hidesBase(key)) {
      return own(key);
    }
    reads.key(key);
    return seen(base.get(key));
  }

  @Override
  public List<@Nullable StoredValue> getAll(List<byte[]> keys) {
    List<byte[]> below = keys.stream().filter(key -> !hidesBase(key)).toList();
    below.forEach(reads::key);
    var fromBase = base.getAll(below).iterator();
    List<@Nullable StoredValue> answers = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      answers.add(hidesBase(key) ? own(key) : seen(fromBase.next()));
    }
    return answers;
  }

  @Override
  public StoredCursor scan(KeyRange range, Direction direction) {
    return new MergingCursor(range, direction);
  }

  @Override
  public long counter(byte[] key) {
    long added = writes.additions().getOrDefault(key, 0L);
    if (writes.isRangeDeleted(key)) {
      return added;
    }
    reads.counter(key);
    return base.counter(key) + added;
  }

  @Override
  public List<Counter> counters(KeyRange range) {
    reads.counters(range);
    NavigableMap<byte[], Long> sums = new TreeMap<>(Arrays::compareUnsigned);
    for (Counter counter : base.counters(range)) {
      if (!writes.isRangeDeleted(counter.key())) {
        sums.put(counter.key(), counter.sum());
      }
    }
    WriteSet.covered(writes.additions(), range)
        .forEach((key, sum) -> sums.merge(key, sum, Long::sum));
    return sums.entrySet().stream()
        .map(sum -> new Counter(sum.getKey().clone(), sum.getValue()))
        .toList();
  }

  /// See [dev.veridex.store.Transaction#isAtMost].
  ///
  /// @param trusting whether to say so without looking: whoever commits looks once for many
  boolean isAtMost(byte[] key, long max, boolean trusting) {
    long own = writes.additions().getOrDefault(key, 0L);
    boolean plain = !writes.isRangeDeleted(key);
    if (plain && (trusting || base.counter(key) + own <= max)) {
      reads.atMost(key, max - own);
      return true;
    }
    return counter(key) <= max;
  }

  /// Whether this transaction's writes decide what stands at a key, whatever is below.
  private boolean hidesBase(byte[] key) {
    return writes.of(key) != null || writes.isRangeDeleted(key);
  }

  private @Nullable StoredValue own(byte[] key) {
    return writes.of(key) instanceof Write.Put(byte[] value, long expiresAt)
        // Born alive, so when it will be gone does not matter here.
        ? new StoredValue(value.clone(), expiresAt, expiresAt)
        : null;
  }

  private @Nullable StoredValue seen(@Nullable StoredValue stored) {
    if (stored != null) {
      seen(stored.expiresAt());
    }
    return stored;
  }

  private void seen(long expiresAt) {
    if (!Expiry.isExpired(expiresAt, now)) {
      reads.alive(expiresAt);
    }
  }

  /// Merges the base with the transaction's writes, also with those made while the scan is under
  /// way.
  private final class MergingCursor implements StoredCursor {
    private final KeyRange range;
    private final Direction direction;
    private final ReadSet.Range read;
    private final StoredCursor below;
    private boolean started;
    private boolean belowHasKey;
    private byte @Nullable [] position;
    private @Nullable StoredValue own;

    MergingCursor(KeyRange range, Direction direction) {
      this.range = range;
      this.direction = direction;
      this.read = reads.range(range, direction);
      this.below = base.scan(range, direction);
    }

    @Override
    public boolean next() {
      boolean onBelow = position != null && belowHasKey && Arrays.equals(below.key(), position);
      if (!started || onBelow) {
        started = true;
        advanceBelow();
      }
      while (true) {
        while (belowHasKey && hidesBase(below.key())) {
          advanceBelow();
        }
        byte[] ownKey = nextOwnKey();
        byte[] belowKey = belowHasKey ? below.key() : null;
        if (ownKey == null && belowKey == null) {
          read.exhausted();
          return false;
        }
        boolean takeOwn = belowKey == null || (ownKey != null && isBefore(ownKey, belowKey));
        position = takeOwn ? ownKey : belowKey;
        read.passed(Objects.requireNonNull(position));
        own = takeOwn ? own(position) : null;
        if (!takeOwn) {
          seen(below.expiresAt());
          return true;
        }
        if (own != null) {
          return true;
        }
        // A deletion of ours: nothing to show here.
      }
    }

    private void advanceBelow() {
      belowHasKey = below.next();
    }

    private byte @Nullable [] nextOwnKey() {
      NavigableMap<byte[], Write> records = writes.records();
      if (records.isEmpty()) {
        return null;
      }
      byte[] key =
          switch (direction) {
            case FORWARD ->
                position == null ? records.ceilingKey(range.from()) : records.higherKey(position);
            case REVERSE ->
                position == null
                    ? range.to().map(records::lowerKey).orElseGet(records::lastKey)
                    : records.lowerKey(position);
          };
      return key != null && range.contains(key) ? key : null;
    }

    private boolean isBefore(byte[] key, byte[] other) {
      int order = Arrays.compareUnsigned(key, other);
      return direction == Direction.FORWARD ? order < 0 : order > 0;
    }

    @Override
    public byte[] key() {
      // A copy: the original is what the reads remember.
      return Objects.requireNonNull(position).clone();
    }

    @Override
    public byte[] value() {
      return own == null ? below.value() : own.value();
    }

    @Override
    public long expiresAt() {
      return own == null ? below.expiresAt() : own.expiresAt();
    }

    @Override
    public long goneAt() {
      return own == null ? below.goneAt() : own.goneAt();
    }

    @Override
    public void close() {
      below.close();
    }
  }
}
