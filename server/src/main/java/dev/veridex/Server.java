package dev.veridex;

import dev.veridex.access.AccessSettings;
import dev.veridex.common.Agent;
import dev.veridex.common.DurableFiles;
import dev.veridex.common.Loop;
import dev.veridex.http.AccessLog;
import dev.veridex.http.Admission;
import dev.veridex.http.CallerAuthorization;
import dev.veridex.http.Gateway;
import dev.veridex.http.Route;
import dev.veridex.http.TokenGuesses;
import dev.veridex.http.UnscopedMode;
import dev.veridex.http.helidon.HelidonServer;
import dev.veridex.http.openapi.Documentation;
import dev.veridex.http.routes.LongRunningWork;
import dev.veridex.identity.RefusalLog;
import dev.veridex.identity.RootToken;
import dev.veridex.identity.Token;
import dev.veridex.identity.Tokens;
import dev.veridex.identity.jwt.JwtTokens;
import dev.veridex.identity.jwt.KeySource;
import dev.veridex.identity.jwt.KeyUrl;
import dev.veridex.items.ItemVersions;
import dev.veridex.metrics.Metrics;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.rocks.RocksStore;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/// The whole product, put together and running.
public final class Server implements AutoCloseable {
  private final Assembly parts;
  private final Admission admission;
  private final HelidonServer network;
  private final AccessLog accessLog;
  private final List<Loop> loops;
  private final Domain domain;
  private final List<ServerModule> modules;
  private final List<Route<?, ?>> routes;

  private Server(
      Assembly parts,
      Admission admission,
      HelidonServer network,
      AccessLog accessLog,
      List<Loop> loops,
      Domain domain,
      List<ServerModule> modules,
      List<Route<?, ?>> routes) {
    this.parts = parts;
    this.admission = admission;
    this.network = network;
    this.accessLog = accessLog;
    this.loops = loops;
    this.domain = domain;
    this.modules = modules;
    this.routes = routes;
  }

  /// The server's surroundings: clock, randomness, log output.
  ///
  /// @param random an unpredictable one: secrets come from it
  /// @param accessLog where requests are logged
  record World(
      InstantSource clock,
      RandomGenerator random,
      OutputStream accessLog,
      CallerAuthorization.Pause pause,
      String version) {}

  /// Platform threads for what takes long: of the operator, for reading indexes into memory, and
  /// for publishing.
  private record Threads(
      ExecutorService operator, ExecutorService loads, ExecutorService publishing) {
    private void shutdown() {
      operator.shutdown();
      loads.shutdown();
      publishing.shutdown();
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
    createFolder(config.data());
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
            thread("veridex-long-work"),
            thread("veridex-access"),
            Executors.newFixedThreadPool(
                Runtime.getRuntime().availableProcessors(),
                Thread.ofPlatform().name("veridex-publish-", 0).daemon(true).factory()));
    try {
      return new Assembly(config, world, store, jwt, items, threads).start();
    } catch (RuntimeException | Error e) {
      threads.shutdown();
      store.close();
      throw e;
    }
  }

  private static void createFolder(Path folder) {
    try {
      DurableFiles.createPrivateFolder(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Keys are in a file or at an address.
  private static KeySource keySource(String location) {
    return location.contains("://")
        ? new KeyUrl(
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build(),
            URI.create(location))
        : () -> Files.readString(Path.of(location));
  }

  /// The construction of a server from its parts.
  private record Assembly(
      Config config,
      World world,
      RocksStore store,
      JwtTokens jwt,
      ItemVersions items,
      Threads threads) {

    private Server start() {
      Metrics metrics = new Metrics();
      Domain domain = domain();
      SearchModule search =
          SearchModule.on(store, domain, config.data().resolve("index"), world.random);
      Tokens tokens = domain.tenancy().tokens();
      RootToken.ensure(tokens, config.rootToken(), config.data(), world.random);
      Admission admission =
          new Admission(config.http().maxInFlight(), config.http().maxBodyBytesInFlight());
      ServerContext context =
          new ServerContext(
              config,
              store,
              world.clock,
              metrics,
              new LongRunningWork(threads.operator),
              admission::isStopping);
      List<ServerModule> modules = new ArrayList<>(domain.modules());
      modules.add(search);
      modules.add(
          new OperationsModule(
              List.copyOf(modules),
              domain.tenancy().audit(),
              search.indexers(),
              admission,
              metrics));
      List<Route<?, ?>> routes = new ArrayList<>();
      modules.forEach(module -> routes.addAll(module.routes(context)));
      routes.addAll(new Documentation(routes, world.version).routes());
      return serve(domain, modules, context, metrics, admission, routes);
    }

    private Domain domain() {
      return Domain.on(
          store,
          new Domain.Parts(
              world.random,
              // Nobody needs to be unable to guess these; a secure source costs more.
              () -> ThreadLocalRandom.current().nextLong(),
              items,
              jwt::reach,
              new AccessSettings(
                  config.access().memoryBytes(), config.access().pastRetention(), threads.loads),
              config.objectMode(),
              threads.publishing,
              config.unscoped() == UnscopedMode.STRICT));
    }

    private Server serve(
        Domain domain,
        List<ServerModule> modules,
        ServerContext context,
        Metrics metrics,
        Admission admission,
        List<Route<?, ?>> routes) {
      System.Logger faults = System.getLogger(Gateway.class.getName());
      Tokens tokens = domain.tenancy().tokens();
      AccessLog accessLog =
          new AccessLog(config.log().access() ? world.accessLog : OutputStream.nullOutputStream());
      Gateway gateway =
          new Gateway(
              routes,
              new CallerAuthorization(
                  secret -> recognise(tokens, secret),
                  new RefusalLog(store, domain.tenancy().audit()),
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
        modules.add(new HttpModule(network, accessLog, admission, jwt));
        for (ServerModule module : modules) {
          module.register(metrics, context);
          for (ServerModule.Task task : module.tasks(context)) {
            loops.add(Loop.start(task.name(), task.agent(), task.rest()));
          }
        }
        return new Server(this, admission, network, accessLog, loops, domain, modules, routes);
      } catch (RuntimeException | Error e) {
        network.close();
        loops.forEach(Loop::close);
        modules.reversed().forEach(ServerModule::close);
        throw e;
      }
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
  }

  /// The port it listens on.
  public int port() {
    return network.port();
  }

  /// Its domain, for a demonstration that needs data before the first request.
  public Domain domain() {
    return domain;
  }

  /// The store of all modules.
  Store store() {
    return parts.store;
  }

  public Tokens tokens() {
    return domain.tenancy().tokens();
  }

  /// The agent that reads the keys of issuers anew.
  Agent issuers() {
    return parts.jwt;
  }

  /// All that it serves.
  public List<Route<?, ?>> routes() {
    return routes;
  }

  /// Closes all modules, also if one cannot be.
  private void closeAll() {
    RuntimeException failed = null;
    for (ServerModule module : modules) {
      try {
        module.close();
      } catch (RuntimeException e) {
        if (failed == null) {
          failed = e;
        } else {
          failed.addSuppressed(e);
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  /// Takes no more requests, finishes those in flight, then closes the store.
  @Override
  public void close() {
    admission.stop(network.stopTimeout());
    network.close();
    loops.forEach(Loop::stop);
    modules.forEach(ServerModule::finish);
    loops.forEach(Loop::close);
    try {
      closeAll();
    } finally {
      parts.threads.shutdown();
      parts.store.close();
    }
    accessLog.close();
  }
}
