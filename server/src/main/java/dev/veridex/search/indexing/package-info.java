/// Indexers: they read topics and keep the search index of every open generation up to date.
@NullMarked
package dev.veridex.search.indexing;

import org.jspecify.annotations.NullMarked;
