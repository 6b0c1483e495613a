package dev.veridex.store.optimistic;

import dev.veridex.store.KeyRange;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/// The sums of counters while a group of transactions is being committed: what stood before the
/// group, read once a counter, and what the transactions of the group did to it since.
public final class GroupSums {
  private final View before;
  private final Map<byte[], Long> read = new TreeMap<>(Arrays::compareUnsigned);
  private final Map<byte[], Long> added = new TreeMap<>(Arrays::compareUnsigned);
  private boolean rangesDeleted;

  /// @param before the newest state without the group
  public GroupSums(View before) {
    this.before = before;
  }

  /// A transaction of the group was accepted.
  public void accepted(WriteSet writes) {
    for (KeyRange range : writes.deletedRanges()) {
      rangesDeleted |= !range.isEmpty();
    }
    writes.additions().forEach((key, delta) -> added.merge(key, delta, Long::sum));
  }

  /// The sum of a counter now. After a deletion of ranges in the same group it is too large to pass
  /// any limit: whoever asks runs again, and asks the next group.
  public long of(byte[] key) {
    return rangesDeleted
        ? Long.MAX_VALUE
        : read.computeIfAbsent(key, before::counter) + added.getOrDefault(key, 0L);
  }
}
