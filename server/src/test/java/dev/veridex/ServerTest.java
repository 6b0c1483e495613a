package dev.veridex;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Waiting;
import dev.veridex.settings.SettingsSources;
import dev.veridex.store.StoreException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The server as a whole: what it makes of its folder and its configuration.
final class ServerTest {
  @TempDir private Path parent;

  private Path data() {
    return parent.resolve("data");
  }

  private Server start(String... settings) {
    List<String> assignments =
        Stream.concat(
                Stream.of("data=" + data(), "http.port=0", "log.access=false"), Stream.of(settings))
            .toList();
    return Server.start(
        Config.read(new SettingsSources(Optional.empty(), Map.of(), assignments)),
        new Server.World(
            InstantSource.system(),
            new SecureRandom(),
            OutputStream.nullOutputStream(),
            _ -> {},
            "test"));
  }

  @Test
  void aRootTokenIsMadeOnceAndOnlyItsOwnerReadsIt() throws IOException {
    start().close();
    Path file = data().resolve("root-token");
    String secret = Files.readString(file).strip();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (Server again = start()) {
      assertThat(Files.readString(file).strip()).isEqualTo(secret);
      assertThat(again.tokens().authenticate(secret)).isPresent();
    }
  }

  @Test
  void aConfiguredRootTokenReplacesTheOneBefore() throws IOException {
    try (Server first = start("rootToken=one")) {
      assertThat(first.tokens().authenticate("one")).isPresent();
      assertThat(data().resolve("root-token")).doesNotExist();
    }
    try (Server second = start("rootToken=two")) {
      assertThat(second.tokens().authenticate("one")).isEmpty();
      assertThat(second.tokens().authenticate("two")).isPresent();
    }
    try (Server third = start()) {
      assertThat(third.tokens().authenticate("two")).as("it stays").isPresent();
      assertThat(data().resolve("root-token")).as("there is one already").doesNotExist();
    }
    Files.writeString(data().resolve("root-token"), "one\n");
    try (Server fourth = start()) {
      assertThat(fourth.tokens().authenticate("one"))
          .as("a file from before brings nothing back")
          .isEmpty();
    }
    assertThatThrownBy(() -> start("rootToken= ")).hasMessageContaining("empty");
  }

  @Test
  void aRevokedRootTokenStaysRevoked() throws IOException {
    String secret;
    try (Server server = start()) {
      secret = Files.readString(data().resolve("root-token")).strip();
      var root = server.tokens().authenticate(secret).orElseThrow();
      assertThat(server.tokens().revoke(root, "root")).isPresent();
    }
    try (Server again = start()) {
      assertThat(again.tokens().authenticate(secret)).isEmpty();
    }
    try (Server replaced = start("rootToken=another")) {
      assertThat(replaced.tokens().authenticate("another")).isPresent();
    }
  }

