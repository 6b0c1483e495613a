package dev.veridex.http.routes.admin;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Waiting;
import dev.veridex.identity.Token.Flag;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Buckets over HTTP.
final class BucketsTest {
  private static final String ACME = "/v1/accounts/acme";
  private static final String PAGES = ACME + "/buckets/pages";

  @TempDir private Path data;
  private ServerFixture fixture;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(data);
    fixture.ask("PUT", ACME, Optional.of(ROOT), Optional.of("{}"));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Reply put(String target, String body) {
    return fixture.ask("PUT", target, Optional.of(ROOT), Optional.of(body));
  }

  private Reply ask(String method, String target) {
    return fixture.ask(method, target, Optional.of(ROOT), Optional.empty());
  }

  @Test
  void aBucketIsMadeReadChangedListedAndDeleted() {
    Reply made = put(PAGES, "{\"type\":\"items/1\"}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.response().headers().firstValue("ETag")).contains("\"0.1\"");
    assertThat(made.response().headers().firstValue("Veridex-Revision")).isPresent();
    String whole =
        """
        {"type": "items", "owner": "ada", "ttl": {"default": 3600, "min": 60, "max": 86400},
         "quotas": {"items": 5}, "replication": 3, "placement": "dedicated",
         "acl": {"read": [{"userGroups": {"oneOf": ["*"]}}]},
         "settings": {"itemAccess": false, "resourcePrefix": "p:",
                      "retention": {"interval": {"seconds": 60, "count": 2, "graceTtl": 0}}}}
        """;
    Reply changed = put(PAGES, whole);
    assertThat(changed.status()).as(changed.text()).isEqualTo(200);
    JsonNode read = fixture.get(ROOT, PAGES).json();
    assertThat(read.get("type").asString()).isEqualTo("items/1");
    assertThat(read.get("etag").asString()).isEqualTo("0.2");
    assertThat(read.get("ttl").toString())
        .isEqualTo("{\"default\":3600,\"min\":60,\"max\":86400,\"enforce\":true}");
    assertThat(read.get("settings").get("retention").toString())
        .isEqualTo("{\"interval\":{\"seconds\":60,\"count\":2,\"graceTtl\":0}}");
    assertThat(read.get("acl").toString())
        .isEqualTo("{\"read\":[{\"userGroups\":{\"oneOf\":[\"*\"]}}]}");
    assertThat(read.get("placement").asString()).isEqualTo("dedicated");
    assertThat(put(PAGES, "{\"type\":\"items\"}").json().get("owner").asString())
        .as("nobody means to leave it without an owner")
        .isEqualTo("ada");
    for (String retention :
        List.of("\"all\"", "{\"latest\":{\"count\":3,\"graceTtl\":5}}", "{\"ttl\":{\"ttl\":9}}")) {
      put(PAGES, "{\"type\":\"items\",\"settings\":{\"retention\":" + retention + "}}");
      assertThat(fixture.get(ROOT, PAGES).json().get("settings").get("retention").toString())
          .isEqualTo(retention);
    }
    put(PAGES, "{\"type\":\"items\",\"ttl\":\"temporary\"}");
    assertThat(fixture.get(ROOT, PAGES).json().get("ttl").get("default").asInt()).isEqualTo(3600);

    put(ACME + "/buckets/a", "{\"type\":\"items\"}");
    put(ACME + "/buckets/z_1", "{\"type\":\"items\"}");
    JsonNode page = fixture.get(ROOT, ACME + "/buckets?limit=2").json();
    assertThat(page.get("items").get(0).get("name").asString()).isEqualTo("a");
    JsonNode rest =
        fixture.get(ROOT, ACME + "/buckets?cursor=" + page.get("cursor").asString()).json();
    assertThat(rest.get("items")).hasSize(1);
    assertThat(rest.get("cursor").isNull()).isTrue();

    assertThat(ask("DELETE", PAGES).status()).isEqualTo(200);
    assertThat(ask("GET", PAGES).status()).isEqualTo(404);
    assertThat(ask("DELETE", PAGES).status()).isEqualTo(404);
  }

