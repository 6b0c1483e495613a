package dev.veridex.http.routes.grants;

import static dev.veridex.ServerFixture.ROOT;
import static dev.veridex.http.routes.grants.GrantsFixture.key;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Scope;
import dev.veridex.grants.GrantKey;
import dev.veridex.grants.GrantRequest;
import dev.veridex.grants.RelationType;
import dev.veridex.identity.Token.Flag;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Approvals and relationships over HTTP, on a clock that the test owns.
final class GrantsTest {
  private static final String ACME = "tenant:acme";

  @TempDir private Path data;
  private GrantsFixture world;
  private Instant begin;

  @BeforeEach
  void start() {
    world = new GrantsFixture(data);
    begin = world.server.clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private void at(Instant time) {
    world.server.clock.set(time);
  }

  @Test
  void anApprovalIsThereToTheMicrosecond() {
    Reply granted = world.approve(ROOT, ACME, "alice", "plan", "read", ",'ttlSeconds':3600");
    assertThat(granted.status()).as(granted.text()).isEqualTo(201);
    assertThat(granted.json().get("grantedAt").asString()).isEqualTo(begin.toString());
    Instant end = begin.plusSeconds(3600);
    assertThat(granted.json().get("expiresAt").asString()).isEqualTo(end.toString());
    String of = "'scope':'tenant:acme','identity':'alice'";

    at(end.minus(1, ChronoUnit.MICROS));
    assertThat(world.has(ACME, "alice", "plan")).isTrue();
    assertThat(world.listed("approvals", "resource", of)).containsExactly("plan");
    assertThat(world.count("approvals", of)).isOne();
    assertThat(read("plan").json().has("expired")).isFalse();

    for (Instant time : List.of(end, end.plus(1, ChronoUnit.MICROS))) {
      at(time);
      assertThat(world.has(ACME, "alice", "plan")).isFalse();
      assertThat(world.listed("approvals", "resource", of)).isEmpty();
      assertThat(world.count("approvals", of)).isZero();
      assertThat(read("plan").json().get("expired").asBoolean()).isTrue();
      assertThat(world.listed("approvals", "resource", of + ",'includeExpired':true"))
          .containsExactly("plan");
    }
    // The machine's clock is set back: the store's is not.
    at(end.minusSeconds(1000));
    assertThat(world.has(ACME, "alice", "plan")).isFalse();

    at(end.plus(Duration.ofHours(1)));
    assertThat(read("plan").status()).as("forgotten after its grace").isEqualTo(404);
    assertThat(world.count("approvals", of + ",'includeExpired':true")).isZero();
  }

  private Reply read(String resource) {
    return world.server.get(ROOT, "/v1/approvals" + key(ACME, "alice", resource, "read"));
  }

  private Reply extend(String secret, String more) {
    return world.ask(
        secret,
        "POST",
        "/v1/approvals/extend",
        "{'scope':'tenant:acme','identity':'alice','resource':'plan','action':'read'%s}"
            .formatted(more));
  }

  @Test
  void anExtensionRacesTheEnd() {
    world.approved(ACME, "alice", "plan", ",'ttlSeconds':3600");
    at(begin.plusSeconds(3600).minus(1, ChronoUnit.MICROS));
    Reply extended = extend(ROOT, ",'ttlSeconds':60");
    assertThat(extended.status()).as(extended.text()).isEqualTo(200);
    Instant end = begin.plusSeconds(3660).minus(1, ChronoUnit.MICROS);
    assertThat(extended.json().get("expiresAt").asString()).isEqualTo(end.toString());
    assertThat(extended.json().get("grantedAt").asString()).isEqualTo(begin.toString());
    at(end);
    assertThat(extend(ROOT, ",'ttlSeconds':60").status()).isEqualTo(404);
    assertThat(world.approve(ROOT, ACME, "alice", "plan", "read", "").status())
        .as("a new one")
        .isEqualTo(201);
  }

  @Test
  void anExtensionMayAskThatNothingWasChangedSince() {
    Reply granted = world.approve(ROOT, ACME, "alice", "plan", "read", ",'ttlSeconds':3600");
    String revision = granted.json().get("revision").asString();
    assertThat(read("plan").json().get("revision").asString()).isNotBlank();
    assertThat(extend(ROOT, ",'ttlSeconds':600,'revision':'" + revision + "'").status())
        .isEqualTo(200);
    Reply late = extend(ROOT, ",'ttlSeconds':600,'revision':'" + revision + "'");
    assertThat(late.code()).isEqualTo("PRECONDITION_FAILED");
    String seen = read("plan").json().get("revision").asString();
    assertThat(extend(ROOT, ",'ttlSeconds':600,'revision':'" + seen + "'").status()).isEqualTo(200);
    assertThat(extend(ROOT, ",'ttlSeconds':600,'revision':'none'").json().get("pointer").asString())
        .isEqualTo("/revision");
  }

  @Test
  void nobodyGrantsOrExtendsForThemselvesAndThatIsOnRecord() {
    String alice = world.token(ACME, "alice", Flag.GRANTOR, Flag.ADMIN);
    String gina = world.token(ACME, "gina", Flag.GRANTOR);
    assertThat(world.approve(alice, ACME, "alice", "plan", "read", "").status()).isEqualTo(403);
    assertThat(world.approve(gina, ACME, "alice", "plan", "read", ",'ttlSeconds':60").status())
        .isEqualTo(201);
    assertThat(extend(alice, ",'ttlSeconds':600").status()).isEqualTo(403);
    assertThat(extend(gina, ",'ttlSeconds':600").status()).isEqualTo(200);
    List<String> refused = new ArrayList<>();
    world
        .server
        .get(ROOT, "/v1/audit?scope=tenant:acme")
        .json()
        .get("items")
        .forEach(
            each -> {
              if (each.get("outcome").asString().equals("refused")) {
                refused.add(each.get("operation").asString());
              }
            });
    assertThat(refused).contains("approval.grant", "approval.extend");
  }

  @Test
  void theAuditLogIsFilteredByTimeActorOperationAndOutcome() {
    String gina = world.token(ACME, "gina", Flag.GRANTOR);
    String bob = world.token(ACME, "bob");
    world.approve(gina, ACME, "alice", "one", "read", "");
    at(begin.plusSeconds(10));
    world.approve(gina, ACME, "alice", "two", "read", "");
    world.approve(bob, ACME, "alice", "three", "read", "");
    at(begin.plusSeconds(20));
    world.ask(gina, "DELETE", "/v1/approvals" + key(ACME, "alice", "two", "read"), "");
    assertThat(audited("&actor=gina")).containsExactly("one", "two", "two");
    assertThat(audited("&actor=gina&operation=approval.revoke")).containsExactly("two");
    assertThat(audited("&operation=approval.grant&outcome=done")).containsExactly("one", "two");
    assertThat(audited("&operation=approval.grant&since=" + begin.plusSeconds(10)))
        .containsExactlyInAnyOrder("two", "three");
    assertThat(audited("&actor=bob&outcome=refused")).containsExactly("three");
    assertThat(audited("&actor=gina&until=" + begin.plusSeconds(10))).containsExactly("one");
    assertThat(audited("&actor=gina&limit=1")).containsExactly("one");
    assertThat(world.server.get(ROOT, "/v1/audit?scope=tenant:acme&outcome=maybe").status())
        .isEqualTo(400);
  }

  /// The resources of entries.
  private List<String> audited(String query) {
    return world
        .server
        .get(ROOT, "/v1/audit?scope=tenant:acme" + query)
        .json()
        .get("items")
        .valueStream()
        .map(entry -> entry.at("/key/1").asString(""))
        .toList();
  }

  @Test
  void grantorsKeepToTheirOwnAndToTheLargestLife() {
    String gina = world.token(ACME, "gina", Flag.GRANTOR);
    String hugo = world.token(ACME, "hugo", Flag.GRANTOR);
    String user = world.token(ACME, "user");
    assertThat(world.approve(user, ACME, "alice", "plan", "read", "").code())
        .isEqualTo("FORBIDDEN");
    assertThat(
            world.ask(ROOT, "PUT", "/v1/scopes/tenant:acme/ttl", "{'preset':'temporary'}").status())
        .isEqualTo(201);
    Reply given = world.approve(gina, ACME, "alice", "plan", "read", "");
    assertThat(given.json().get("expiresAt").asString())
        .as("the default of the policy")
        .isEqualTo(begin.plusSeconds(3600).toString());
    assertThat(given.json().get("grantedBy").asString()).isEqualTo("gina");
    assertThat(world.approve(hugo, ACME, "alice", "plan", "read", ",'ttlSeconds':7200").code())
        .as("longer is an extension, and that is for its grantor")
        .isEqualTo("FORBIDDEN");
    Reply shorter = world.approve(hugo, ACME, "alice", "plan", "read", ",'ttlSeconds':600");
    assertThat(shorter.status()).as("an ordinary change").isEqualTo(200);
    assertThat(shorter.json().get("grantedBy").asString())
        .as("which takes nothing over")
        .isEqualTo("gina");
    at(begin.plusSeconds(500));
    assertThat(extend(hugo, ",'ttlSeconds':60").code()).isEqualTo("FORBIDDEN");
    Reply most = extend(gina, ",'ttlSeconds':86400");
    assertThat(most.code()).as("500 s more than a day in all").isEqualTo("INVALID_TTL");
    assertThat(extend(gina, ",'ttlSeconds':%d".formatted(86400 - 500)).status()).isEqualTo(200);
    assertThat(extend(ROOT, "").json().get("expiresAt")).as("the default").isNotNull();
    assertThat(extend(ROOT, ",'ttlSeconds':86400").status())
        .as("an administrator may")
        .isEqualTo(200);
    // Taking it back and giving it again is no way around that.
    String own = "/v1/approvals" + key(ACME, "alice", "plan", "read");
    assertThat(world.ask(hugo, "DELETE", own, "").status()).as("it is gina's").isEqualTo(403);
    assertThat(world.ask(gina, "DELETE", own, "").status()).isEqualTo(200);
    assertThat(world.ask(gina, "DELETE", own, "").status()).as("idempotent").isEqualTo(200);
    at(begin.plusSeconds(80_000));
    Reply again = world.approve(gina, ACME, "alice", "plan", "read", ",'ttlSeconds':6400");
    assertThat(again.json().get("grantedAt").asString()).isEqualTo(begin.toString());
    assertThat(world.approve(gina, ACME, "alice", "plan", "read", ",'ttlSeconds':6401").code())
        .isEqualTo("INVALID_TTL");
    at(begin.plusSeconds(86_400));
    Reply anew = world.approve(gina, ACME, "alice", "plan", "read", ",'ttlSeconds':86400");
    assertThat(anew.json().get("grantedAt").asString())
        .as("a day after it began, it begins anew")
        .isEqualTo(begin.plusSeconds(86_400).toString());
  }

  private Reply withKey(String idempotency, String body) {
    return world.server.send(
        "PUT",
        "/v1/approvals",
        Optional.of(ROOT),
        List.of("Idempotency-Key", idempotency, "Content-Type", "application/json"),
        body.replace('\'', '"').getBytes(UTF_8));
  }

  @Test
  void aRetryReturnsTheFirstResult() {
    String body =
        "{'scope':'tenant:acme','identity':'alice','resource':'plan','action':'read','ttlSeconds':600}";
    Reply first = withKey("k1", body);
    assertThat(first.status()).isEqualTo(201);
    at(begin.plusSeconds(100));
    Reply retried = withKey("k1", body);
    assertThat(retried.status()).isEqualTo(201);
    assertThat(retried.json().get("expiresAt")).isEqualTo(first.json().get("expiresAt"));
    assertThat(withKey("k1", body.replace("600", "601")).status()).isEqualTo(409);
    assertThat(withKey("k1", body.replace("tenant:acme", "tenant:other")).code())
        .isEqualTo("IDEMPOTENCY_CONFLICT");
    assertThat(withKey("k2", body).json().get("expiresAt"))
        .isNotEqualTo(first.json().get("expiresAt"));
    at(begin.plus(Duration.ofHours(24)));
    assertThat(withKey("k1", body).json().get("grantedAt").asString())
        .as("after a day it is a new request")
        .isEqualTo(begin.plus(Duration.ofHours(24)).toString());
    assertThat(withKey("", body).status()).isEqualTo(400);
    assertThat(withKey("x".repeat(256), body).code()).isEqualTo("BAD_REQUEST");
  }

  @Test
  void listsAreByIdentityResourceOrPrefixAndPaged() {
    for (int i = 0; i < 5; i++) {
      world.approved(ACME, "alice", "doc/" + i, "");
      world.approved(ACME, "bob" + i, "doc/0", "");
    }
    world.approved("tenant:acme:env:dev", "alice", "dev-only", "");
    world.approved("tenant:acme-corp", "alice", "neighbour", "");
    world.approved("custom:a:b:c", "alice", "deep", "");
    world.approved("custom:a", "alice", "top", "");
    world.approved("custom:a:x", "alice", "x", "");
    String alice = "'scope':'tenant:acme','identity':'alice'";
    assertThat(world.listed("approvals", "resource", alice))
        .containsExactly("doc/0", "doc/1", "doc/2", "doc/3", "doc/4");
    assertThat(world.listed("approvals", "identity", "'scope':'tenant:acme','resource':'doc/0'"))
        .containsExactly("alice", "bob0", "bob1", "bob2", "bob3", "bob4");
    assertThat(world.listed("approvals", "resource", alice + ",'resourcePrefix':'doc/'"))
        .hasSize(5);
    assertThat(world.count("approvals", "'scope':'tenant:acme','resourcePrefix':'doc/'"))
        .isEqualTo(10);
    assertThat(world.listed("approvals", "resource", alice + ",'environments':'all'"))
        .containsExactly("doc/0", "doc/1", "doc/2", "doc/3", "doc/4", "dev-only");
    assertThat(world.listed("approvals", "resource", "'scope':'custom:a','descendants':'all'"))
        .containsExactlyInAnyOrder("top", "x", "deep");
    assertThat(world.listed("approvals", "resource", "'scope':'custom:a:b','descendants':'all'"))
        .containsExactly("deep");
    List<String> paged = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = world.query("approvals", alice + ",'limit':2" + cursor).json();
      page.get("items").forEach(each -> paged.add(each.get("resource").asString()));
      cursor =
          page.get("cursor").isNull() ? "" : ",'cursor':'" + page.get("cursor").asString() + "'";
    } while (!cursor.isEmpty());
    assertThat(paged).hasSize(5).doesNotHaveDuplicates();
    Reply foreign =
        world.ask(
            ROOT,
            "POST",
            "/v1/approvals/query",
            "{'scope':'tenant:acme','cursor':'"
                + world.query("approvals", alice + ",'limit':2").json().get("cursor").asString()
                + "'}");
    assertThat(foreign.code()).as("of another list").isEqualTo("BAD_REQUEST");
    Reply batch =
        world.ask(
            ROOT,
            "POST",
            "/v1/approvals/check",
            "{'scope':'tenant:acme','checks':[{'identity':'alice','resource':'doc/1','action':'read'},{'identity':'alice','resource':'doc/1','action':'write'},{'identity':'bob1','resource':'doc/0','action':'read'}]}");
    assertThat(
            batch.json().get("results").valueStream().map(each -> each.get("granted").asBoolean()))
        .containsExactly(true, false, true);
  }

