package dev.veridex.search.indexing;

import dev.veridex.common.IndexGeneration;

/// The identity of an opened index, to report damage to the right one.
///
/// @param closed how many of its generation were closed before it
public record OpenedIndex(IndexGeneration generation, int closed) {}
