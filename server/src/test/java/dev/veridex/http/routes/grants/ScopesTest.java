package dev.veridex.http.routes.grants;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Waiting;
import dev.veridex.identity.Token.Flag;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Scopes as a whole over HTTP: deletion, migration, TTL policies; and the jobs that do it.
final class ScopesTest {
  private static final String ACCOUNT = "/v1/accounts/acme";

  @TempDir private Path data;
  private GrantsFixture world;

  @BeforeEach
  void start() {
    world = new GrantsFixture(data);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private long all(String scope) {
    return world.count("approvals", "'scope':'" + scope + "'")
        + world.count("relationships", "'scope':'" + scope + "'");
  }

  @Test
  void deletingAScopeTouchesNoOther() {
    List<String> scopes =
        List.of(
            "tenant:acme",
            "tenant:acme-corp",
            "tenant:acme%3Ax",
            "tenant:acme:env:dev",
            "tenant:acme:env:prod",
            "env:acme",
            "custom:acme",
            "custom:acme:x",
            "global");
    for (String scope : scopes) {
      world.approved(scope, "alice", "r", "");
      world.approved(scope, "alice", "short", ",'ttlSeconds':60");
      world.related(scope, "alice", "in", "g", "membership");
    }
    Reply deleted = world.ask(ROOT, "DELETE", "/v1/scopes/tenant:acme", "");
    assertThat(deleted.status()).as(deleted.text()).isEqualTo(200);
    assertThat(deleted.json().get("state").asString()).isEqualTo("done");
    assertThat(deleted.json().get("deleted").asLong()).isEqualTo(3);
    assertThat(deleted.json().get("approvals").asLong()).isEqualTo(2);
    for (String scope : scopes) {
      assertThat(all(scope)).as(scope).isEqualTo(scope.equals("tenant:acme") ? 0 : 3);
    }
    assertThat(
            world.ask(ROOT, "DELETE", "/v1/scopes/tenant:acme", "").json().get("deleted").asLong())
        .as("again")
        .isZero();
    assertThat(
            world
                .ask(ROOT, "DELETE", "/v1/scopes/tenant:acme?environments=all", "")
                .json()
                .get("deleted")
                .asLong())
        .isEqualTo(6);
    assertThat(
            world
                .ask(ROOT, "DELETE", "/v1/scopes/custom:acme?descendants=all", "")
                .json()
                .get("deleted")
                .asLong())
        .isEqualTo(6);
    assertThat(all("tenant:acme-corp")).isEqualTo(3);
    assertThat(all("tenant:acme%3Ax")).isEqualTo(3);
    assertThat(world.ask(ROOT, "DELETE", "/v1/scopes/custom:a?environments=all", "").status())
        .isEqualTo(400);
    assertThat(world.ask(ROOT, "DELETE", "/v1/scopes/nonsense", "").code())
        .isEqualTo("INVALID_SCOPE");
    JsonNode audit = world.server.get(ROOT, "/v1/audit?scope=tenant:acme").json().get("items");
    assertThat(audit.toString()).contains("scope.delete.done").contains("\\\"deleted\\\":3");
    String user = world.token("tenant:acme", "user");
    assertThat(world.ask(user, "DELETE", "/v1/scopes/tenant:acme", "").status()).isEqualTo(403);
  }

  private static String unscoped(String who, String what, String more) {
    return "{'identity':'%s','resource':'%s','action':'read'%s}".formatted(who, what, more);
  }

  @Test
  void whatWasWrittenWithoutAScopeMoves() {
    for (String what : List.of("a", "b", "same", "other")) {
      assertThat(
              world
                  .ask(
                      ROOT,
                      "PUT",
                      "/v1/approvals",
                      unscoped("alice", what, ",'metadata':{'k':'v'}"))
                  .status())
          .isEqualTo(201);
    }
    world.ask(ROOT, "PUT", "/v1/approvals", unscoped("alice", "gone", ",'ttlSeconds':60"));
    world.approved("global", "alice", "meant to be global", "");
    world.server.clock.advance(Duration.ofSeconds(61));
    world.approved("tenant:acme", "alice", "other", ",'ttlSeconds':600");
    String granted =
        world
            .server
            .get(ROOT, "/v1/approvals" + GrantsFixture.key("global", "alice", "a", "read"))
            .json()
            .get("grantedAt")
            .asString();
    String ada = world.token("tenant:acme", "ada", Flag.ADMIN);
    assertThat(world.ask(ada, "POST", "/v1/scopes/tenant:acme/migrate", "").status())
        .as("only a Global administrator")
        .isEqualTo(403);
    JsonNode moved = world.ask(ROOT, "POST", "/v1/scopes/tenant:acme/migrate", "").json();
    assertThat(moved.get("migrated").asLong()).as(moved.toString()).isEqualTo(3);
    assertThat(moved.get("skippedExpired").asLong()).isOne();
    assertThat(moved.get("conflicts").asLong()).isOne();
    assertThat(moved.get("failed").asLong()).isZero();
    assertThat(moved.at("/conflicting/0/resource").asString()).isEqualTo("other");
    JsonNode there =
        world
            .server
            .get(ROOT, "/v1/approvals" + GrantsFixture.key("tenant:acme", "alice", "a", "read"))
            .json();
    assertThat(there.get("grantedAt").asString()).isEqualTo(granted);
    assertThat(there.at("/metadata/k").asString()).isEqualTo("v");
    assertThat(world.has("global", "alice", "a")).isFalse();
    assertThat(world.has("global", "alice", "meant to be global")).isTrue();
    JsonNode again = world.ask(ROOT, "POST", "/v1/scopes/tenant:acme/migrate", "").json();
    assertThat(again.get("migrated").asLong()).isZero();
    assertThat(world.ask(ROOT, "POST", "/v1/scopes/global/migrate", "").status()).isEqualTo(400);
  }

  @Test
  void theNearestPolicyCounts() {
    world.server.arrange();
    world.ask(ROOT, "DELETE", "/v1/scopes/tenant:acme:env:prod/ttl", "");
    policy("tenant:acme", "{'preset':'short-lived'}");
    JsonNode dev = world.server.get(ROOT, "/v1/scopes/tenant:acme:env:dev/ttl").json();
    assertThat(dev.get("max").asLong()).isEqualTo(604_800);
    assertThat(dev.get("source").asString()).as("of the account").isEqualTo("tenant:acme");
    policy("tenant:acme:env:dev", "{'preset':'temporary'}");
    assertThat(approval("tenant:acme:env:dev", 7 * 86_400)).isEqualTo("INVALID_TTL");
    assertThat(approval("tenant:acme:env:prod", 7 * 86_400)).isEmpty();
    world.ask(ROOT, "PUT", ACCOUNT + "/buckets/pages?env=dev", "{'type':'items/1'}");
    // Items and documents of a bucket without a policy have that of the scope.
    assertThat(item("?env=dev&ttl=604800").code()).isEqualTo("INVALID_TTL");
    assertThat(item("?env=prod&ttl=604800").status()).isEqualTo(201);
    assertThat(item("?env=prod&ttl=60").code()).isEqualTo("INVALID_TTL");
    Reply change =
        world.ask(
            ROOT,
            "PUT",
            ACCOUNT + "/buckets/pages?env=prod",
            "{'type':'items/1','ttl':{'min':30,'max':100}}");
    assertThat(change.status()).as(change.text()).isEqualTo(200);
    assertThat(item("?env=prod&ttl=60").status()).as("the bucket's own").isEqualTo(201);
    assertThat(world.ask(ROOT, "DELETE", "/v1/scopes/tenant:acme:env:dev/ttl", "").status())
        .isEqualTo(200);
    assertThat(approval("tenant:acme:env:dev", 7 * 86_400)).isEmpty();
    for (String bad :
        List.of(
            "{'min':100,'max':10}",
            "{'default':5}",
            "{'preset':'none'}",
            "{'preset':'temporary','min':5}")) {
      Reply refused = world.ask(ROOT, "PUT", "/v1/scopes/tenant:acme/ttl", bad);
      assertThat(refused.status()).as(bad + refused.text()).isEqualTo(400);
    }
    String user = world.token("tenant:acme", "user");
    assertThat(world.ask(user, "PUT", "/v1/scopes/tenant:acme/ttl", "{}").status()).isEqualTo(403);
  }

  private void policy(String scope, String body) {
    Reply put = world.ask(ROOT, "PUT", "/v1/scopes/" + scope + "/ttl", body);
    assertThat(put.status()).as(put.text()).isIn(200, 201);
  }

  private String approval(String scope, long ttl) {
    return world.approve(ROOT, scope, "x" + ttl, "r", "read", ",'ttlSeconds':" + ttl).code();
  }

  private Reply item(String query) {
    return world.ask(ROOT, "PUT", ACCOUNT + "/buckets/pages/items/k%s".formatted(query), "text");
  }

  @Test
  void aPromotionTakesThePolicyAlong() {
    world.server.arrange();
    policy("tenant:acme:env:dev", "{'preset':'temporary'}");
    world.ask(ROOT, "DELETE", "/v1/scopes/tenant:acme:env:prod/ttl", "");
    String promote = ACCOUNT + "/environments/dev/promote";
    JsonNode plan = world.ask(ROOT, "POST", promote, "{'to':'prod'}").json();
    assertThat(plan.at("/ttl/change").asString()).as(plan.toString()).isEqualTo("create");
    assertThat(plan.at("/ttl/after/max").asLong()).isEqualTo(86_400);
    String id = plan.get("plan").asString();
    policy("tenant:acme:env:prod", "{'preset':'long-lived'}");
    assertThat(world.ask(ROOT, "POST", promote, "{'to':'prod','plan':'" + id + "'}").code())
        .as("something has changed since")
        .isEqualTo("PRECONDITION_FAILED");
    plan = world.ask(ROOT, "POST", promote, "{'to':'prod'}").json();
    assertThat(plan.at("/ttl/change").asString()).isEqualTo("change");
    id = plan.get("plan").asString();
    Reply done = world.ask(ROOT, "POST", promote, "{'to':'prod','plan':'" + id + "'}");
    assertThat(done.status()).as(done.text()).isEqualTo(200);
    assertThat(
            world
                .server
                .get(ROOT, "/v1/scopes/tenant:acme:env:prod/ttl")
                .json()
                .get("max")
                .asLong())
        .isEqualTo(86_400);
    assertThat(world.ask(ROOT, "POST", promote, "{'to':'prod','buckets':[]}").json().has("ttl"))
        .as("only what is named")
        .isFalse();
  }

  @Test
  void readingAnItemProlongsItsLifeIfThePolicySaysSo() {
    world.server.arrange();
    Reply bucket =
        world.ask(
            ROOT,
            "PUT",
            ACCOUNT + "/buckets/cache",
            "{'type':'items/1','ttl':{'default':1000,'max':2500,'refreshOnAccess':true}}");
    assertThat(bucket.status()).as(bucket.text()).isEqualTo(201);
    String item = ACCOUNT + "/buckets/cache/items/k";
    Instant begin = world.server.clock.instant();
    Reply put = world.ask(ROOT, "PUT", item, "text");
    assertThat(put.status()).isEqualTo(201);
    String etag = put.response().headers().firstValue("ETag").orElseThrow();
    assertThat(end(item, begin.plusSeconds(99))).isEqualTo(begin.plusSeconds(1000));
    world.server.clock.set(begin.plusSeconds(100));
    assertThat(
            world.ask(ROOT, "HEAD", item, "").response().headers().firstValue("Veridex-Expires-At"))
        .as("looking at its headers is no use of it")
        .contains(begin.plusSeconds(1000).toString());
    assertThat(end(item, begin.plusSeconds(100)))
        .as("a tenth of its life later")
        .isEqualTo(begin.plusSeconds(1100));
    assertThat(end(item, begin.plusSeconds(150)))
        .as("not so soon")
        .isEqualTo(begin.plusSeconds(1100));
    assertThat(end(item, begin.plusSeconds(1099))).isEqualTo(begin.plusSeconds(2099));
    assertThat(end(item, begin.plusSeconds(2098)))
        .as("up to the largest TTL after it was written")
        .isEqualTo(begin.plusSeconds(2500));
    Reply last = world.server.get(ROOT, item);
    assertThat(last.text()).isEqualTo("text");
    assertThat(last.response().headers().firstValue("ETag")).contains(etag);
    assertThat(world.server.get(ROOT, item + "/revisions").json().get("items"))
        .as("no revision of the item")
        .hasSize(1);
    world.server.clock.set(begin.plusSeconds(2500));
    assertThat(world.server.get(ROOT, item).status()).isEqualTo(404);
    assertThat(world.server.get(ROOT, ACCOUNT + "/usage").status()).isEqualTo(200);
    String plain = ACCOUNT + "/buckets/pages/items/p";
    Instant now = world.server.clock.instant();
    world.ask(ROOT, "PUT", plain + "?ttl=1000", "text");
    assertThat(end(plain, now.plusSeconds(900)))
        .as("off by default")
        .isEqualTo(now.plusSeconds(1000));
  }

  private Instant end(String item, Instant readAt) {
    world.server.clock.set(readAt);
    Reply read = world.server.get(ROOT, item);
    assertThat(read.status()).as(read.text()).isEqualTo(200);
    Instant end =
        Instant.parse(read.response().headers().firstValue("Veridex-Expires-At").orElseThrow());
    return end;
  }

  @Test
  void jobsAreListedReadPausedAndCancelled() {
    for (int i = 0; i < 1200; i++) {
      world.approved("tenant:acme", "alice", "r" + i, "");
    }
    JsonNode started = world.ask(ROOT, "DELETE", "/v1/scopes/tenant:acme?waitMs=0", "").json();
    String job = "/v1/jobs/" + started.get("job").asString();
    Waiting.until(
        "the job to end",
        () -> world.server.get(ROOT, job).json().get("state").asString().equals("done"));
    JsonNode done = world.server.get(ROOT, job).json();
    assertThat(done.get("done").asLong()).isEqualTo(1200);
    assertThat(done.get("total").asLong()).isEqualTo(1200);
    assertThat(done.get("kind").asString()).isEqualTo("scope.delete");
    assertThat(done.at("/result/deleted").asLong()).isEqualTo(1200);
    assertThat(
            world
                .server
                .get(ROOT, "/v1/jobs?scope=tenant:acme")
                .json()
                .at("/items/0/id")
                .asString())
        .isEqualTo(started.get("job").asString());
    assertThat(world.ask(ROOT, "PATCH", job, "{'state':'paused'}").json().get("state").asString())
        .as("it is over")
        .isEqualTo("done");
    String ada = world.token("tenant:other", "ada", Flag.ADMIN);
    assertThat(world.server.get(ada, job).status()).isEqualTo(404);
    String own = world.token("tenant:acme", "ada", Flag.ADMIN);
    assertThat(world.server.get(own, job).status()).isEqualTo(200);
    assertThat(world.server.get(own, "/v1/jobs?scope=tenant:other").status()).isEqualTo(403);
  }

  @Test
  void cleanUpsAndRebuildsAreJobsToo() {
    world.server.arrange();
    Reply rebuilt = world.ask(ROOT, "POST", ACCOUNT + "/access/rebuild", "");
    assertThat(rebuilt.json().get("state").asString()).as(rebuilt.text()).isEqualTo("done");
    assertThat(rebuilt.json().get("records").asLong()).isPositive();
    Reply sent = world.ask(ROOT, "POST", ACCOUNT + "/buckets/offers/rebuild", "");
    assertThat(sent.json().get("documents").asLong()).as(sent.text()).isOne();
    world.ask(ROOT, "DELETE", ACCOUNT + "/buckets/pages", "");
    Waiting.until(
        "the clean-up",
        () ->
            world
                .server
                .get(ROOT, "/v1/jobs?scope=tenant:acme")
                .json()
                .get("items")
                .valueStream()
                .filter(each -> each.get("kind").asString().equals("bucket.cleanup"))
                .allMatch(each -> each.get("state").asString().equals("done")));
    List<String> kinds =
        world
            .server
            .get(ROOT, "/v1/jobs?scope=tenant:acme")
            .json()
            .get("items")
            .valueStream()
            .map(each -> each.get("kind").asString())
            .toList();
    assertThat(kinds).contains("access.rebuild", "document.rebuild", "bucket.cleanup");
  }
}
