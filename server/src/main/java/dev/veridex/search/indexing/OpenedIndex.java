package dev.veridex.search.indexing;

import dev.veridex.common.IndexGeneration;

/// An index that somebody looks at.
///
/// @param closed how many of its generation were closed before it
public record OpenedIndex(IndexGeneration generation, int closed) {}
