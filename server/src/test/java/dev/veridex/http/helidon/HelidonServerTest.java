package dev.veridex.http.helidon;

import static dev.veridex.http.GatewayFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Loop;
import dev.veridex.common.Waiting;
import dev.veridex.http.GatewayFixture;
import dev.veridex.http.HttpConfig;
import dev.veridex.http.Route;
import dev.veridex.settings.SettingsSources;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What happens between the socket and the gateway.
final class HelidonServerTest {
  private final SimpleRoutes routes = new SimpleRoutes();
  private final GatewayFixture fixture =
      new GatewayFixture(routes.routes().toArray(Route<?, ?>[]::new));
  private final HelidonServer server = start(List.of("http.stallTimeout=500ms"));
  private final Loop watch = Loop.start("watch", server.watch(), Duration.ofMillis(10));

  private HelidonServer start(List<String> settings) {
    return start(settings, System::nanoTime);
  }

  private HelidonServer start(List<String> settings, LongSupplier nanoTime) {
    SettingsSources sources = new SettingsSources(Optional.empty(), Map.of(), settings);
    HttpConfig config = HttpConfig.read(sources.root().section("http"));
    HttpConfig anyPort =
        new HttpConfig(
            config.host(),
            0,
            config.maxConnections(),
            config.maxInFlight(),
            config.maxBodyBytesInFlight(),
            config.idleTimeout(),
            config.headTimeout(),
            config.stallTimeout(),
            config.stopTimeout(),
            config.openMetrics());
    return HelidonServer.start(anyPort, fixture.gateway, nanoTime, fixture.faults);
  }

  @AfterEach
  void close() {
    routes.leave.countDown();
    watch.close();
    server.close();
    fixture.close();
  }

  private RawHttp connect() throws IOException {
    return new RawHttp(server.port());
  }

  private static String get(String target) {
    return "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
  }

  private static String post(String body) {
    return "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(body.length(), body);
  }

  @Test
  void idsReachTheHandlerDecodedExactlyOnce() throws IOException {
    Map<String, String> ids =
        Map.ofEntries(
            Map.entry("..", ".."),
            Map.entry(".", "."),
            Map.entry("%2e%2e", ".."),
            Map.entry("%252e", "%2e"),
            Map.entry("%3A", ":"),
            Map.entry("a%2Fb", "a/b"),
            Map.entry("%00", "\0"),
            Map.entry("a;b=c", "a;b=c"),
            Map.entry("a%3Fb%23c", "a?b#c"),
            Map.entry("%E2%82%AC", "€"),
            Map.entry("a#b", "a#b"),
            Map.entry("%5C..%5C", "\\..\\"),
            Map.entry("a+b", "a+b"),
            Map.entry("%20", " "),
            Map.entry("{}|^`<>", "{}|^`<>"),
            Map.entry("", ""));
    try (RawHttp connection = connect()) {
      for (Map.Entry<String, String> id : ids.entrySet()) {
        RawHttp.Reply reply = connection.send(get("/echo/" + id.getKey())).reply();
        assertThat(reply.status()).as(id.getKey()).isEqualTo(200);
        assertThat(reply.json().get("text").asString()).isEqualTo(id.getValue());
        if (!id.getKey().contains("+") && !id.getKey().contains("#")) {
          RawHttp.Reply query = connection.send(get("/echo/x?q=" + id.getKey())).reply();
          assertThat(query.json().path("q").asString("")).isEqualTo(id.getValue());
        }
      }
    }
  }

  @Test
  void headHasTheHeadOfGet() throws IOException {
    try (RawHttp connection = connect()) {
      RawHttp.Reply got = connection.send(get("/echo/x")).reply();
      connection.send("HEAD /echo/x HTTP/1.1\r\nHost: x\r\n\r\n").send(get("/echo/y"));
      // The head announces a body that does not come: the next answer follows at once.
      byte[] all = connection.finish().remaining();
      String text = new String(all, UTF_8);
      assertThat(text).contains("Content-Length: " + got.body().length);
      assertThat(text.indexOf("{")).isGreaterThan(text.lastIndexOf("HTTP/1.1 200"));
    }
  }

