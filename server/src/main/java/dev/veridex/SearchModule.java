package dev.veridex;

import dev.veridex.common.IntegrityScan;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.http.Route;
import dev.veridex.http.routes.admin.PageRoutes;
import dev.veridex.http.routes.documents.SearchRoutes;
import dev.veridex.http.routes.documents.TailRoutes;
import dev.veridex.index.SearchIndexes;
import dev.veridex.index.lucene.IndexFolder;
import dev.veridex.index.lucene.LuceneIndexes;
import dev.veridex.metrics.Metrics;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.search.indexing.SearchIntegrity;
import dev.veridex.search.query.DocumentTail;
import dev.veridex.search.query.Searcher;
import dev.veridex.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.random.RandomGenerator;

/// Search: the indexes of all buckets, what feeds them, and what answers from them.
record SearchModule(
    SearchIndexes indexes,
    IndexerPool indexers,
    Searcher search,
    DocumentTail tail,
    ExecutorService threads,
    ExecutorService feeders,
    ExecutorService scans,
    IndexGenerations generations)
    implements ServerModule {
  private static final Duration SWEEP_CURSORS_EVERY = Duration.ofSeconds(30);

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
    ExecutorService scans =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("veridex-index-scan").daemon(true).factory());
    IndexerPool indexers =
        new IndexerPool(
            store,
            generations,
            domain.documents().topics(),
            indexes,
            domain.documents().signals(),
            DocumentsModule.TOPIC_RETENTION,
            DocumentsModule.CHANGES_RETENTION,
            System::nanoTime,
            domain.documents().refusals(),
            feeders,
            scans);
    // As many as there are processors: more would only wait for each other.
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.max(2, processors),
            Thread.ofPlatform().name("veridex-search-", 0).daemon(true).factory());
    Searcher search =
        new Searcher(
            store,
            domain.buckets().lookup(),
            domain.documents().access(),
            generations,
            domain.access().visibility()::open,
            indexers,
            threads,
            random.nextLong());
    DocumentTail tail =
        new DocumentTail(
            store,
            search,
            domain.documents().topics(),
            indexers,
            DocumentsModule.CHANGES_RETENTION);
    return new SearchModule(indexes, indexers, search, tail, threads, feeders, scans, generations);
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    List<Route<?, ?>> routes = new ArrayList<>();
    routes.addAll(new SearchRoutes(search, context.seal()).routes());
    routes.addAll(new PageRoutes().routes());
    routes.addAll(new TailRoutes(tail, context.stopping()).routes());
    return routes;
  }

  @Override
  public List<Task> tasks(ServerContext context) {
    return List.of(
        new Task("search", indexers, Duration.ZERO),
        new Task("cursors", search, SWEEP_CURSORS_EVERY));
  }

  @Override
  public void register(Metrics metrics, ServerContext context) {
    metrics.gauge(
        "veridex_search_indexes",
        "Search indexes that are there",
        Map.of("state", "ready"),
        () -> indexers.state().ready());
    metrics.gauge(
        "veridex_search_indexes",
        "Search indexes that are there",
        Map.of("state", "waiting"),
        () -> indexers.state().waiting());
    metrics.gauge(
        "veridex_search_lag_seconds",
        "How long ago the search index that is furthest behind showed everything",
        Map.of(),
        () -> lag(context.clock().instant()));
    metrics.counter(
        "veridex_search_written_total",
        "Documents that were written to search indexes, and removals of expired ones",
        Map.of(),
        () -> (double) indexes.written());
    metrics.counter(
        "veridex_search_refused_total",
        "Documents that a search index did not take",
        Map.of(),
        () -> (double) indexers.refused());
    pool(metrics, "search", threads);
    pool(metrics, "feed", feeders);
  }

  private static void pool(Metrics metrics, String name, ExecutorService executor) {
    if (executor instanceof ThreadPoolExecutor pool) {
      Map<String, String> labels = Map.of("pool", name);
      metrics.gauge(
          "veridex_pool_active_threads", "Threads that work", labels, pool::getActiveCount);
      metrics.gauge(
          "veridex_pool_waiting_tasks",
          "Tasks that wait for a thread",
          labels,
          () -> pool.getQueue().size());
    }
  }

  private double lag(Instant now) {
    return indexers
        .state()
        .behindSince()
        .map(since -> Duration.between(since, now).toMillis() / 1e3)
        .orElse(0.0);
  }

  @Override
  public List<IntegrityScan> scans(Store store) {
    return List.of(new SearchIntegrity(store, generations, indexers));
  }

  @Override
  public void finish() {
    indexers.finish();
  }

  /// Makes indexes durable and closes them. Nothing may run any more.
  @Override
  public void close() {
    threads.shutdown();
    search.close();
    indexers.stop();
    feeders.shutdown();
    scans.shutdown();
    indexes.close();
  }
}
