package dev.veridex.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.http.routes.admin.AuditRoutes;
import dev.veridex.http.routes.admin.SystemRoutes;
import dev.veridex.http.routes.admin.TokenRoutes;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.RefusalLog;
import dev.veridex.identity.Token;
import dev.veridex.identity.Token.Flag;
import dev.veridex.identity.TokenRequest;
import dev.veridex.identity.Tokens;
import dev.veridex.json.JsonText;
import dev.veridex.metrics.Metrics;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Snapshot;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// A gateway on a store in memory, with the routes of tokens and audit and those of a test.
public final class GatewayFixture implements AutoCloseable {
  public static final String ROOT = "the root secret";

  public final MutableClock clock = MutableClock.daysAgo(0);
  public final MemoryStore store =
      new MemoryStore(
          new MemoryDisk(new Random(1)), clock, Duration.ofHours(1), Duration.ofDays(7));
  public final AuditLog audit = new AuditLog(Incarnations.FIRST);
  public final Tokens tokens = new Tokens(store, audit, Incarnations.FIRST, new Random(2));
  public final Token root = tokens.adoptRoot(ROOT);
  public final Metrics metrics = new Metrics();
  public final ByteArrayOutputStream log = new ByteArrayOutputStream();
  public final AccessLog accessLog = new AccessLog(log);
  public final List<Duration> pauses = new ArrayList<>();
  public final RecordingLogger faults = new RecordingLogger();
  public final Admission admission;
  public final Gateway gateway;

  public GatewayFixture(UnscopedMode unscoped, int maxInFlight, List<Route<?, ?>> more) {
    admission = new Admission(maxInFlight, 256 << 20);
    List<Route<?, ?>> routes = new ArrayList<>(more);
    routes.addAll(new TokenRoutes(tokens, store.seal()).routes());
    routes.addAll(new AuditRoutes(store, audit).routes());
    routes.addAll(
        new SystemRoutes(
                metrics,
                () ->
                    admission.isStopping()
                        ? Optional.of(Problem.of(ErrorCode.STOPPING, "the server is about to stop"))
                        : Optional.empty(),
                () -> 0,
                true)
            .routes());
    gateway =
        new Gateway(
            routes,
            new CallerAuthorization(
                tokens::authenticate,
                new RefusalLog(store, audit),
                new TokenGuesses(),
                clock,
                pauses::add),
            admission,
            unscoped,
            accessLog,
            metrics,
            clock,
            new Random(3),
            faults);
  }

  public GatewayFixture(Route<?, ?>... more) {
    this(UnscopedMode.LENIENT, 100, List.of(more));
  }

  /// The secret of a new token.
  public String mint(String scope, Flag... flags) {
    TokenRequest request =
        new TokenRequest(
            Scope.parse(scope),
            false,
            Optional.of("somebody"),
            new TreeSet<>(),
            Optional.empty(),
            Set.of(flags),
            Optional.of(Duration.ofHours(1)));
    return ((MintResult.Minted) tokens.mint(root, request)).secret();
  }

  public List<AuditLog.NumberedEntry> audited(String scope) {
    try (Snapshot snapshot = store.snapshot()) {
      return audit.read(snapshot, Scope.parse(scope), Optional.empty(), 10_000).items();
    }
  }

  /// Asks without a network in between.
  public Asked ask(String method, String target) {
    return new Asked(method, target, Map.of(), new byte[0]);
  }

  /// A request in the making.
  public final class Asked {
    private final String method;
    private final String target;
    private final Map<String, String> headers;
    private final byte[] body;

    private Asked(String method, String target, Map<String, String> headers, byte[] body) {
      this.method = method;
      this.target = target;
      this.headers = headers;
      this.body = body;
    }

    public Asked as(String secret) {
      return with("Authorization", "Bearer " + secret);
    }

    public Asked with(String header, String value) {
      Map<String, String> more = new HashMap<>(headers);
      more.put(header, value);
      return new Asked(method, target, more, body);
    }

    public Asked body(String text) {
      return body(text.getBytes(UTF_8));
    }

    public Asked body(byte[] bytes) {
      return new Asked(method, target, headers, bytes);
    }

    public Response answer() {
      AtomicReference<@Nullable Response> answer = new AtomicReference<>();
      gateway.handle(new Given(this), answer::set);
      Response response = answer.get();
      if (response == null) {
        throw new AssertionError("no answer");
      }
      return response;
    }

    /// The answer's JSON.
    public JsonNode json() {
      return GatewayFixture.json(answer());
    }
  }

  public static JsonNode json(Response response) {
    return JsonText.read(bytes(response));
  }

  public static byte[] bytes(Response response) {
    return ((Payload.Bytes) response.payload()).bytes();
  }

  private record Given(Asked asked) implements Exchange {
    @Override
    public boolean isArriving() {
      return contentLength() > 0;
    }

    @Override
    public void working() {}

    @Override
    public String method() {
      return asked.method;
    }

    @Override
    public String target() {
      return asked.target;
    }

    @Override
    public Optional<String> header(String name) {
      return Optional.ofNullable(asked.headers.get(name));
    }

    @Override
    public List<String> headers(String name) {
      return header(name).stream().toList();
    }

    @Override
    public SortedMap<String, String> headersBeginning(String prefix) {
      SortedMap<String, String> found = new TreeMap<>();
      asked.headers.forEach(
          (name, value) -> {
            if (name.toLowerCase(Locale.ROOT).startsWith(prefix)) {
              found.put(name.toLowerCase(Locale.ROOT), value);
            }
          });
      return found;
    }

    @Override
    public long contentLength() {
      return asked.body.length;
    }

    @Override
    public InputStream body() {
      return new ByteArrayInputStream(asked.body);
    }

    @Override
    public String remoteAddress() {
      return "192.0.2.1";
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