  @Test
  void relationshipsAreListedBothWaysAndTheirTypeIsOnRecord() {
    world.related(ACME, "alice", "editor", "document-1", "role");
    world.related(ACME, "bob", "editor", "document-1", "role");
    world.related(ACME, "alice", "editor", "document-1", "ownership");
    assertThat(world.listed("relationships", "type", "'scope':'tenant:acme','subject':'alice'"))
        .containsExactly("ownership");
    assertThat(
            world.listed("relationships", "subject", "'scope':'tenant:acme','object':'document-1'"))
        .containsExactly("alice", "bob");
    assertThat(world.server.get(ROOT, "/v1/audit?scope=tenant:acme").text())
        .contains("type role became ownership");
    assertThat(
            world
                .server
                .get(
                    ROOT,
                    "/v1/relationships/check?scope=tenant:acme&subject=bob&relation=editor&object=document-1")
                .json()
                .get("granted")
                .asBoolean())
        .isTrue();
    String gina = world.token(ACME, "gina", Flag.GRANTOR);
    assertThat(
            world
                .ask(
                    gina,
                    "PUT",
                    "/v1/relationships",
                    "{'scope':'tenant:acme','subject':'x','relation':'y','object':'z'}")
                .status())
        .as("a relationship takes an administrator")
        .isEqualTo(403);
    assertThat(
            world
                .ask(
                    ROOT,
                    "DELETE",
                    "/v1/relationships?scope=tenant:acme&subject=alice&relation=editor&object=document-1",
                    "")
                .status())
        .isEqualTo(200);
    assertThat(world.count("relationships", "'scope':'tenant:acme'")).isOne();
    assertThat(
            world
                .ask(
                    ROOT,
                    "POST",
                    "/v1/relationships/extend",
                    "{'scope':'tenant:acme','subject':'bob','relation':'editor','object':'document-1','ttlSeconds':600}")
                .status())
        .isEqualTo(200);
  }