  @Test
  void onlyTheOwnerReadsTheData() throws IOException {
    start().close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data())))
        .isEqualTo("rwx------");
  }

  @Test
  void nonsenseInsteadOfATokenIsNobody() throws Exception {
    ECKey key = new ECKeyGenerator(Curve.P_256).keyID("one").generate();
    Path keys = parent.resolve("jwks.json");
    Files.writeString(keys, new JWKSet(key.toPublicJWK()).toString());
    try (ServerFixture fixture = new ServerFixture(data(), issuer(keys.toString()))) {
      for (String nonsense : List.of("bnVsbA.bnVsbA.AA", "..", "a.b.c", "e30.e30.e30", ".")) {
        assertThat(fixture.get(nonsense, "/v1/audit?scope=global").status()).isEqualTo(401);
      }
    }
  }

  @Test
  void aKeyThatDoesNotFitDoesNotHideOneThatDoes() throws Exception {
    ECKey other = new ECKeyGenerator(Curve.P_384).generate();
    ECKey encrypts = new ECKeyGenerator(Curve.P_256).keyUse(KeyUse.ENCRYPTION).generate();
    ECKey fits = new ECKeyGenerator(Curve.P_256).generate();
    Path keys = parent.resolve("jwks.json");
    Files.writeString(
        keys,
        new JWKSet(List.of(other.toPublicJWK(), encrypts.toPublicJWK(), fits.toPublicJWK()))
            .toString());
    try (ServerFixture fixture = new ServerFixture(data(), issuer(keys.toString()))) {
      assertThat(fixture.get(jwt(fits, "veridex"), "/v1/audit?scope=tenant:acme").status())
          .isEqualTo(403);
      assertThat(fixture.get(jwt(encrypts, "veridex"), "/v1/audit?scope=tenant:acme").status())
          .isEqualTo(401);
    }
  }

  @Test
  void whatWasWrittenIsThereAfterARestart() {
    String secret;
    try (ServerFixture fixture = new ServerFixture(data())) {
      secret = fixture.mint("tenant:acme", Optional.empty()).secret();
    }
    try (ServerFixture fixture = new ServerFixture(data())) {
      assertThat(fixture.get(secret, "/v1/audit?scope=tenant:acme").code()).isEqualTo("FORBIDDEN");
    }
  }

  /// Topics keep what an index has not read for seven days: it reads on, and is not made anew.
  @Test
  void aWeekendIsNoReasonToMakeIndexesAnew() {
    String search = "/v1/accounts/acme/buckets/offers/search";
    String written = "veridex_search_written_total ";
    Path data = data();
    Instant closed;
    try (ServerFixture fixture = new ServerFixture(data)) {
      fixture.arrange();
      fixture.awaitSent();
      // Of both places that were arranged: what is not indexed before the weekend is written after.
      for (String bucket : List.of("offers", "files")) {
        for (String place : List.of("", "?env=prod")) {
          String all = "/v1/accounts/acme/buckets/" + bucket + "/search" + place;
          Waiting.until(
              "what is in it to be found",
              () -> total(fixture.ask("POST", all, root(), Optional.of("{}"))) == 1);
        }
      }
      closed = fixture.clock.instant();
    }
    MutableClock monday = new MutableClock(closed.plus(Duration.ofHours(60)));
    try (ServerFixture fixture = new ServerFixture(data, monday)) {
      Waiting.until(
          "the index to answer",
          () -> total(fixture.ask("POST", search, root(), Optional.of("{}"))) == 1);
      assertThat(fixture.get(ROOT, "/metrics").text())
          .as("nothing had to be written to any index")
          .contains(written + "0.0");
    }
  }

  private static Optional<String> root() {
    return Optional.of(ROOT);
  }

  private static long total(ServerFixture.Reply reply) {
    return reply.status() == 200 ? reply.json().get("total").asLong() : -1;
  }

  @Test
  void aFailedStartLetsGoOfEverything() {
    try (Server running = start()) {
      assertThatThrownBy(this::start).isInstanceOf(StoreException.class);
      Path other = parent.resolve("other");
      assertThatThrownBy(() -> start("data=" + other, "http.port=" + running.port()))
          .hasMessageContaining("cannot be listened on");
      start("data=" + other).close();
    }
  }

  /// Indexes are made anew and removed; nothing else is.
  @Test
  void aFolderOfIndexesThatHoldsSomethingElseIsLeftAlone() throws IOException {
    start().close();
    Path index = Files.createDirectories(data().resolve("index"));
    Path photo = Files.writeString(index.resolve("photo.jpg"), "mine");
    assertThatThrownBy(this::start).hasMessageContaining("photo.jpg");
    assertThat(photo).hasContent("mine");
    Files.delete(photo);
    Path store = Files.createDirectory(index.resolve("0123456789abcdef"));
    Path notes = Files.writeString(Files.createDirectory(store.resolve("notes")).resolve("a"), "b");
    assertThatThrownBy(this::start).hasMessageContaining("notes");
    assertThat(notes).hasContent("b");
    Files.delete(notes);
    Files.delete(notes.getParent());
    Path other = Files.createDirectory(parent.resolve("other"));
    Files.writeString(other.resolve("letter"), "dear");
    Files.createSymbolicLink(store.resolve("veridex-link"), other);
    assertThatThrownBy(this::start).hasMessageContaining("veridex-link");
    assertThat(other.resolve("letter")).hasContent("dear");
    Files.delete(store.resolve("veridex-link"));
    start().close();
    assertThat(store).as("an index of another store").doesNotExist();
    Files.delete(index);
    Files.createSymbolicLink(index, other);
    assertThatThrownBy(this::start).hasMessageContaining("not a link");
    assertThat(other.resolve("letter")).hasContent("dear");
  }

  @Test
  void backupsHaveNamesAndCanBeOpened() {
    String secret;
    try (ServerFixture fixture = new ServerFixture(data())) {
      secret = fixture.mint("tenant:acme", Optional.empty()).secret();
      assertThat(backup(fixture, "{\"name\":\"one\"}")).isEqualTo(201);
      assertThat(backup(fixture, "{\"name\":\"one\"}")).isEqualTo(409);
      assertThat(backup(fixture, "")).isEqualTo(201);
      for (String name : List.of("", "..", "a/b", ".hidden", "A", "x".repeat(65), "a\\u0000")) {
        assertThat(backup(fixture, "{\"name\":\"" + name + "\"}")).as(name).isEqualTo(400);
      }
      assertThat(fixture.get(ROOT, "/v1/audit?scope=global").text())
          .contains("backup.make", "ALREADY_EXISTS");
    }
    Path restored = parent.resolve("restored");
    try {
      Files.createDirectories(restored);
      Files.move(data().resolve("backups").resolve("one"), restored.resolve("store"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try (ServerFixture fixture = new ServerFixture(restored)) {
      assertThat(fixture.server.tokens().authenticate(secret)).isPresent();
      assertThat(fixture.get(ROOT, "/v1/admin/verify").json().get("ok").asBoolean()).isTrue();
    }
  }

  private static int backup(ServerFixture fixture, String body) {
    return fixture.ask("POST", "/v1/admin/backup", Optional.of(ROOT), Optional.of(body)).status();
  }

  @Test
  void tokensOfIssuersAreAcceptedWithinTheirScope() throws Exception {
    ECKey key = new ECKeyGenerator(Curve.P_256).keyID("one").generate();
    Path keys = parent.resolve("jwks.json");
    Files.writeString(keys, new JWKSet(key.toPublicJWK()).toString());
    try (ServerFixture fixture = new ServerFixture(data(), issuer(keys.toString()))) {
      assertThat(fixture.get(jwt(key, "veridex"), "/v1/audit?scope=tenant:acme").code())
          .as("known, but no administrator")
          .isEqualTo("FORBIDDEN");
      assertThat(fixture.get(jwt(key, "veridex"), "/v1/audit?scope=tenant:other").code())
          .isEqualTo("SCOPE_DENIED");
      assertThat(fixture.get(jwt(key, "others"), "/v1/audit?scope=tenant:acme").status())
          .isEqualTo(401);
      ECKey foreign = new ECKeyGenerator(Curve.P_256).keyID("one").generate();
      assertThat(fixture.get(jwt(foreign, "veridex"), "/v1/audit?scope=tenant:acme").status())
          .isEqualTo(401);
      assertThat(
              fixture
                  .get(ROOT, "/v1/audit?scope=tenant:acme")
                  .json()
                  .get("items")
                  .get(0)
                  .get("subject")
                  .asString())
          .isEqualTo("alice");
    }
  }

  @Test
  void keysOfIssuersMayComeFromAnAddressAndChange() throws Exception {
    ECKey first = new ECKeyGenerator(Curve.P_256).keyID("one").generate();
    ECKey second = new ECKeyGenerator(Curve.P_256).keyID("two").generate();
    AtomicReference<String> served = new AtomicReference<>("null");
    HttpServer keys =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    keys.createContext(
        "/jwks",
        exchange -> {
          byte[] body = served.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    keys.start();
    String address = "http://127.0.0.1:" + keys.getAddress().getPort() + "/jwks";
    try (ServerFixture fixture = new ServerFixture(data(), issuer(address))) {
      assertThat(fixture.get(jwt(first, "veridex"), "/v1/audit?scope=tenant:acme").status())
          .as("no keys yet")
          .isEqualTo(401);
      served.set(new JWKSet(first.toPublicJWK()).toString());
      fixture.server.issuers().runOnce();
      assertThat(fixture.get(jwt(first, "veridex"), "/v1/audit?scope=tenant:acme").status())
          .isEqualTo(403);
      served.set(new JWKSet(second.toPublicJWK()).toString());
      fixture.server.issuers().runOnce();
      assertThat(fixture.get(jwt(first, "veridex"), "/v1/audit?scope=tenant:acme").status())
          .isEqualTo(401);
      assertThat(fixture.get(jwt(second, "veridex"), "/v1/audit?scope=tenant:acme").status())
          .isEqualTo(403);
      served.set("{\"keys\":[null]}");
      fixture.server.issuers().runOnce();
      assertThat(fixture.get(jwt(second, "veridex"), "/v1/audit?scope=tenant:acme").status())
          .as("what was known stays")
          .isEqualTo(403);
    } finally {
      keys.stop(0);
    }
  }

  private static String issuer(String keys) {
    return "tokens.issuers=[{issuer: 'https://login', audience: veridex, algorithms: [ES256],"
        + " keys: '%s', scope: 'tenant:acme'}]".formatted(keys);
  }

  private static String jwt(ECKey key, String audience) throws JOSEException {
    SignedJWT jwt =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build(),
            new JWTClaimsSet.Builder()
                .issuer("https://login")
                .audience(audience)
                .subject("alice")
                .expirationTime(
                    Date.from(InstantSource.system().instant().plus(Duration.ofHours(1))))
                .build());
    jwt.sign(new ECDSASigner(key));
    return jwt.serialize();
  }

  @Test
  void metricsAreForAdministratorsUnlessOpened() {
    try (ServerFixture fixture = new ServerFixture(data())) {
      assertThat(fixture.ask("GET", "/metrics", Optional.empty(), Optional.empty()).status())
          .isEqualTo(401);
      assertThat(fixture.get(ROOT, "/metrics").text())
          .contains("veridex_store_commits_total", "veridex_http_in_flight")
          .doesNotContain("acme");
    }
    try (ServerFixture fixture = new ServerFixture(data(), "http.openMetrics=true")) {
      assertThat(fixture.ask("GET", "/metrics", Optional.empty(), Optional.empty()).status())
          .isEqualTo(200);
    }
  }
}