  @Test
  void conditionsHold() {
    put(PAGES, "{\"type\":\"items\"}");
    byte[] body = "{\"type\":\"items\"}".getBytes(UTF_8);
    assertThat(
            fixture
                .send("PUT", PAGES, Optional.of(ROOT), List.of("If-Match", "\"0.9\""), body)
                .code())
        .isEqualTo("PRECONDITION_FAILED");
    assertThat(
            fixture
                .send("PUT", PAGES, Optional.of(ROOT), List.of("If-Match", "\"x\", \"0.1\""), body)
                .status())
        .isEqualTo(200);
    assertThat(
            fixture
                .send("DELETE", PAGES, Optional.of(ROOT), List.of("If-Match", "\"0.1\""), body)
                .status())
        .isEqualTo(412);
    assertThat(
            fixture
                .send(
                    "PUT", ACME + "/buckets/new", Optional.of(ROOT), List.of("If-Match", "*"), body)
                .status())
        .isEqualTo(412);
    for (String target : List.of(PAGES, ACME)) {
      byte[] whole = target.equals(PAGES) ? body : "{}".getBytes(UTF_8);
      assertThat(
              fixture
                  .send("PUT", target, Optional.of(ROOT), List.of("If-None-Match", "*"), whole)
                  .status())
          .as("only if there is none")
          .isEqualTo(412);
    }
  }

  @Test
  void badInputHasProblemsOfItsOwn() {
    record Bad(String name, String body, String code, String pointer) {}
    for (Bad bad :
        List.of(
            new Bad("Pages", "{\"type\":\"items\"}", "INVALID_NAME", ""),
            new Bad("_pages", "{\"type\":\"items\"}", "INVALID_NAME", ""),
            new Bad("a.b", "{\"type\":\"items\"}", "INVALID_NAME", ""),
            new Bad("a".repeat(65), "{\"type\":\"items\"}", "INVALID_NAME", ""),
            new Bad("x", "{}", "BAD_REQUEST", "/type"),
            new Bad("x", "{\"type\":\"itens\"}", "UNKNOWN_TYPE", "/type"),
            new Bad("x", "{\"type\":\"items/9\"}", "UNKNOWN_TYPE", "/type"),
            new Bad("x", "{\"type\":\"items/0\"}", "UNKNOWN_TYPE", "/type"),
            new Bad("x", "{\"type\":\"items\",\"typo\":1}", "BAD_REQUEST", "/typo"),
            new Bad("x", "{\"type\":\"items\",\"owner\":\"\"}", "BAD_REQUEST", "/owner"),
            new Bad(
                "x",
                "{\"type\":\"items\",\"owner\":\"" + "o".repeat(1101) + "\"}",
                "BAD_REQUEST",
                "/owner"),
            new Bad(
                "x",
                "{\"type\":\"items\",\"quotas\":{\"buckets\":1}}",
                "BAD_REQUEST",
                "/quotas/buckets"),
            new Bad(
                "x",
                "{\"type\":\"items\",\"settings\":{\"resourcePrefix\":\"bucket:a\"}}",
                "BAD_KEY",
                "/settings/resourcePrefix"),
            new Bad(
                "x",
                "{\"type\":\"items\",\"acl\":{\"read\":[{\"userGroups\":{\"oneOf\":[\""
                    + "g\",\"".repeat(20_000)
                    + "\"]}}]}}",
                "BAD_REQUEST",
                "/acl/read/0/userGroups/oneOf/20000"),
            new Bad("x", "{\"type\":\"items\",\"placement\":\"far\"}", "BAD_REQUEST", "/placement"),
            new Bad("x", "{\"type\":\"items\",\"replication\":0}", "BAD_REQUEST", "/replication"),
            new Bad("x", "{\"type\":\"items\",\"ttl\":\"eternal\"}", "BAD_REQUEST", "/ttl"),
            new Bad(
                "x",
                "{\"type\":\"items\",\"ttl\":{\"min\":9,\"max\":8}}",
                "INVALID_TTL_POLICY",
                "/ttl"),
            new Bad(
                "x",
                "{\"type\":\"items\",\"settings\":{\"retention\":\"some\"}}",
                "BAD_REQUEST",
                "/settings/retention"),
            new Bad(
                "x",
                "{\"type\":\"items\",\"settings\":{\"retention\":{\"latest\":{}}}}",
                "BAD_REQUEST",
                "/settings/retention/latest/count"),
            new Bad(
                "x",
                "{\"type\":\"items\",\"settings\":{\"retention\":{\"last\":{\"count\":1}}}}",
                "BAD_REQUEST",
                "/settings/retention/last"))) {
      Reply reply = put(ACME + "/buckets/" + bad.name, bad.body);
      assertThat(reply.status()).as(bad.toString()).isEqualTo(400);
      assertThat(reply.code()).as(bad.toString()).isEqualTo(bad.code);
      assertThat(reply.json().path("pointer").asString(""))
          .as(bad.toString())
          .isEqualTo(bad.pointer);
    }
    assertThat(put(ACME + "/buckets/x", "{\"type\":\"itens\"}").json().get("didYouMean").asString())
        .isEqualTo("items");
    String large =
        "{\"type\":\"items\",\"acl\":{\"read\":[{\"userGroups\":{\"oneOf\":[\"g\""
            + ",\"g\"".repeat(20_000)
            + "]}}]}}";
    assertThat(put(ACME + "/buckets/x", large).json().get("max").asString()).isEqualTo("65536");
    assertThat(put(ACME, "{\"description\":\"" + "d".repeat(70_000) + "\"}").status())
        .isEqualTo(400);
    assertThat(
            put(ACME + "/services/x", "{\"description\":\"" + "d".repeat(70_000) + "\"}").status())
        .isEqualTo(400);
    assertThat(fixture.get(ROOT, ACME + "/buckets").json().get("items")).isEmpty();
    put(PAGES, "{\"type\":\"items/1\"}");
    assertThat(put(PAGES, "{\"type\":\"items/2\"}").code()).isEqualTo("CONFLICT");
    assertThat(put("/v1/accounts/none/buckets/x", "{\"type\":\"items\"}").status()).isEqualTo(404);
    assertThat(put(PAGES + "?env=none", "{\"type\":\"items\"}").status()).isEqualTo(404);
  }

