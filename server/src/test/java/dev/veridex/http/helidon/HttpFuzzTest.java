package dev.veridex.http.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Loop;
import dev.veridex.common.Waiting;
import dev.veridex.http.GatewayFixture;
import dev.veridex.http.HttpConfig;
import dev.veridex.settings.SettingsSources;
import dev.veridex.suite.Campaign;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Sends what no client should send. Each request of the corpus says in its name with which status
/// it ends (000: with none); what random changes make of them must never be our fault.
///
/// A changed request that finds something is put into the corpus.
final class HttpFuzzTest {
  private static final String HARD = "\r\n :%/{}\"\0";

  private final GatewayFixture fixture = new GatewayFixture();
  private final HelidonServer server =
      HelidonServer.start(config(), fixture.gateway, System::nanoTime, fixture.faults);
  private final Loop watch = Loop.start("watch", server.watch(), Duration.ofMillis(10));

  private static HttpConfig config() {
    SettingsSources sources =
        new SettingsSources(
            Optional.empty(), Map.of(), List.of("http.port=0", "http.stallTimeout=1s"));
    return HttpConfig.read(sources.root().section("http"));
  }

  @AfterEach
  void close() {
    watch.close();
    server.close();
    fixture.close();
  }

  private static Map<String, byte[]> corpus() throws IOException, URISyntaxException {
    Path folder =
        Path.of(Objects.requireNonNull(HttpFuzzTest.class.getResource("/http-corpus")).toURI());
    Map<String, byte[]> corpus = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        corpus.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
    return corpus;
  }

  @Test
  void theCorpusEndsAsItSays() throws IOException, URISyntaxException {
    Map<String, byte[]> corpus = corpus();
    assertThat(corpus).hasSizeGreaterThan(60);
    Map<String, Integer> surprises = new TreeMap<>();
    for (Map.Entry<String, byte[]> request : corpus.entrySet()) {
      List<RawHttp.Reply> replies = send(request.getValue());
      int expected = Integer.parseInt(request.getKey().substring(0, 3));
      int status = replies.isEmpty() ? 0 : replies.getLast().status();
      if (status != expected) {
        surprises.put(request.getKey(), status);
      }
      replies.forEach(reply -> check(request.getKey(), reply));
    }
    assertThat(surprises).isEmpty();
    unharmed();
  }

  @Test
  @Tag("campaign")
  void noChangeOfThemIsOurFault() throws IOException, URISyntaxException {
    List<byte[]> corpus = List.copyOf(corpus().values());
    Campaign.HTTP_FUZZ.forEach(
        seed -> {
          byte[] request = changed(corpus, new SplittableRandom(seed));
          try {
            send(request).forEach(reply -> check("seed " + seed, reply));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    unharmed();
  }

  private List<RawHttp.Reply> send(byte[] request) throws IOException {
    try (RawHttp connection = new RawHttp(server.port())) {
      try {
        connection.send(request).finish();
      } catch (IOException e) {
        // It may refuse and close before it has everything; what it said is still there.
        assertThat(request.length).isGreaterThan(1000);
      }
      return connection.repliesUntilClosed();
    }
  }

  private void check(String request, RawHttp.Reply reply) {
    assertThat(reply.status())
        .as("%s %s", request, fixture.faults.messages())
        .isNotIn(500, 502, 503);
    if (reply.status() >= 400) {
      assertThat(reply.headers())
          .as(request)
          .containsEntry("content-type", "application/problem+json");
      assertThat(reply.json().get("code").asString()).isNotEmpty();
    }
  }

  private void unharmed() throws IOException {
    assertThat(fixture.faults.messages()).isEmpty();
    try (RawHttp connection = new RawHttp(server.port())) {
      connection.send("GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(connection.reply().status()).isEqualTo(200);
    }
    Waiting.until("connections to close", () -> server.connections() == 0);
    assertThat(fixture.admission.inFlight()).isZero();
    assertThat(server.bufferedBytes()).isZero();
  }

  /// One of the corpus, or the beginning of one and the end of another, with some bytes changed.
  private static byte[] changed(List<byte[]> corpus, SplittableRandom random) {
    byte[] one = corpus.get(random.nextInt(corpus.size()));
    byte[] other = corpus.get(random.nextInt(corpus.size()));
    int cut = random.nextInt(one.length + 1);
    int from = random.nextInt(other.length + 1);
    byte[] changed = new byte[cut + other.length - from];
    System.arraycopy(one, 0, changed, 0, cut);
    System.arraycopy(other, from, changed, cut, other.length - from);
    int changes = changed.length == 0 ? 0 : random.nextInt(6);
    for (int i = 0; i < changes; i++) {
      int at = random.nextInt(changed.length);
      changed[at] =
          switch (random.nextInt(4)) {
            case 0 -> (byte) random.nextInt(256);
            case 1 -> (byte) HARD.charAt(random.nextInt(HARD.length()));
            case 2 -> (byte) (changed[at] ^ 1 << random.nextInt(8));
            default -> changed[random.nextInt(changed.length)];
          };
    }
    return changed;
  }
}