  @Test
  void requestsInARowAreAnsweredInOrder() throws IOException {
    try (RawHttp connection = connect()) {
      connection.send(get("/echo/1") + post("{\"text\":\"2\"}") + get("/echo/3"));
      for (String expected : List.of("1", "2", "3")) {
        assertThat(connection.reply().json().get("text").asString()).isEqualTo(expected);
      }
      connection.send(get("/echo/4") + "GARBAGE\r\n\r\n" + get("/echo/5"));
      assertThat(connection.reply().status()).isEqualTo(200);
      RawHttp.Reply refused = connection.reply();
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.headers()).containsEntry("content-type", "application/problem+json");
      assertThat(connection.isClosed()).as("nothing after garbage can be trusted").isTrue();
    }
  }

  @Test
  void bodiesComeInChunksAndOnDemand() throws IOException {
    try (RawHttp connection = connect()) {
      connection.send(
          "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "5\r\n{\"tex\r\n7\r\nt\":\"x\"}\r\n0\r\n\r\n");
      assertThat(connection.reply().json().get("text").asString()).isEqualTo("x");
      connection.send(
          "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
      assertThat(connection.continues()).isTrue();
      assertThat(connection.send("{}").reply().status()).isEqualTo(200);
      connection.send(
          "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: text/plain\r\n"
              + "Content-Length: 2000000\r\n\r\n");
      assertThat(connection.reply().status())
          .as("refused before a byte of it was sent")
          .isEqualTo(415);
    }
  }

  @Test
  void answersInPieces() throws IOException {
    try (RawHttp connection = connect()) {
      assertThat(connection.send(get("/lines")).reply().text()).hasLineCount(1000);
      assertThat(connection.send(get("/echo/x")).reply().status()).isEqualTo(200);
      connection.send(get("/broken"));
      assertThat(connection.endsBrokenOff()).as("a cut answer does not look whole").isTrue();
      assertThat(fixture.faults.messages()).hasSize(1);
    }
  }

  @Test
  void aBodyThatNobodyWantsDoesNotCostTheAnswer() throws IOException {
    String head = "POST /v1/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n";
    for (int length : List.of(10, 60_000, 3_000_000)) {
      try (RawHttp connection = connect()) {
        connection.send(head.formatted(length)).send(new byte[length]);
        RawHttp.Reply reply = connection.reply();
        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.headers().get("connection"))
            .as("a body that is not read is the end of the connection, and the client hears so")
            .isEqualTo(length > 100_000 ? "close" : "keep-alive");
      }
    }
    try (RawHttp connection = connect()) {
      connection.send(head.formatted(100_000_000)).send(new byte[5_000_000]);
      assertThat(connection.reply().status()).isEqualTo(401);
      assertThat(connection.finish().isClosed()).isTrue();
    }
  }

  @Test
  void whatIsTooLargeIsRefused() throws IOException {
    Map<String, Integer> requests =
        Map.of(
            get("/echo/" + "a".repeat(17_000)),
            414,
            "GET /echo/x HTTP/1.1\r\nHost: x\r\nX: " + "a".repeat(17_000) + "\r\n\r\n",
            431,
            "GET /echo/x HTTP/1.1\r\nHost: x\r\n" + "X: a\r\n".repeat(4_000) + "\r\n",
            431,
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
            413,
            "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\n"
                + " ".repeat(9 << 20),
            413);
    for (Map.Entry<String, Integer> request : requests.entrySet()) {
      try (RawHttp connection = connect()) {
        RawHttp.Reply reply = connection.send(request.getKey()).reply();
        assertThat(reply.status()).isEqualTo(request.getValue());
        assertThat(reply.headers()).containsEntry("content-type", "application/problem+json");
        assertThat(reply.json().get("status").asInt()).isEqualTo(request.getValue());
      }
    }
    assertThat(get("/echo/" + "a".repeat(1100)).length()).isLessThan(16_000);
  }

  @Test
  void aLineWithoutEndDoesNotFillTheMemory() throws IOException {
    byte[] zeros = new byte[1 << 20];
    Arrays.fill(zeros, (byte) '0');
    try (RawHttp connection = connect()) {
      connection.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 10; i++) {
        connection.send(zeros);
      }
      assertThat(connection.reply().status()).isEqualTo(413);
    }
    Waiting.until("connections to close", () -> server.connections() == 0);
    assertThat(server.bufferedBytes()).isZero();
  }

  @Test
  void slowClientsAreToldAndClosed() throws IOException {
    HelidonServer impatient =
        start(List.of("http.headTimeout=50ms", "http.stallTimeout=50ms", "http.idleTimeout=300ms"));
    try (Loop _ = Loop.start("watch", impatient.watch(), Duration.ofMillis(10))) {
      for (String half :
          List.of(
              "G",
              "GET /echo/x HTTP/1.1\r\nHost: x\r\nX-A: ",
              "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
              "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
              get("/echo/x") + "GET /")) {
        try (RawHttp connection = new RawHttp(impatient.port())) {
          List<RawHttp.Reply> replies = connection.send(half).repliesUntilClosed();
          assertThat(replies.getLast().status()).as(half).isEqualTo(408);
          assertThat(replies.getLast().json().get("code").asString()).isEqualTo("REQUEST_TIMEOUT");
        }
      }
      try (RawHttp idle = new RawHttp(impatient.port())) {
        assertThat(idle.send(get("/echo/x")).repliesUntilClosed()).hasSize(1);
      }
      try (RawHttp working = new RawHttp(impatient.port());
          RawHttp other = new RawHttp(impatient.port())) {
        working.send(get("/wait"));
        SimpleRoutes.await(routes.entered);
        // Another connection idles and is closed meanwhile; the one we keep waiting is not.
        assertThat(other.isClosed()).isTrue();
        routes.leave.countDown();
        assertThat(working.reply().text()).isEqualTo("done");
      }
    } finally {
      impatient.close();
    }
  }

  @Test
  void aClientThatDoesNotReadKeepsOnlyItselfWaiting() throws IOException {
    HelidonServer impatient = start(List.of("http.headTimeout=50ms", "http.stallTimeout=200ms"));
    try (Loop _ = Loop.start("watch", impatient.watch(), Duration.ofMillis(10));
        RawHttp deaf = new RawHttp(impatient.port())) {
      // Far more answers than the socket's buffers hold, and half of a request after them.
      deaf.send(get("/lines").repeat(500) + "G");
      try (RawHttp other = new RawHttp(impatient.port())) {
        assertThat(other.send("G").repliesUntilClosed().getLast().status()).isEqualTo(408);
      }
      Waiting.until("both to be closed", () -> impatient.connections() == 0);
      assertThat(fixture.admission.inFlight()).isZero();
    } finally {
      impatient.close();
    }
  }

  @Test
  void aBodyThatTricklesIsCutOff() throws IOException {
    // It looks at the clock when it accepts a connection, when the first byte has come, when it
    // begins to work and when it begins to read the body.
    trickle("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{", 4, 30);
  }

  /// Sends a beginning and then a byte each second, until the time is up.
  ///
  /// @param looks how often the server looks at the clock until it waits for the rest
  private void trickle(String beginning, int looks, int seconds) throws IOException {
    AtomicLong nanos = new AtomicLong();
    AtomicInteger looked = new AtomicInteger();
    HelidonServer watched =
        start(
            List.of("http.headTimeout=10s", "http.stallTimeout=30s"),
            () -> {
              // In this order: once it is known that it looked, what it saw is settled.
              long now = nanos.get();
              looked.incrementAndGet();
              return now;
            });
    int before = looked.get();
    try (RawHttp connection = new RawHttp(watched.port())) {
      connection.send(beginning);
      Waiting.until("the beginning", () -> looked.get() >= before + looks);
      for (int second = 1; second <= seconds; second++) {
        nanos.addAndGet(1_000_000_000);
        connection.send(" ");
        assertThat(watched.watch().runOnce()).as("after %s s", second).isFalse();
      }
      nanos.addAndGet(1_000_000_000);
      assertThat(watched.watch().runOnce()).isTrue();
      assertThat(connection.reply().status()).isEqualTo(408);
    } finally {
      watched.close();
    }
  }

  /// Each line has its limits; all of them together have none.
  @Test
  void linesGoOnForAsLongAsTheyLike() throws IOException {
    byte[] blank = new byte[1 << 20];
    Arrays.fill(blank, (byte) ' ');
    blank[blank.length - 1] = '\n';
    int count = 70;
    String head = "POST /each HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n";
    String length = "Content-Length: %d\r\n\r\n".formatted(5L + (long) count * blank.length);
    try (RawHttp whole = connect();
        RawHttp chunked = connect()) {
      whole.send(head + length);
      chunked.send(head + "Transfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < count; i++) {
        whole.send(blank);
        chunked.send("100000\r\n").send(blank).send("\r\n");
      }
      whole.send("last\n");
      chunked.send("5\r\nlast\n\r\n0\r\n\r\n");
      assertThat(whole.reply().text()).isEqualTo("last\n");
      assertThat(chunked.reply().text()).isEqualTo("last\n");
    }
  }

  @Test
  void nobodyIsBlamedForHowLongWeWorkOnALine() throws Exception {
    AtomicLong now = new AtomicLong();
    HelidonServer other = start(List.of("http.stallTimeout=1s"), now::get);
    try (RawHttp connection = new RawHttp(other.port())) {
      connection.send(
          "POST /each HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
              + "Transfer-Encoding: chunked\r\n\r\n5\r\nwait\n\r\n");
      routes.entered.await();
      now.addAndGet(Duration.ofHours(1).toNanos());
      assertThat(other.watch().runOnce()).as("nobody is overdue").isFalse();
      routes.leave.countDown();
      connection.send("5\r\nmore\n\r\n0\r\n\r\n");
      assertThat(connection.reply().text()).isEqualTo("wait\nmore\n");
    } finally {
      other.close();
    }
  }

  @Test
  void answersInPiecesEndProperlyAlsoOnTheLastRequest() throws IOException {
    try (RawHttp connection = connect()) {
      connection.send("GET /lines HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertThat(connection.reply().text()).hasLineCount(1000);
      assertThat(connection.isClosed()).isTrue();
    }
  }

  @Test
  void theClientMayHaveTheConnectionClosed() throws IOException {
    try (RawHttp connection = connect()) {
      connection.send(
          "GET /echo/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + get("/echo/y"));
      assertThat(connection.reply().status()).isEqualTo(200);
      assertThat(connection.isClosed()).isTrue();
    }
  }

  @Test
  void aTrickleOfHeadersDoesNotKeepAConnectionOpen() throws IOException {
    trickle("GET", 2, 10);
  }

  @Test
  void stoppingFinishesWhatIsInFlight() throws Exception {
    try (RawHttp working = connect();
        var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      working.send(get("/wait"));
      SimpleRoutes.await(routes.entered);
      Future<Boolean> stopped =
          executor.submit(
              () -> {
                boolean finished = fixture.admission.stop(Duration.ofMinutes(1));
                server.close();
                return finished;
              });
      try (RawHttp late = connect()) {
        Waiting.until("the stop", fixture.admission::isStopping);
        RawHttp.Reply refused = late.send(get("/echo/x")).reply();
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.headers()).containsKey("retry-after");
      }
      assertThat(stopped.isDone()).isFalse();
      routes.leave.countDown();
      assertThat(working.reply().text()).isEqualTo("done");
      assertThat(stopped.get()).isTrue();
    }
  }

  @Test
  void connectionsAreForgottenWhenTheyClose() throws IOException {
    for (int i = 0; i < 50; i++) {
      try (RawHttp connection = connect()) {
        connection.send(get("/echo/x")).reply();
      }
    }
    Waiting.until("connections to close", () -> server.connections() == 0);
    assertThat(fixture.ask("GET", "/v1/audit").as(ROOT).answer().status()).isEqualTo(200);
  }
}
