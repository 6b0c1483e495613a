package dev.veridex.documents.publish;

import java.util.concurrent.atomic.LongAdder;

/// Counters of the publishers since the start.
///
/// @param elements that are done with
/// @param superseded those of which the registry knew something newer
/// @param failed attempts that did not succeed
/// @param troubles how often a topic could not be reached
/// @param lost how often a shard was found to be taken by another
public record PublishCounters(
    LongAdder elements,
    LongAdder superseded,
    LongAdder failed,
    LongAdder troubles,
    LongAdder lost) {
  public PublishCounters() {
    this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
  }
}
