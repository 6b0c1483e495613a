package dev.veridex.store.optimistic;

import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader.Counter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/// The sums of counters while a group of transactions is being committed: what stood before the
/// group, read once a range, and what the transactions of the group added since.
public final class GroupSums {
  private final View before;
  private final Map<KeyRange, Long> sums = new HashMap<>();
  private final NavigableMap<byte[], Long> added = new TreeMap<>(Arrays::compareUnsigned);
  private boolean rangesDeleted;

  /// @param before the newest state without the group
  public GroupSums(View before) {
    this.before = before;
  }

  /// A transaction of the group was accepted.
  public void accepted(Writes writes) {
    rangesDeleted |= !writes.deletedRanges().isEmpty();
    writes.additions().forEach((key, delta) -> added.merge(key, delta, Long::sum));
  }

  /// The sum of a range now. After a deletion of ranges in the same group it is too large to pass
  /// any limit: whoever asks runs again, and asks the next group.
  public long of(KeyRange range) {
    if (rangesDeleted) {
      return Long.MAX_VALUE;
    }
    long sum =
        sums.computeIfAbsent(
            range, unknown -> before.counters(unknown).stream().mapToLong(Counter::sum).sum());
    for (long delta : Writes.covered(added, range).values()) {
      sum += delta;
    }
    return sum;
  }
}
