package dev.veridex;

import dev.veridex.access.AccessIntegrity;
import dev.veridex.access.AccessSettings;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Loop;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.http.AccessLog;
import dev.veridex.http.Admission;
import dev.veridex.http.CallerAuthorization;
import dev.veridex.http.Gateway;
import dev.veridex.http.Route;
import dev.veridex.http.TokenGuesses;
import dev.veridex.http.helidon.HelidonServer;
import dev.veridex.http.openapi.Documentation;
import dev.veridex.http.routes.LongRunningWork;
import dev.veridex.http.routes.access.AccessListRoutes;
import dev.veridex.http.routes.access.AccessRoutes;
import dev.veridex.http.routes.access.AuthZenRoutes;
import dev.veridex.http.routes.access.ChangeRoutes;
import dev.veridex.http.routes.access.CheckRoutes;
import dev.veridex.http.routes.access.WhatIfRoutes;
import dev.veridex.http.routes.admin.AccountRoutes;
import dev.veridex.http.routes.admin.AdminRoutes;
import dev.veridex.http.routes.admin.AuditRoutes;
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.http.routes.admin.EnvironmentRoutes;
import dev.veridex.http.routes.admin.PageRoutes;
import dev.veridex.http.routes.admin.PromotionRoutes;
import dev.veridex.http.routes.admin.ServiceRoutes;
import dev.veridex.http.routes.admin.SystemRoutes;
import dev.veridex.http.routes.admin.TokenRoutes;
import dev.veridex.http.routes.admin.UsageRoutes;
import dev.veridex.http.routes.documents.DocumentRoutes;
import dev.veridex.http.routes.documents.SearchRoutes;
import dev.veridex.http.routes.documents.TailRoutes;
import dev.veridex.http.routes.items.ItemRoutes;
import dev.veridex.http.routes.queues.QueueRoutes;
import dev.veridex.identity.RefusalLog;
import dev.veridex.identity.Token;
import dev.veridex.identity.TokenIntegrity;
import dev.veridex.identity.Tokens;
import dev.veridex.identity.jwt.JwtTokens;
import dev.veridex.identity.jwt.KeySource;
import dev.veridex.identity.jwt.KeyUrl;
import dev.veridex.items.ItemVersions;
import dev.veridex.metrics.Metrics;
import dev.veridex.operations.Backups;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.search.indexing.SearchIntegrity;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.tenancy.IncarnationRecords;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/// The whole product, put together and running.
public final class Server implements AutoCloseable {
  private static final Duration COLLECT_EVERY = Duration.ofMinutes(1);
  private static final Duration WATCH_EVERY = Duration.ofMillis(500);
  private static final Duration CLEAN_EVERY = Duration.ofSeconds(1);
  private static final Duration LAGS_EVERY = Duration.ofSeconds(5);
  private static final Duration SWEEP_CURSORS_EVERY = Duration.ofSeconds(30);
  private static final Duration SWEEP_EVERY = Duration.ofMinutes(10);
  private static final Duration LOG_EVERY = Duration.ofMillis(100);

  private final RocksStore store;
  private final Admission admission;
  private final HelidonServer network;
  private final Threads threads;
  private final AccessLog accessLog;
  private final List<Loop> loops;
  private final Domain domain;
  private final SearchModule search;
  private final List<Route<?, ?>> routes;
  private final JwtTokens issuers;

  private Server(
      RocksStore store,
      Admission admission,
      HelidonServer network,
      Threads threads,
      AccessLog accessLog,
      List<Loop> loops,
      Domain domain,
      SearchModule search,
      List<Route<?, ?>> routes,
      JwtTokens issuers) {
    this.store = store;
    this.admission = admission;
    this.network = network;
    this.threads = threads;
    this.accessLog = accessLog;
    this.loops = loops;
    this.domain = domain;
    this.search = search;
    this.routes = routes;
    this.issuers = issuers;
  }

  /// What the server takes from the world around it.
  ///
  /// @param random an unpredictable one: secrets come from it
  /// @param accessLog where requests are logged
  record World(
      InstantSource clock,
      RandomGenerator random,
      OutputStream accessLog,
      CallerAuthorization.Pause pause,
      String version) {}

