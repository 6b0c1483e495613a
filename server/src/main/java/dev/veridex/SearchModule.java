package dev.veridex;

import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.index.SearchIndexes;
import dev.veridex.index.lucene.IndexFolder;
import dev.veridex.index.lucene.LuceneIndexes;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.search.query.DocumentTail;
import dev.veridex.search.query.Searcher;
import dev.veridex.store.Store;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;

/// All that there is to search, put together.
record SearchModule(
    SearchIndexes indexes,
    IndexerPool indexers,
    Searcher search,
    DocumentTail tail,
    ExecutorService threads,
    ExecutorService feeders,
    ExecutorService checks) {

  /// Receivers and searches want to get on, too.
  private static final int MAX_WRITERS = 8;

  /// Puts it together.
  ///
  /// @param folder where the indexes are
  static SearchModule on(Store store, Domain domain, Path folder, RandomGenerator random) {
    // A store that was put in the place of another must not find that one's indexes.
    String own = HexFormat.of().toHexDigits(store.revision().storeId());
    int processors = Runtime.getRuntime().availableProcessors();
    new IndexFolder(folder).requireOwn();
    SearchIndexes all = new LuceneIndexes(folder, 1);
    all.names().stream().filter(name -> !name.equals(own)).forEach(all::drop);
    SearchIndexes indexes =
        new LuceneIndexes(folder.resolve(own), Math.min(processors, MAX_WRITERS));
    IndexGenerations generations = domain.documents().generations();
    ExecutorService feeders =
        Executors.newFixedThreadPool(
            processors, Thread.ofPlatform().name("veridex-feed-", 0).daemon(true).factory());
    ExecutorService checks =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("veridex-index-check").daemon(true).factory());
    IndexerPool indexers =
        new IndexerPool(
            store,
            generations,
            domain.topics(),
            indexes,
            domain.signals(),
            Domain.TOPIC_RETENTION,
            Domain.CHANGES_RETENTION,
            System::nanoTime,
            domain.documents().refusals(),
            feeders,
            checks);
    // As many as there are processors: more would only wait for each other.
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.max(2, processors),
            Thread.ofPlatform().name("veridex-search-", 0).daemon(true).factory());
    Searcher search =
        new Searcher(
            store,
            domain.lookup(),
            domain.documents(),
            domain.accessVisibility()::open,
            indexers,
            threads,
            random.nextLong());
    DocumentTail tail =
        new DocumentTail(store, search, domain.topics(), indexers, Domain.CHANGES_RETENTION);
    return new SearchModule(indexes, indexers, search, tail, threads, feeders, checks);
  }

  /// Makes indexes durable and closes them. Nothing may run any more.
  void close() {
    threads.shutdown();
    search.close();
    indexers.stop();
    feeders.shutdown();
    checks.shutdown();
    indexes.close();
  }
}