  @Test
  void whatIsDeletedSharesNothingWithWhatComesAfter() {
    put(PAGES, "{\"type\":\"items\"}");
    put(PAGES + "/items/home", "old");
    put(PAGES + "/items/other", "old");
    String cursor = fixture.get(ROOT, PAGES + "/items?limit=1").json().get("cursor").asString();
    ask("DELETE", PAGES);
    assertThat(ask("GET", PAGES + "/items/home").status()).isEqualTo(404);
    JsonNode again = put(PAGES, "{\"type\":\"items\"}").json();
    assertThat(again.get("etag").asString()).doesNotStartWith("0.");
    assertThat(ask("GET", PAGES + "/items/home").status()).isEqualTo(404);
    assertThat(fixture.get(ROOT, PAGES + "/items?limit=1&cursor=" + cursor).status())
        .as("a cursor of the old one")
        .isEqualTo(400);
    Waiting.until(
        "what it held to be given back",
        () ->
            fixture
                .get(ROOT, ACME + "/usage")
                .json()
                .get("used")
                .toString()
                .equals("{\"buckets\":1,\"documents\":0,\"objects\":0,\"items\":0,\"bytes\":0}"));
  }

  @Test
  void orphansAreFoundAndHandedOver() {
    String ada = fixture.mint("tenant:acme", Optional.of(Duration.ofHours(1))).secret();
    put(PAGES, "{\"type\":\"items\",\"owner\":\"somebody\"}");
    put(ACME + "/buckets/nobodys", "{\"type\":\"items\"}");
    assertThat(names(fixture.get(ROOT, ACME + "/buckets?orphaned=true")))
        .containsExactly("nobodys");
    assertThat(fixture.get(ada, ACME + "/buckets?orphaned=true").code()).isEqualTo("FORBIDDEN");
    fixture.clock.advance(Duration.ofHours(1));
    assertThat(names(fixture.get(ROOT, ACME + "/buckets?orphaned=true")))
        .as("nobody can act for its owner any more")
        .containsExactly("nobodys", "pages");
    fixture.mint("global", Optional.empty());
    assertThat(names(fixture.get(ROOT, ACME + "/buckets?orphaned=true")))
        .as("a token of Global is not its owner's")
        .hasSize(2);
    fixture.mint("tenant:acme", Optional.empty());
    assertThat(names(fixture.get(ROOT, ACME + "/buckets?orphaned=true")))
        .containsExactly("nobodys");
    put(ACME + "/buckets/nobodys", "{\"type\":\"items\",\"owner\":\"somebody\"}");
    assertThat(names(fixture.get(ROOT, ACME + "/buckets?orphaned=true"))).isEmpty();
  }

