package dev.veridex.search.indexing;

import dev.veridex.documents.publish.IndexGenerations;
import java.time.Instant;
import java.util.Map;

/// The searchable state of an index.
///
/// @param offsets up to where the topic is there, by partition
/// @param at everything that the topic had by then is there
/// @param asOf everything accepted up to it is there, or waits among the failed elements
public record VisibleState(
    Map<Integer, Long> offsets, Instant at, IndexGenerations.Watermark asOf) {}