  /// Platform threads for what takes long: of the operator, of those who rebuild their indexes, and
  /// for reading indexes into memory.
  private record Threads(
      ExecutorService operator, ExecutorService rebuilds, ExecutorService loads) {
    private void shutdown() {
      operator.shutdown();
      rebuilds.shutdown();
      loads.shutdown();
    }
  }

  private static ExecutorService thread(String name) {
    return Executors.newSingleThreadExecutor(Thread.ofPlatform().name(name).daemon(true).factory());
  }

  static Server start(Config config, World world) {
    return start(config, world, Domain.itemVersions());
  }

  /// @param items the versions of buckets of items
  static Server start(Config config, World world, ItemVersions items) {
    PrivateFiles.createFolder(config.data());
    JwtTokens jwt = new JwtTokens(config.issuers(), Server::keySource);
    RocksStore store =
        RocksStore.open(
            config.data().resolve("store"),
            config.store(),
            world.clock,
            InstantSource.system(),
            world.random);
    Threads threads =
        new Threads(
            thread("veridex-long-work"), thread("veridex-rebuilds"), thread("veridex-access"));
    try {
      return new Assembly(config, world, store, jwt, items, threads).start();
    } catch (RuntimeException | Error e) {
      threads.shutdown();
      store.close();
      throw e;
    }
  }

  /// Keys are in a file or at an address.
  private static KeySource keySource(String place) {
    return place.contains("://")
        ? new KeyUrl(
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build(),
            URI.create(place))
        : () -> Files.readString(Path.of(place));
  }