  private static List<String> names(Reply reply) {
    return reply
        .json()
        .get("items")
        .valueStream()
        .map(item -> item.get("name").asString())
        .toList();
  }

  @Test
  void aReaderSeesTheBucketButNotWhoElseMay() {
    put(PAGES, "{\"type\":\"items\",\"acl\":{\"read\":[{\"userGroups\":{\"oneOf\":[\"*\"]}}]}}");
    put(ACME + "/buckets/hidden", "{\"type\":\"items\",\"acl\":{}}");
    String user = fixture.person("tenant:acme", "ada");
    assertThat(names(fixture.get(user, ACME + "/buckets"))).containsExactly("pages");
    assertThat(fixture.get(user, PAGES).json().propertyNames())
        .containsExactlyInAnyOrder("name", "type", "createdAt", "etag");
    Reply anonymous = fixture.ask("GET", ACME + "/buckets", Optional.empty(), Optional.empty());
    assertThat(names(anonymous)).containsExactly("pages");
    assertThat(
            fixture
                .ask("GET", "/v1/accounts/none/buckets", Optional.empty(), Optional.empty())
                .status())
        .isEqualTo(401);
  }

  @Test
  void anUpgradeGoesThrough() {
    put(PAGES, "{\"type\":\"items/1\"}");
    put(PAGES + "/items/a", "one");
    put(PAGES + "/items/a", "two");
    put(PAGES + "/items/b", "three");
    String first = fixture.get(ROOT, PAGES + "/items/a/revisions").text();
    assertThat(ask("POST", PAGES + "/upgrade/finish").code()).isEqualTo("CONFLICT");
    Reply begun = ask("POST", PAGES + "/upgrade");
    assertThat(begun.status()).as(begun.text()).isEqualTo(201);
    assertThat(begun.json().get("upgrade").get("state").asString()).isEqualTo("in-progress");
    assertThat(ask("POST", PAGES + "/upgrade").code()).isEqualTo("CONFLICT");
    put(PAGES + "/items/c", "while");
    ask("DELETE", PAGES + "/items/b");
    Waiting.until(
        "the copy", () -> fixture.get(ROOT, PAGES).json().get("upgrade").get("copied").asBoolean());
    put(PAGES + "/items/d", "after the copy");
    assertThat(fixture.get(ROOT, PAGES).json().get("type").asString()).isEqualTo("items/1");
    Reply finished = ask("POST", PAGES + "/upgrade/finish");
    assertThat(finished.status()).as(finished.text()).isEqualTo(200);
    assertThat(finished.json().get("type").asString()).isEqualTo("items/2");
    assertThat(finished.json().has("upgrade")).isFalse();
    assertThat(fixture.get(ROOT, PAGES + "/items/a").text()).isEqualTo("two");
    assertThat(fixture.get(ROOT, PAGES + "/items/a/revisions").text()).isEqualTo(first);
    assertThat(fixture.get(ROOT, PAGES + "/items/b").status()).isEqualTo(404);
    assertThat(fixture.get(ROOT, PAGES + "/items/c").text()).isEqualTo("while");
    assertThat(fixture.get(ROOT, PAGES + "/items/d").text()).isEqualTo("after the copy");
    assertThat(ask("POST", PAGES + "/upgrade").code())
        .as("there is no newer")
        .isEqualTo("CONFLICT");
    assertThat(
            fixture.get(ROOT, ACME + "/usage?bucket=pages").json().get("used").get("items").asInt())
        .isEqualTo(3);
  }

  private Reply promote(String body) {
    return fixture.ask(
        "POST", ACME + "/environments/dev/promote", Optional.of(ROOT), Optional.of(body));
  }

