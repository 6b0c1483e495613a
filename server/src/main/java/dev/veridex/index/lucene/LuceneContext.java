package dev.veridex.index.lucene;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.apache.lucene.search.QueryCache;

/// Resources that all indexes share.
///
/// @param cache what is remembered of filters
/// @param crew writes documents
/// @param nanos tells how long something takes
/// @param written how often anything was written
record LuceneContext(
    Analyzers analyzers,
    QueryCache cache,
    WriterThreads crew,
    LongSupplier nanos,
    LongAdder written) {}