  @Test
  void pathsAreShortestAndKnowTheirDepth() {
    for (int i = 0; i < 12; i++) {
      world.related(ACME, "n" + i, "in", "n" + (i + 1), "trust");
    }
    world.related(ACME, "n3", "in", "end", "role");
    world.related(ACME, "end", "in", "beyond", "trust");
    world.related(ACME, "n5", "in", "n0", "membership");
    world.related("tenant:acme-corp", "n0", "in", "n10", "trust");
    assertThat(world.path("&subject=n0&relation=in&object=n10").json().get("length").asInt())
        .as("exactly the greatest depth")
        .isEqualTo(10);
    JsonNode deeper = world.path("&subject=n0&relation=in&object=n11").json();
    assertThat(deeper.get("found").asBoolean()).isFalse();
    assertThat(deeper.get("code").asString()).isEqualTo("MAX_DEPTH_EXCEEDED");
    assertThat(
            world
                .path("&subject=n0&relation=in&object=n11&maxDepth=11")
                .json()
                .get("found")
                .asBoolean())
        .isTrue();
    assertThat(world.path("&subject=n0&relation=in&object=end").json().get("length").asInt())
        .as("the last step may be of any type")
        .isEqualTo(4);
    JsonNode through = world.path("&subject=n0&relation=in&object=beyond&maxDepth=20").json();
    assertThat(through.get("found").asBoolean()).as("a role is not passed through").isFalse();
    assertThat(through.has("code")).isFalse();
    assertThat(world.path("&subject=n0&relation=in&object=n0").json().get("length").asInt())
        .as("a real cycle")
        .isEqualTo(6);
    assertThat(world.path("&subject=end&relation=in&object=end").json().get("found").asBoolean())
        .isFalse();
    assertThat(world.path("&subject=n0&relation=other&object=n1").json().get("found").asBoolean())
        .isFalse();
    assertThat(
            world
                .server
                .get(ROOT, "/v1/relationships/path?scope=tenant:acme&subject=a&relation=b")
                .status())
        .isEqualTo(400);
  }