  /// Who knows whom.
  private record Assembly(
      Config config,
      World world,
      RocksStore store,
      JwtTokens jwt,
      ItemVersions items,
      Threads threads) {

    private Server start() {
      System.Logger faults = System.getLogger(Gateway.class.getName());
      Metrics metrics = new Metrics();
      Domain domain =
          Domain.on(
              store,
              new Domain.Parts(
                  world.random,
                  // Nobody needs to be unable to guess these; a secure source costs more.
                  () -> ThreadLocalRandom.current().nextLong(),
                  items,
                  jwt::reach,
                  new AccessSettings(
                      config.access().memoryBytes(),
                      config.access().pastRetention(),
                      threads.loads)));
      SearchModule search =
          SearchModule.on(store, domain, config.data().resolve("index"), world.random);
      Tokens tokens = domain.tokens();
      RootToken.ensure(tokens, config.rootToken(), config.data(), world.random);
      Admission admission =
          new Admission(config.http().maxInFlight(), config.http().maxBodyBytesInFlight());
      AccessLog accessLog =
          new AccessLog(config.accessLog() ? world.accessLog : OutputStream.nullOutputStream());
      List<Route<?, ?>> routes = routes(domain, search, admission, metrics);
      Gateway gateway =
          new Gateway(
              routes,
              new CallerAuthorization(
                  secret -> recognise(tokens, secret),
                  new RefusalLog(store, domain.audit()),
                  new TokenGuesses(),
                  world.clock,
                  world.pause),
              admission,
              config.unscoped(),
              accessLog,
              metrics,
              world.clock,
              () -> ThreadLocalRandom.current().nextLong(),
              faults);
      HelidonServer network = HelidonServer.start(config.http(), gateway, System::nanoTime, faults);
      List<Loop> loops = new ArrayList<>();
      try {
        gauges(metrics, admission, network, domain, search);
        loops.add(Loop.start("connections", network.watch(), WATCH_EVERY));
        loops.add(Loop.start("access-log", accessLog, LOG_EVERY));
        loops.add(Loop.start("collector", store.collector(), COLLECT_EVERY));
        loops.add(Loop.start("cleaner", domain.cleaner()::runAll, CLEAN_EVERY));
        loops.add(Loop.start("upgrades", domain.itemUpgrades()::runAll, CLEAN_EVERY));
        loops.add(Loop.start("usage", domain.usageSweeper(), SWEEP_EVERY));
        loops.add(
            Loop.start(
                "lags", new DocumentMetrics(metrics, store, domain.documents()), LAGS_EVERY));
        loops.add(Loop.start("queues", domain.queueCleaner(), SWEEP_EVERY));
        loops.add(Loop.start("indexers", domain.documents().publishers(), Duration.ZERO));
        loops.add(Loop.start("search", search.indexers(), Duration.ZERO));
        loops.add(Loop.start("cursors", search.search(), SWEEP_CURSORS_EVERY));
        if (!jwt.isEmpty()) {
          loops.add(Loop.start("issuers", jwt, config.keysEvery()));
        }
        return new Server(
            store, admission, network, threads, accessLog, loops, domain, search, routes, jwt);
      } catch (RuntimeException | Error e) {
        network.close();
        loops.forEach(Loop::close);
        search.close();
        throw e;
      }
    }

    /// Why not all requests can be served.
    private Optional<Problem> notReady(Admission admission, IndexerPool indexers) {
      if (admission.isStopping()) {
        return Optional.of(Problem.of(ErrorCode.STOPPING, "the server is about to stop"));
      }
      try (Snapshot snapshot = store.snapshot()) {
        if (snapshot.now().equals(Instant.EPOCH)) {
          return Optional.of(Problem.of(ErrorCode.UNAVAILABLE, "the store has no time yet"));
        }
      } catch (StoreException e) {
        return Optional.of(e.problem());
      }
      return indexers
          .starting()
          .map(
              starting ->
                  Problem.of(
                          ErrorCode.INDEX_BUILDING,
                          "search indexes catch up with what was accepted before the start")
                      .with("searchIndexes", starting.indexes())
                      .with("percent", starting.percent()));
    }

    private Optional<Token> recognise(Tokens tokens, String secret) {
      Optional<Token> token = tokens.authenticate(secret);
      if (token.isPresent() || jwt.isEmpty()) {
        return token;
      }
      try (Snapshot snapshot = store.snapshot()) {
        return jwt.authenticate(secret, snapshot.now());
      }
    }

    private List<Route<?, ?>> routes(
        Domain domain, SearchModule search, Admission admission, Metrics metrics) {
      List<Route<?, ?>> routes = new ArrayList<>();
      RevisionSeal seal = store.seal();
      routes.addAll(new AccountRoutes(domain.accounts(), seal).routes());
      routes.addAll(new EnvironmentRoutes(domain.environments(), seal).routes());
      routes.addAll(new ServiceRoutes(domain.services(), seal).routes());
      routes.addAll(
          new BucketRoutes(
                  domain.buckets(), domain.upgrades(), domain.itemUpgrades(), domain.owners(), seal)
              .routes());
      routes.addAll(new PromotionRoutes(domain.promotions(), seal).routes());
      routes.addAll(new ItemRoutes(domain.items(), seal).routes());
      routes.addAll(
          new DocumentRoutes(
                  domain.documents().receiver(),
                  domain.documents().documents(),
                  domain.documents().epochs(),
                  seal)
              .routes());
      routes.addAll(new SearchRoutes(search.search(), seal).routes());
      routes.addAll(new PageRoutes().routes());
      routes.addAll(new TailRoutes(search.tail(), admission::isStopping).routes());
      routes.addAll(new UsageRoutes(domain.usageReport()).routes());
      routes.addAll(new TokenRoutes(domain.tokens(), seal).routes());
      routes.addAll(new AuditRoutes(store, domain.audit()).routes());
      LongRunningWork onLongThread = new LongRunningWork(threads.operator);
      // Those who rebuild their own index do not keep the operator from backups.
      LongRunningWork onRebuildThread = new LongRunningWork(threads.rebuilds);
      routes.addAll(
          new QueueRoutes(
                  domain.buckets(),
                  domain.documents().queues(),
                  domain.messageQueues(),
                  onRebuildThread,
                  seal)
              .routes());
      routes.addAll(
          new AccessRoutes(
                  domain.accessIndex(),
                  domain.accessAnswers(),
                  domain.accessRebuild(),
                  domain.compiledIndexes(),
                  config.access().indexFormat(),
                  onRebuildThread,
                  seal)
              .routes());
      routes.addAll(new CheckRoutes(domain.accessAnswers(), seal).routes());
      routes.addAll(new AccessListRoutes(domain.accessLists(), seal).routes());
      routes.addAll(new AuthZenRoutes(domain.accessAnswers(), domain.accessLists(), seal).routes());
      routes.addAll(new WhatIfRoutes(domain.accessWhatIf(), seal).routes());
      routes.addAll(
          new ChangeRoutes(
                  domain.accessIndex(), domain.accessChanges(), seal, admission::isStopping)
              .routes());
      routes.addAll(
          new AdminRoutes(
                  new Backups(config.data().resolve("backups"), store, domain.audit(), world.clock),
                  List.of(
                      new StoreIntegrity(store),
                      new TokenIntegrity(store),
                      new ContentIntegrity(store, Domain.contents(items)),
                      new AccessIntegrity(store, new IncarnationRecords()),
                      new SearchIntegrity(
                          store, domain.documents().generations(), search.indexers())),
                  () -> store.seal().seal(store.revision()),
                  seal,
                  onLongThread)
              .routes());
      routes.addAll(
          new SystemRoutes(
                  metrics,
                  () -> notReady(admission, search.indexers()),
                  config.http().openMetrics())
              .routes());
      routes.addAll(new Documentation(routes, world.version).routes());
      return routes;
    }

    private void gauges(
        Metrics metrics,
        Admission admission,
        HelidonServer network,
        Domain domain,
        SearchModule search) {
      metrics.gauge(
          "veridex_search_indexes",
          "Search indexes that are there",
          Map.of("state", "ready"),
          () -> search.indexers().state().ready());
      metrics.gauge(
          "veridex_search_indexes",
          "Search indexes that are there",
          Map.of("state", "waiting"),
          () -> search.indexers().state().waiting());
      metrics.gauge(
          "veridex_search_lag_seconds",
          "How long ago the search index that is furthest behind showed everything",
          Map.of(),
          () ->
              search
                  .indexers()
                  .state()
                  .behindSince()
                  .map(since -> Duration.between(since, world.clock.instant()).toMillis() / 1e3)
                  .orElse(0.0));
      metrics.gauge(
          "veridex_search_written_total",
          "Documents that were written to search indexes, and removals of expired ones",
          Map.of(),
          () -> (double) search.indexes().written());
      metrics.gauge(
          "veridex_search_refused_total",
          "Documents that a search index did not take",
          Map.of(),
          () -> (double) search.indexers().refused());
      metrics.gauge(
          "veridex_access_memory_bytes",
          "About how much memory access indexes take",
          Map.of(),
          () -> (double) domain.compiledIndexes().bytes());
      metrics.gauge(
          "veridex_http_in_flight", "Requests being served", Map.of(), admission::inFlight);
      metrics.gauge("veridex_http_connections", "Open connections", Map.of(), network::connections);
      metrics.gauge(
          "veridex_http_buffered_bytes",
          "Bytes of requests that were received and not yet handed on",
          Map.of(),
          network::bufferedBytes);
      metrics.gauge(
          "veridex_store_commits_total",
          "Commits since the store was made",
          Map.of(),
          () -> (double) store.revision().sequence());
      store
          .bytesOnDisk()
          .keySet()
          .forEach(
              family ->
                  metrics.gauge(
                      "veridex_store_bytes",
                      "Bytes of sorted files, by family of records",
                      Map.of("family", family),
                      () -> store.bytesOnDisk().getOrDefault(family, 0L).doubleValue()));
      ProcessMetrics.register(metrics);
    }
  }

  /// The port it listens on.
  public int port() {
    return network.port();
  }

  /// What it serves, for a demonstration that needs something before anybody asked for it.
  public Domain domain() {
    return domain;
  }

  /// What everything is in.
  Store store() {
    return store;
  }

  public Tokens tokens() {
    return domain.tokens();
  }

  /// What reads the keys of issuers anew.
  Agent issuers() {
    return issuers;
  }

  /// All that it serves.
  public List<Route<?, ?>> routes() {
    return routes;
  }

  /// Takes no more requests, finishes those in flight, then closes the store.
  @Override
  public void close() {
    admission.stop(network.stopTimeout());
    network.close();
    loops.forEach(Loop::stop);
    domain.documents().publishers().finish();
    search.indexers().finish();
    loops.forEach(Loop::close);
    try {
      domain.documents().publishers().stop();
      search.close();
    } finally {
      threads.shutdown();
      store.close();
    }
    accessLog.close();
  }
}
