package dev.veridex.store.optimistic;

import dev.veridex.common.Expiry;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// The read set of a transaction: what must not have changed when it commits.
public final class ReadSet {
  private final List<byte[]> keys = new ArrayList<>();
  private final List<Range> ranges = new ArrayList<>();
  private final List<byte[]> counterKeys = new ArrayList<>();
  private final List<KeyRange> counterRanges = new ArrayList<>();
  private final List<AtMost> limits = new ArrayList<>();
  private long aliveUntil = Expiry.NEVER;

  void key(byte[] key) {
    keys.add(key);
  }

  void counter(byte[] key) {
    counterKeys.add(key);
  }

  void counters(KeyRange range) {
    counterRanges.add(range);
  }

  /// An upper limit of the additions of others to a counter at the time of the commit.
  private record AtMost(byte[] counter, long max) {
    private boolean holds(ToLongFunction<byte[]> sumOf) {
      return sumOf.applyAsLong(counter) <= max;
    }
  }

  void atMost(byte[] counter, long max) {
    limits.add(new AtMost(counter, max));
  }

  /// Whether something was said that only a commit finds out to be true.
  boolean needCommit() {
    return !limits.isEmpty();
  }

  /// A range that grows as its cursor moves: a scan that stops early depends on what it saw only.
  Range range(KeyRange range, Direction direction) {
    Range read = new Range(range, direction);
    ranges.add(read);
    return read;
  }

  /// A record was seen that is alive until `expiresAt`: by then the transaction must have
  /// committed, or what it decided may no longer be so.
  void alive(long expiresAt) {
    aliveUntil = Math.min(aliveUntil, expiresAt);
  }

  /// Whether nothing read was changed by a commit after `sequence`, nor by time.
  ///
  /// @param sumOf the sum of a counter just before this transaction commits
  public boolean hold(
      ConflictWindow window, long sequence, long commitMicros, ToLongFunction<byte[]> sumOf) {
    if (Expiry.isExpired(aliveUntil, commitMicros) || window.isForgotten(sequence)) {
      return false;
    }
    return isUnchanged(window, sequence) && limits.stream().allMatch(limit -> limit.holds(sumOf));
  }

  private boolean isUnchanged(ConflictWindow window, long sequence) {
    if (window.lastSequence() <= sequence) {
      return true;
    }
    for (byte[] key : keys) {
      if (window.records().changedAfter(key, sequence)) {
        return false;
      }
    }
    for (Range range : ranges) {
      if (range.started && window.records().changedAfter(range.seen(), sequence)) {
        return false;
      }
    }
    for (byte[] key : counterKeys) {
      if (window.counters().changedAfter(key, sequence)) {
        return false;
      }
    }
    for (KeyRange range : counterRanges) {
      if (window.counters().changedAfter(range, sequence)) {
        return false;
      }
    }
    return true;
  }

  /// The part of a scan's range that its cursor has passed.
  static final class Range {
    private final KeyRange whole;
    private final Direction direction;
    private boolean started;
    private boolean exhausted;
    private byte @Nullable [] last;

    private Range(KeyRange whole, Direction direction) {
      this.whole = whole;
      this.direction = direction;
    }

    void passed(byte[] key) {
      started = true;
      last = key;
    }

    void exhausted() {
      started = true;
      exhausted = true;
    }

    private KeyRange seen() {
      if (exhausted || last == null) {
        return whole;
      }
      return switch (direction) {
        case FORWARD -> KeyRange.between(whole.from(), KeyRange.successor(last));
        case REVERSE -> new KeyRange(last, whole.to());
      };
    }
  }
}