  @Test
  void unscopedCallsAreAboutGlobalAndWarned() {
    Reply unscoped =
        world.ask(
            ROOT, "PUT", "/v1/approvals", "{'identity':'alice','resource':'r','action':'read'}");
    assertThat(unscoped.status()).isEqualTo(201);
    assertThat(unscoped.response().headers().firstValue("Veridex-Warning")).isPresent();
    assertThat(unscoped.json().get("scope").asString()).isEqualTo("global");
    String acme = world.token(ACME, "ada", Flag.ADMIN);
    assertThat(
            world
                .ask(
                    acme,
                    "PUT",
                    "/v1/approvals",
                    "{'identity':'alice','resource':'r','action':'read'}")
                .code())
        .isEqualTo("SCOPE_DENIED");
    assertThat(world.server.get(ROOT, "/metrics").text()).contains("veridex_unscoped");
    world.close();
    world = new GrantsFixture(data.resolve("strict"), "unscoped=strict");
    assertThat(
            world
                .ask(
                    ROOT,
                    "PUT",
                    "/v1/approvals",
                    "{'identity':'alice','resource':'r','action':'read'}")
                .code())
        .isEqualTo("SCOPE_REQUIRED");
    String global = world.token("global", "gina", Flag.GRANTOR);
    assertThat(world.approve(global, "global", "alice", "r", "read", "").status())
        .as("writes to Global are for Global administrators")
        .isEqualTo(403);
    assertThat(world.approve(ROOT, "global", "alice", "r", "read", "").status()).isEqualTo(201);
  }

