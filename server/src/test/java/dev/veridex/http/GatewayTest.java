package dev.veridex.http;

import static dev.veridex.http.GatewayFixture.ROOT;
import static dev.veridex.http.GatewayFixture.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.Token.Flag;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class GatewayTest {
  private static final String MINT = "{\"scope\":\"tenant:acme\",\"flags\":{\"admin\":true}}";

  private final GatewayFixture fixture = new GatewayFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aTokenIsMintedUsedListedAndRevoked() {
    Response minted = fixture.ask("POST", "/v1/tokens").as(ROOT).body(MINT).answer();
    assertThat(minted.status()).isEqualTo(201);
    String secret = json(minted).get("token").asString();
    String id = json(minted).get("id").asString();
    assertThat(minted.headers())
        .containsEntry("Veridex-Revision", json(minted).get("revision").asString());

    JsonNode list = fixture.ask("GET", "/v1/tokens?scope=tenant:acme").as(secret).json();
    assertThat(list.get("items")).hasSize(1);
    assertThat(list.get("cursor").isNull()).isTrue();
    assertThat(list.toString()).doesNotContain(secret);
    assertThat(fixture.ask("GET", "/v1/tokens/" + id).as(ROOT).json().get("scope").asString())
        .isEqualTo("tenant:acme");

    Response revoked = fixture.ask("DELETE", "/v1/tokens/" + id).as(ROOT).answer();
    assertThat(revoked.status()).isEqualTo(200);
    assertThat(revoked.headers()).containsKey("Veridex-Revision");
    assertThat(fixture.ask("GET", "/v1/tokens?scope=tenant:acme").as(secret).answer().status())
        .as("at once")
        .isEqualTo(401);
    assertThat(fixture.ask("DELETE", "/v1/tokens/" + id).as(ROOT).answer().status()).isEqualTo(404);
    assertThat(fixture.audited("tenant:acme"))
        .extracting(numbered -> numbered.entry().operation())
        .containsExactly("token.mint", "token.revoke");
  }

  @Test
  void listsArePaged() {
    for (int i = 0; i < 5; i++) {
      fixture.mint("tenant:acme");
    }
    JsonNode first = fixture.ask("GET", "/v1/audit?scope=tenant:acme&limit=3").as(ROOT).json();
    assertThat(first.get("items")).hasSize(3);
    JsonNode second =
        fixture
            .ask("GET", "/v1/audit?scope=tenant:acme&cursor=" + first.get("cursor").asString())
            .as(ROOT)
            .json();
    assertThat(second.get("items")).hasSize(2);
    assertThat(second.get("cursor").isNull()).isTrue();
    assertThat(
            fixture
                .ask("GET", "/v1/audit?scope=tenant:acme&cursor=nonsense")
                .as(ROOT)
                .answer()
                .status())
        .isEqualTo(400);
  }

  @Test
  void badInputIsToldAndChangesNothing() {
    long before = fixture.store.revision().sequence();
    Map<String, Integer> bodies =
        Map.ofEntries(
            Map.entry("", 400),
            Map.entry("{", 400),
            Map.entry("[]", 400),
            Map.entry("null", 400),
            Map.entry("{\"scope\":\"tenant:\"}", 400),
            Map.entry("{\"scope\":7}", 400),
            Map.entry("{\"scope\":\"global\",\"flags\":{\"root\":true}}", 400),
            Map.entry("{\"scope\":\"global\",\"flags\":[\"admin\"]}", 400),
            Map.entry("{\"scope\":\"global\",\"ttlSeconds\":\"60\"}", 400),
            Map.entry("{\"scope\":\"global\",\"subject\":\"\\ud800\"}", 400),
            Map.entry("{\"scope\":\"global\",\"token\":\"mine\"}", 400));
    bodies.forEach(
        (body, status) -> {
          Response answer = fixture.ask("POST", "/v1/tokens").as(ROOT).body(body).answer();
          assertThat(answer.status()).as(body).isEqualTo(status);
          assertThat(answer.payload().contentType()).isEqualTo("application/problem+json");
          assertThat(json(answer).get("code").asString()).isNotEmpty();
        });
    Map<String, Integer> targets =
        Map.of(
            "/v1/audit?limit=0", 400,
            "/v1/audit?limit=1001", 400,
            "/v1/audit?limit=x", 400,
            "/v1/audit?scop=global", 400,
            "/v1/audit?scope=nonsense", 400,
            "/v1/audit?scope=global&scope=global", 400,
            "/v1/audit/", 404,
            "/v1//audit", 404,
            "/v1/%61udit", 200,
            "/V1/audit", 404);
    targets.forEach(
        (target, status) ->
            assertThat(fixture.ask("GET", target).as(ROOT).answer().status())
                .as(target)
                .isEqualTo(status));
    assertThat(fixture.store.revision().sequence()).isEqualTo(before);
  }

  @Test
  void aTtlThatCannotBeIsRefused() {
    for (String ttl : List.of("0", "-1", "9000000000", "-900000000000000000")) {
      Response answer =
          fixture
              .ask("POST", "/v1/tokens")
              .as(ROOT)
              .body("{\"scope\":\"global\",\"ttlSeconds\":" + ttl + "}")
              .answer();
      assertThat(answer.status()).as(ttl).isEqualTo(400);
      assertThat(json(answer).get("pointer").asString()).isEqualTo("/ttlSeconds");
    }
  }

  @Test
  void otherContentIsRefused() {
    Map<String, Integer> types =
        Map.of(
            "application/json; charset=utf-8", 201,
            "APPLICATION/JSON", 201,
            "application/x-www-form-urlencoded", 415,
            "text/plain", 415,
            "", 415);
    types.forEach(
        (type, status) ->
            assertThat(
                    fixture
                        .ask("POST", "/v1/tokens")
                        .as(ROOT)
                        .with("Content-Type", type)
                        .body(MINT)
                        .answer()
                        .status())
                .as(type)
                .isEqualTo(status));
    assertThat(
            fixture
                .ask("POST", "/v1/tokens")
                .as(ROOT)
                .with("Content-Encoding", "br")
                .body(MINT)
                .answer()
                .status())
        .isEqualTo(415);
  }

  @Test
  void bodiesMayBeZippedButNotBombs() throws IOException {
    Response minted =
        fixture
            .ask("POST", "/v1/tokens")
            .as(ROOT)
            .with("Content-Encoding", "gzip")
            .body(zipped(MINT.getBytes(UTF_8)))
            .answer();
    assertThat(minted.status()).isEqualTo(201);
    byte[] bomb = zipped(new byte[100 << 20]);
    Response refused =
        fixture
            .ask("POST", "/v1/tokens")
            .as(ROOT)
            .with("Content-Encoding", "gzip")
            .body(bomb)
            .answer();
    assertThat(refused.status()).as("larger than it may become").isEqualTo(413);
    Response broken =
        fixture
            .ask("POST", "/v1/tokens")
            .as(ROOT)
            .with("Content-Encoding", "gzip")
            .body("not zipped")
            .answer();
    assertThat(broken.status()).isEqualTo(400);
    assertThat(fixture.admission.inFlight()).isZero();
    assertThat(fixture.ask("POST", "/v1/tokens").as(ROOT).body(MINT).answer().status())
        .as("the room is given back")
        .isEqualTo(201);
  }

  private static byte[] zipped(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
      zip.write(bytes);
    }
    return out.toByteArray();
  }

  @Test
  void largeAnswersAreZippedOnRequest() throws IOException {
    for (int i = 0; i < 20; i++) {
      fixture.mint("tenant:acme");
    }
    Response plain = fixture.ask("GET", "/v1/audit?scope=tenant:acme").as(ROOT).answer();
    assertThat(plain.headers()).containsEntry("Vary", "Accept-Encoding");
    assertThat(plain.headers()).doesNotContainKey("Content-Encoding");
    for (String accepted : List.of("gzip", "br, GZIP;q=0.5", "deflate, gzip")) {
      Response zipped =
          fixture
              .ask("GET", "/v1/audit?scope=tenant:acme")
              .as(ROOT)
              .with("Accept-Encoding", accepted)
              .answer();
      assertThat(zipped.headers()).containsEntry("Content-Encoding", "gzip");
      try (GZIPInputStream in =
          new GZIPInputStream(new ByteArrayInputStream(GatewayFixture.bytes(zipped)))) {
        assertThat(in.readAllBytes()).isEqualTo(GatewayFixture.bytes(plain));
      }
    }
    assertThat(
            fixture
                .ask("GET", "/v1/audit?scope=tenant:acme")
                .as(ROOT)
                .with("Accept-Encoding", "gzip;q=0")
                .answer()
                .headers())
        .doesNotContainKey("Content-Encoding");
  }

  @Test
  void aCallWithoutScopeIsGlobalWithAWarning() {
    Response answer = fixture.ask("GET", "/v1/audit").as(ROOT).answer();
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.headers()).containsKey("Veridex-Warning");
    assertThat(fixture.metrics.text()).contains("veridex_unscoped_calls_total 1.0");
    assertThat(fixture.ask("GET", "/v1/audit?scope=global").as(ROOT).answer().headers())
        .doesNotContainKey("Veridex-Warning");
    assertThat(
            fixture
                .ask("GET", "/v1/audit")
                .as(fixture.mint("tenant:acme", Flag.ADMIN))
                .json()
                .get("code")
                .asString())
        .as("global is out of reach for a tenant")
        .isEqualTo("SCOPE_DENIED");
  }

  @Test
  void aStrictServerInsistsOnAScope() {
    try (GatewayFixture strict = new GatewayFixture(UnscopedMode.STRICT, 100, List.of())) {
      Response answer = strict.ask("GET", "/v1/audit").as(ROOT).answer();
      assertThat(answer.status()).isEqualTo(400);
      assertThat(json(answer).get("code").asString()).isEqualTo("SCOPE_REQUIRED");
    }
  }

  @Test
  void refusalsOfThoseWeKnowAreAudited() {
    String user = fixture.mint("tenant:acme");
    fixture.ask("GET", "/v1/audit?scope=tenant:acme").as(user).answer();
    fixture.ask("GET", "/v1/audit?scope=tenant:other").as(user).answer();
    assertThat(fixture.audited("tenant:other")).as("others hear nothing of it").isEmpty();
    assertThat(fixture.audited("tenant:acme").getLast().entry())
        .extracting(entry -> entry.reason().orElse(""), AuditEntry::key)
        .containsExactly("SCOPE_DENIED", List.of("tenant:other"));
    assertThat(fixture.audited("tenant:acme").get(1).entry())
        .extracting(AuditEntry::operation, AuditEntry::outcome, entry -> entry.reason().orElse(""))
        .containsExactly("audit.read", AuditEntry.Outcome.REFUSED, "FORBIDDEN");
  }

  @Test
  void whoIsRefusedAgainAndAgainDoesNotFillTheLog() {
    String user = fixture.mint("tenant:acme");
    for (int i = 0; i < 1000; i++) {
      assertThat(fixture.ask("GET", "/v1/audit?scope=tenant:acme").as(user).answer().status())
          .isEqualTo(403);
    }
    assertThat(fixture.audited("tenant:acme"))
        .hasSizeBetween(TokenGuesses.FREE, TokenGuesses.FREE + 10);
    assertThat(fixture.audited("tenant:acme").getLast().entry().key())
        .containsExactly("attempt 512");
  }

  @Test
  void whoIsNoAdministratorIsRefusedBeforeTheBodyIsRead() {
    String user = fixture.mint("tenant:acme");
    Response refused = fixture.ask("POST", "/v1/tokens").as(user).body("not JSON").answer();
    assertThat(refused.status()).isEqualTo(403);
  }

  @Test
  void guessingIsSlowedDownAndDoesNotFillTheLog() {
    for (int i = 0; i < 40; i++) {
      assertThat(fixture.ask("GET", "/v1/audit").as("guess " + i).answer().status()).isEqualTo(401);
    }
    assertThat(fixture.pauses).hasSize(40 - TokenGuesses.FREE);
    assertThat(fixture.pauses.getLast()).isEqualTo(Duration.ofSeconds(2));
    assertThat(fixture.ask("GET", "/v1/audit").as(ROOT).answer().status())
        .as("who knows is not delayed")
        .isEqualTo(200);
    assertThat(fixture.pauses).hasSize(40 - TokenGuesses.FREE);
    assertThat(fixture.audited("global").stream().filter(n -> n.entry().actor().equals("unknown")))
        .extracting(numbered -> numbered.entry().key())
        .hasSize(TokenGuesses.FREE + 1)
        .endsWith(List.of("192.0.2.1", "20"), List.of("192.0.2.1", "32"));
  }

  @Test
  void theSchemeOfATokenIsBearer() {
    for (String header : List.of("Bearer " + ROOT, "bearer  " + ROOT, "BEARER " + ROOT + " ")) {
      assertThat(fixture.ask("GET", "/v1/audit").with("Authorization", header).answer().status())
          .as(header)
          .isEqualTo(200);
    }
    for (String header : List.of(ROOT, "Basic " + ROOT, "Bearer", "", "Bearer " + ROOT + "x")) {
      Response refused = fixture.ask("GET", "/v1/audit").with("Authorization", header).answer();
      assertThat(refused.status()).as(header).isEqualTo(401);
      assertThat(refused.headers()).containsKey("WWW-Authenticate");
    }
  }

  @Test
  void tracesGoOnAndTheLogNamesThem() {
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    Response answer =
        fixture
            .ask("GET", "/v1/audit?scope=\"\n\"")
            .with("traceparent", "00-" + trace + "-00f067aa0ba902b7-01")
            .answer();
    assertThat(answer.headers().get("traceparent")).startsWith("00-" + trace + "-");
    fixture.accessLog.runOnce();
    assertThat(fixture.log.toString(UTF_8))
        .contains("trace=" + trace, "target=\"/v1/audit?scope=\\\"\\u000a\\\"\"")
        .hasLineCount(1)
        .doesNotContain(ROOT);
  }

  @Test
  void aFaultOfOursSaysNothingOfTheInside() {
    Route<?, ?> faulty =
        Route.of(Method.GET, "/faulty", "test.faulty", "Fails")
            .needs(new RequiredRight.Open<>())
            .answers(
                Reply.text("text/plain"),
                _ -> {
                  throw new IllegalStateException("secret inside");
                });
    try (GatewayFixture broken = new GatewayFixture(faulty)) {
      Response answer = broken.ask("GET", "/faulty").answer();
      assertThat(answer.status()).isEqualTo(500);
      assertThat(new String(GatewayFixture.bytes(answer), UTF_8))
          .contains("INTERNAL")
          .doesNotContain("secret", "Exception");
      assertThat(broken.faults.messages()).hasSize(1);
      assertThat(broken.admission.inFlight()).isZero();
    }
  }

  @Test
  void whenThereIsTooMuchToDoOnlyHealthIsServed() {
    try (GatewayFixture busy = new GatewayFixture(UnscopedMode.LENIENT, 1, List.of())) {
      busy.admission.enter();
      Response refused = busy.ask("GET", "/v1/audit").as(ROOT).answer();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.headers()).containsEntry("Retry-After", "1");
      assertThat(json(refused).get("retryable").asBoolean()).isTrue();
      assertThat(busy.ask("GET", "/health/live").answer().status()).isEqualTo(200);
      assertThat(busy.ask("GET", "/metrics").answer().status()).isEqualTo(200);
      busy.admission.leave();
      assertThat(busy.ask("GET", "/v1/audit").as(ROOT).answer().status()).isEqualTo(200);
      busy.admission.stop(Duration.ZERO);
      assertThat(busy.ask("GET", "/health/ready").answer().status()).isEqualTo(503);
      assertThat(busy.ask("GET", "/health/live").answer().status()).isEqualTo(200);
      assertThat(busy.ask("GET", "/v1/audit").as(ROOT).json().get("code").asString())
          .isEqualTo("STOPPING");
    }
  }
}