  @Test
  void settingsArePromotedByAPlan() {
    assertThat(promote("{\"to\":\"prod\"}").status()).as("no such environment").isEqualTo(404);
    ask("PUT", ACME + "/environments/dev");
    assertThat(promote("{\"to\":\"prod\"}").json().get("pointer").asString()).isEqualTo("/to");
    ask("PUT", ACME + "/environments/prod");
    put(PAGES + "?env=dev", "{\"type\":\"items\",\"ttl\":\"temporary\"}");
    put(ACME + "/buckets/same?env=dev", "{\"type\":\"items\"}");
    put(ACME + "/buckets/same?env=prod", "{\"type\":\"items\"}");
    put(PAGES + "/items/a?env=dev", "x");
    JsonNode plan = promote("{\"to\":\"prod\"}").json();
    assertThat(plan.get("applied").asBoolean()).isFalse();
    assertThat(plan.get("changes").get(0).get("change").asString()).isEqualTo("create");
    assertThat(plan.get("changes").get(1).get("change").asString()).isEqualTo("nothing");
    assertThat(ask("GET", PAGES + "?env=prod").status()).as("only a plan").isEqualTo(404);
    assertThat(promote("{\"to\":\"prod\"}").json().get("plan")).isEqualTo(plan.get("plan"));

    put(PAGES + "?env=dev", "{\"type\":\"items\",\"ttl\":\"short-lived\"}");
    String old = "{\"to\":\"prod\",\"plan\":" + plan.get("plan") + "}";
    assertThat(promote(old).code())
        .as("it is not what was reviewed")
        .isEqualTo("PRECONDITION_FAILED");
    String fresh = promote("{\"to\":\"prod\"}").json().get("plan").toString();
    Reply applied = promote("{\"to\":\"prod\",\"plan\":" + fresh + "}");
    assertThat(applied.json().get("applied").asBoolean()).as(applied.text()).isTrue();
    JsonNode there = fixture.get(ROOT, PAGES + "?env=prod").json();
    assertThat(there.get("ttl").get("default").asInt()).isEqualTo(86_400);
    assertThat(fixture.get(ROOT, PAGES + "/items/a?env=prod").status())
        .as("no data is copied")
        .isEqualTo(404);

    put(PAGES + "?env=dev", "{\"type\":\"items\",\"quotas\":{\"items\":3}}");
    JsonNode change =
        promote("{\"to\":\"prod\",\"buckets\":[\"pages\"]}").json().get("changes").get(0);
    assertThat(change.get("change").asString()).isEqualTo("change");
    assertThat(change.get("before").has("ttl")).isTrue();
    assertThat(change.get("after").get("quotas").get("items").asInt()).isEqualTo(3);
    assertThat(promote("{\"to\":\"prod\",\"buckets\":[\"none\"]}").json().get("pointer").asString())
        .isEqualTo("/buckets/0");
    assertThat(
            promote("{\"to\":\"prod\",\"buckets\":[\"pages\",\"pages\"]}")
                .json()
                .get("pointer")
                .asString())
        .isEqualTo("/buckets/1");
    put(ACME + "/buckets/typed?env=dev", "{\"type\":\"items/1\"}");
    put(ACME + "/buckets/typed?env=prod", "{\"type\":\"items/2\"}");
    JsonNode conflict = promote("{\"to\":\"prod\"}").json();
    assertThat(conflict.get("changes").get(2).get("change").asString()).isEqualTo("conflict");
    assertThat(promote("{\"to\":\"prod\",\"plan\":" + conflict.get("plan") + "}").code())
        .isEqualTo("CONFLICT");
    assertThat(fixture.get(ROOT, PAGES + "?env=prod").json().get("ttl").get("default").asInt())
        .as("nothing of it was done")
        .isEqualTo(86_400);
  }

  @Test
  void anUpgradeIsGivenUp() {
    put(PAGES, "{\"type\":\"items/1\"}");
    put(PAGES + "/items/a", "one");
    assertThat(ask("POST", PAGES + "/upgrade/abort").code()).isEqualTo("CONFLICT");
    ask("POST", PAGES + "/upgrade");
    put(PAGES + "/items/b", "two");
    assertThat(ask("POST", PAGES + "/upgrade/abort").status()).isEqualTo(200);
    JsonNode bucket = fixture.get(ROOT, PAGES).json();
    assertThat(bucket.get("type").asString()).isEqualTo("items/1");
    assertThat(bucket.has("upgrade")).isFalse();
    assertThat(fixture.get(ROOT, PAGES + "/items/b").text()).isEqualTo("two");
    assertThat(ask("POST", PAGES + "/upgrade").status()).as("and begun again").isEqualTo(201);
    String admin = fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret();
    assertThat(
            fixture
                .ask(
                    "POST",
                    PAGES + "/upgrade",
                    Optional.of(admin),
                    Optional.of("{\"type\":\"items/1\"}"))
                .code())
        .isEqualTo("CONFLICT");
  }
}