  @Test
  void aTokenOfACustomScopeSeesWhatLiesBelowOnlyIfItSaysSo() {
    world.approved("custom:a:b", "alice", "deep", "");
    String above = world.token("custom:a", "ada", Flag.ADMIN);
    for (String more : List.of("", ",'count':true", ",'identity':'ada'")) {
      assertThat(
              world
                  .ask(
                      above,
                      "POST",
                      "/v1/approvals/query",
                      "{'scope':'custom:a','descendants':'all'%s}".formatted(more))
                  .code())
          .as(more)
          .isEqualTo("SCOPE_DENIED");
    }
    assertThat(world.ask(above, "DELETE", "/v1/scopes/custom:a?descendants=all", "").code())
        .isEqualTo("SCOPE_DENIED");
    assertThat(world.listed("approvals", "resource", "'scope':'custom:a','descendants':'all'"))
        .containsExactly("deep");
    assertThat(
            world
                .ask(
                    ROOT,
                    "POST",
                    "/v1/approvals/query",
                    "{'scope':'custom:a','environments':'all'}")
                .json()
                .get("pointer")
                .asString())
        .isEqualTo("/environments");
  }

  @Test
  void extendingSaysUntilWhen() {
    world.approved(ACME, "alice", "plan", ",'ttlSeconds':600");
    Reply endless = extend(ROOT, "");
    assertThat(endless.status()).as(endless.text()).isEqualTo(400);
    assertThat(endless.json().get("pointer").asString()).isEqualTo("/ttlSeconds");
    Reply batch =
        world.ask(
            ROOT,
            "POST",
            "/v1/approvals/check",
            "{'scope':'tenant:acme','checks':[{'identity':'a','resource':'r','action':'x'},{'identity':'','resource':'r','action':'x'}]}");
    assertThat(batch.json().get("pointer").asString()).isEqualTo("/checks/1/identity");
  }

