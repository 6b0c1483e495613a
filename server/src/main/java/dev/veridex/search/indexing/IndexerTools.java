package dev.veridex.search.indexing;

import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.documents.publish.IndexRefusals;
import dev.veridex.index.SearchIndexes;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// The collaborators of an indexer.
///
/// More than eight components: each is a collaborator that a test replaces on its own.
///
/// @param kept how long topics keep messages that nobody has read
/// @param told how long they keep those that indexes have read, for who is told of changes
/// @param nanos tells how long something takes
/// @param refusals takes documents that an index did not take
/// @param refused counts documents that an index did not take
record IndexerTools(
    Store store,
    IndexGenerations generations,
    Topics topics,
    SearchIndexes indexes,
    Duration kept,
    Duration told,
    LongSupplier nanos,
    IndexRefusals refusals,
    LongAdder refused) {}
