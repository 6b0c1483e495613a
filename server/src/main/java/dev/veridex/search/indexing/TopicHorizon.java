package dev.veridex.search.indexing;

import dev.veridex.common.IndexGeneration;
import dev.veridex.index.IndexProgress;
import java.time.Duration;
import java.time.Instant;

/// The horizon of a topic: an index that is behind it cannot go on from the topic, for some of what
/// it lacks may be gone.
record TopicHorizon(IndexerTools tools, IndexGeneration generation) {
  /// Whether a progress is older than what the topic keeps for readers that are late.
  ///
  /// @param margin in which it has to be read
  boolean isTooOld(IndexProgress progress, Instant now, Duration margin) {
    return !progress.at().plus(tools.kept()).isAfter(now.plus(margin));
  }

  /// Whether the topic was told of more than a progress has: then the index's folder is an earlier
  /// copy, and what the index was done with is kept for a short time only.
  boolean isPassed(IndexProgress progress) {
    return progress.offsets().entrySet().stream()
        .anyMatch(
            each ->
                each.getValue()
                    < tools.topics().position(generation, each.getKey(), IndexUpkeep.GROUP));
  }
}
