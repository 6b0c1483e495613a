package dev.veridex.index;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The progress of an index: offsets of its topic up to which everything is applied.
///
/// @param offsets the number of the last message of each partition of the topic that it is fed from
/// @param at when it had come so far
public record IndexProgress(SortedMap<Integer, Long> offsets, Instant at) {
  public IndexProgress {
    offsets = Collections.unmodifiableSortedMap(new TreeMap<>(offsets));
  }

  /// The last message of a partition; 0 if there was none.
  public long offset(int partition) {
    return offsets.getOrDefault(partition, 0L);
  }

  /// The same, further in one partition.
  public IndexProgress with(int partition, long offset, Instant now) {
    Map<Integer, Long> further = new TreeMap<>(offsets);
    further.put(partition, offset);
    return new IndexProgress(new TreeMap<>(further), now);
  }
}
