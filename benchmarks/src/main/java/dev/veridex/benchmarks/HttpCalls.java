package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.http.AccessLog;
import dev.veridex.http.Admission;
import dev.veridex.http.Answer;
import dev.veridex.http.CallerAuthorization;
import dev.veridex.http.Exchange;
import dev.veridex.http.Gateway;
import dev.veridex.http.HttpConfig;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Response;
import dev.veridex.http.Route;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.TokenGuesses;
import dev.veridex.http.UnscopedMode;
import dev.veridex.http.helidon.HelidonServer;
import dev.veridex.http.routes.admin.TokenRoutes;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.RefusalLog;
import dev.veridex.identity.Tokens;
import dev.veridex.metrics.Metrics;
import dev.veridex.records.Incarnations;
import dev.veridex.settings.SettingsSources;
import dev.veridex.store.Store;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/// A load driver: the same authenticated calls through the gateway in this process and over
/// loopback, round by round in turn, so that the difference is the price of HTTP.
///
/// Driver and server share the machine, as they share this process.
final class HttpCalls {
  static final String SECRET = "the secret of the benchmark";

  private HttpCalls() {}

  private record Kind(String name, String method, String target, String body) {}

  static void run() {
    List<Kind> kinds =
        List.of(
            new Kind("no-op", "GET", "/noop", ""),
            new Kind("durable write", "POST", "/v1/tokens", "{\"scope\":\"tenant:acme\"}"));
    System.out.println(
        "| call | connections | in process /s | p50/p99 µs | over HTTP /s | p50/p99 µs | HTTP/in process |");
    System.out.println("|---|---:|---:|---:|---:|---:|---:|");
    for (Kind kind : kinds) {
      for (int connections : new int[] {1, 16, 64}) {
        compare(kind, connections);
      }
    }
  }

  private static void compare(Kind kind, int connections) {
    Path folder = Data.folder();
    InstantSource clock = InstantSource.system();
    List<Driver.Result> inProcess = new ArrayList<>();
    List<Driver.Result> overHttp = new ArrayList<>();
    try (Store store = Data.store(folder.resolve("store"), clock)) {
      Gateway gateway = gateway(store, clock);
      try (HelidonServer server =
          HelidonServer.start(config(), gateway, System::nanoTime, System.getLogger("benchmark"))) {
        IntFunction<LongConsumer> called = _ -> _ -> call(gateway, kind);
        for (int round = 0; round <= Driver.ROUNDS; round++) {
          Driver.Result direct = Driver.drive(connections, 2 * round, called, true);
          List<Loopback> clients = new ArrayList<>();
          byte[] request = request(kind);
          Driver.Result remote =
              Driver.drive(
                  connections,
                  2 * round + 1,
                  _ -> {
                    Loopback client = new Loopback(server.port());
                    clients.add(client);
                    return _ -> client.http(request);
                  },
                  false);
          clients.forEach(Loopback::close);
          if (round > 0) { // The first warms up.
            inProcess.add(direct);
            overHttp.add(remote);
          }
        }
      }
    } finally {
      Data.delete(folder);
    }
    Driver.Result direct = Driver.median(inProcess);
    Driver.Result remote = Driver.median(overHttp);
    System.out.printf(
        "| %s | %d | %,.0f | %d / %d | %,.0f | %d / %d | %.2f |%n",
        kind.name,
        connections,
        direct.perSecond(),
        direct.p50Micros(),
        direct.p99Micros(),
        remote.perSecond(),
        remote.p50Micros(),
        remote.p99Micros(),
        remote.perSecond() / direct.perSecond());
  }

  static HttpConfig config() {
    SettingsSources sources =
        new SettingsSources(Optional.empty(), Map.of(), List.of("http.port=0"));
    return HttpConfig.read(sources.root().section("http"));
  }

  private static Gateway gateway(Store store, InstantSource clock) {
    return gateway(store, clock, List.of());
  }

  /// @param more routes besides those of tokens and one that does nothing
  static Gateway gateway(Store store, InstantSource clock, List<Route<?, ?>> more) {
    AuditLog audit = new AuditLog(Incarnations.FIRST);
    Tokens tokens = new Tokens(store, audit, Incarnations.FIRST, new SecureRandom());
    tokens.adoptRoot(SECRET);
    List<Route<?, ?>> routes = new ArrayList<>(new TokenRoutes(tokens, store.seal()).routes());
    routes.addAll(more);
    routes.add(
        Route.of(Method.GET, "/noop", "benchmark.noop", "Nothing")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Server<>()))
            .answers(Reply.text("text/plain"), _ -> Answer.of("done")));
    return new Gateway(
        routes,
        new CallerAuthorization(
            tokens::authenticate, new RefusalLog(store, audit), new TokenGuesses(), clock, _ -> {}),
        new Admission(1024, 256 << 20),
        UnscopedMode.LENIENT,
        new AccessLog(OutputStream.nullOutputStream()),
        new Metrics(),
        clock,
        new Random(1),
        System.getLogger("benchmark"));
  }

  private static byte[] request(Kind kind) {
    return Loopback.request(kind.method, kind.target, SECRET, kind.body.getBytes(UTF_8));
  }

  private static void call(Gateway gateway, Kind kind) {
    gateway.handle(new InProcess(kind), response -> check(response));
  }

  private static void check(Response response) {
    if (response.status() >= 300) {
      throw new IllegalStateException("answered " + response.status());
    }
  }

  private record InProcess(Kind kind) implements Exchange {
    @Override
    public boolean isArriving() {
      return contentLength() > 0;
    }

    @Override
    public void working() {}

    @Override
    public String method() {
      return kind.method;
    }

    @Override
    public String target() {
      return kind.target;
    }

    @Override
    public Optional<String> header(String name) {
      return name.equals("Authorization") ? Optional.of("Bearer " + SECRET) : Optional.empty();
    }

    @Override
    public List<String> headers(String name) {
      return header(name).stream().toList();
    }

    @Override
    public SortedMap<String, String> headersBeginning(String prefix) {
      return new TreeMap<>();
    }

    @Override
    public long contentLength() {
      return kind.body.length();
    }

    @Override
    public InputStream body() {
      return new ByteArrayInputStream(kind.body.getBytes(UTF_8));
    }

    @Override
    public String remoteAddress() {
      return "127.0.0.1";
    }
  }
}
