package dev.veridex.search.indexing;

import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.index.IndexView;

/// A view of an index and its watermark.
///
/// @param source the index that it is of
public record FreshView(IndexView view, IndexGenerations.Watermark asOf, OpenedIndex source) {}