  /// Many grants with much metadata are told page by page, as much at once as fits.
  @Test
  void largeMetadataMakesPagesShorter() {
    String much = ",'metadata':{'a':'" + "x".repeat(1 << 19) + "'}";
    for (int i = 0; i < 20; i++) {
      world.approved(ACME, "alice", "r" + i, much);
    }
    JsonNode first = world.query("approvals", "'scope':'tenant:acme','limit':1000").json();
    assertThat(first.get("items").size()).isBetween(5, 15);
    assertThat(first.get("cursor").isNull()).isFalse();
    assertThat(world.count("approvals", "'scope':'tenant:acme'")).isEqualTo(20);
    assertThat(
            world.ask(ROOT, "DELETE", "/v1/scopes/tenant:acme", "").json().get("deleted").asLong())
        .isEqualTo(20);
  }

  @Test
  void aNodeWithManyRelationshipsIsPassedThrough() {
    for (int i = 0; i < 10_000; i++) {
      boolean _ =
          world
              .server
              .server
              .domain()
              .grants()
              .writer()
              .give(
                  world.server.server.tokens().authenticate(ROOT).orElseThrow(),
                  new GrantRequest(
                      Scope.parse(ACME),
                      false,
                      GrantKey.relationship("hub", "in", "spoke-" + i),
                      Optional.of(new RelationType("trust")),
                      GrantRequest.WantedLife.USUAL,
                      Map.of(),
                      Optional.empty()))
              .created();
    }
    world.related(ACME, "spoke-9999", "in", "end", "role");
    assertThat(world.path("&subject=hub&relation=in&object=end").json().get("length").asInt())
        .isEqualTo(2);
    assertThat(world.path("&subject=hub&relation=in&object=none").json().get("found").asBoolean())
        .isFalse();
  }

  /// A member that is wrong, and what has to be told of it.
  private void refused(String body, String code, String pointer) {
    Reply reply = world.ask(ROOT, "PUT", "/v1/approvals", body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.code()).as(reply.text()).isEqualTo(code);
    assertThat(reply.json().path("pointer").asString("")).as(reply.text()).isEqualTo(pointer);
  }

  @Test
  void eachFieldHasItsOwnError() {
    String good = "'scope':'tenant:acme','identity':'a','resource':'r','action':'read'";
    refused(
        "{" + good.replace("'identity':'a'", "'identity':''") + "}", "BAD_REQUEST", "/identity");
    refused(
        "{" + good.replace("'r'", "'" + "r".repeat(1025) + "'") + "}", "BAD_REQUEST", "/resource");
    refused(
        "{" + good.replace("'read'", "'" + "r".repeat(257) + "'") + "}", "BAD_REQUEST", "/action");
    refused("{'scope':'tenant:acme','resource':'r','action':'read'}", "BAD_REQUEST", "/identity");
    refused("{" + good.replace("tenant:acme", "tennant:acme") + "}", "INVALID_SCOPE", "/scope");
    refused("{" + good + ",'metadata':{'a':1}}", "BAD_REQUEST", "/metadata/a");
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 65; i++) {
      many.append(i == 0 ? "" : ",").append("'k%d':'v'".formatted(i));
    }
    refused("{" + good + ",'metadata':{" + many + "}}", "BAD_REQUEST", "/metadata");
    refused(
        "{" + good + ",'metadata':{'a':'" + "x".repeat(1 << 20) + "'}}",
        "BAD_REQUEST",
        "/metadata");
    refused("{" + good + ",'more':1}", "BAD_REQUEST", "/more");
    refused("{" + good + ",'expiresAt':'tomorrow'}", "BAD_REQUEST", "/expiresAt");
    for (String ttl : List.of("59", "31536001", "0", "-5", "9000000000")) {
      Reply reply =
          world.ask(ROOT, "PUT", "/v1/approvals", "{" + good + ",'ttlSeconds':" + ttl + "}");
      assertThat(reply.code()).as(ttl + reply.text()).isEqualTo("INVALID_TTL");
      assertThat(reply.json().get("pointer").asString()).isEqualTo("/ttlSeconds");
      assertThat(reply.json().has("min") && reply.json().has("max") && reply.json().has("given"))
          .isTrue();
    }
    refused(
        "{" + good + ",'ttlSeconds':60,'expiresAt':'" + begin.plusSeconds(100) + "'}",
        "INVALID_TTL",
        "/expiresAt");
    assertThat(
            world
                .ask(
                    ROOT,
                    "PUT",
                    "/v1/approvals",
                    "{" + good + ",'ttlSeconds':60,'expiresAt':'" + begin.plusMillis(60_900) + "'}")
                .status())
        .as("they agree")
        .isEqualTo(201);
    Reply type =
        world.ask(
            ROOT,
            "PUT",
            "/v1/relationships",
            "{'scope':'tenant:acme','subject':'a','relation':'b','object':'c','type':'friend'}");
    assertThat(type.json().get("pointer").asString()).isEqualTo("/type");
    Reply differ = world.ask(ROOT, "PUT", "/v1/approvals?scope=tenant:other", "{" + good + "}");
    assertThat(differ.json().get("pointer").asString()).isEqualTo("/scope");
  }

  @Test
  void oneWithoutTheRightSeesOnlyOnesOwn() {
    world.approved(ACME, "alice", "plan", "");
    world.approved(ACME, "bob", "plan", "");
    String alice = world.token(ACME, "alice");
    assertThat(
            world
                .server
                .get(alice, "/v1/approvals/check" + key(ACME, "alice", "plan", "read"))
                .status())
        .isEqualTo(200);
    assertThat(
            world
                .server
                .get(alice, "/v1/approvals/check" + key(ACME, "bob", "plan", "read"))
                .status())
        .isEqualTo(403);
    assertThat(
            world
                .ask(
                    alice,
                    "POST",
                    "/v1/approvals/query",
                    "{'scope':'tenant:acme','identity':'alice'}")
                .status())
        .isEqualTo(200);
    assertThat(world.ask(alice, "POST", "/v1/approvals/query", "{'scope':'tenant:acme'}").status())
        .isEqualTo(403);
    String service = world.server.service(ACME, "portal", Flag.IMPERSONATE);
    assertThat(
            world
                .server
                .get(service, "/v1/approvals/check" + key(ACME, "bob", "plan", "read"))
                .status())
        .isEqualTo(200);
  }

  @Test
  void policiesOfBoundsThatOnlyWarnStillEndWhatTheyEnd() {
    world.ask(ROOT, "PUT", "/v1/scopes/tenant:acme/ttl", "{'min':60,'max':600,'enforce':false}");
    Reply given = world.approve(ROOT, ACME, "alice", "plan", "read", ",'ttlSeconds':10");
    assertThat(given.status()).isEqualTo(201);
    assertThat(given.response().headers().firstValue("Veridex-Warning")).isPresent();
    assertThat(world.approve(ROOT, ACME, "alice", "x", "read", ",'ttlSeconds':0").code())
        .isEqualTo("INVALID_TTL");
    at(begin.plusSeconds(10));
    assertThat(world.has(ACME, "alice", "plan")).isFalse();
  }
}
