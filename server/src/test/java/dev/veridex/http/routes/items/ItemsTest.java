package dev.veridex.http.routes.items;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.identity.Token.Flag;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Items over HTTP.
final class ItemsTest {
  private static final String ACME = "/v1/accounts/acme";
  private static final String PAGES = ACME + "/buckets/pages";
  private static final String ITEMS = PAGES + "/items";
  private static final String HOME = ITEMS + "/home";

  @TempDir private Path data;
  private ServerFixture fixture;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(data);
    fixture.ask("PUT", ACME, Optional.of(ROOT), Optional.of("{}"));
    bucket("{\"type\":\"items\"}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void bucket(String body) {
    Reply reply = fixture.ask("PUT", PAGES, Optional.of(ROOT), Optional.of(body));
    assertThat(reply.status()).as(reply.text()).isIn(200, 201);
  }

  private Reply put(String target, String body, String... headers) {
    return fixture.send("PUT", target, Optional.of(ROOT), List.of(headers), body.getBytes(UTF_8));
  }

  private Reply get(String target) {
    return fixture.get(ROOT, target);
  }

  private Reply delete(String target, String... headers) {
    return fixture.send("DELETE", target, Optional.of(ROOT), List.of(headers), new byte[0]);
  }

  private static String header(Reply reply, String name) {
    return reply.response().headers().firstValue(name).orElse("");
  }

  private static String etag(Reply reply) {
    return header(reply, "ETag");
  }

  private static String rev(Reply reply) {
    return etag(reply).replace("\"", "");
  }

  @Test
  void aValueComesBackWithItsTypeAndHeaders() {
    Reply written =
        put(HOME, "<p>hello", "Content-Type", "text/html; charset=utf-8", "X-Store-Author", "ada");
    assertThat(written.status()).as(written.text()).isEqualTo(201);
    assertThat(header(written, "Veridex-Revision")).isNotEmpty();
    assertThat(written.json().get("revision").asString())
        .isEqualTo(header(written, "Veridex-Revision"));
    assertThat(written.json().get("rev").asString()).isEqualTo(rev(written));
    assertThat(UUID.fromString(rev(written)).version()).isEqualTo(7);
    Reply read = get(HOME);
    assertThat(read.text()).isEqualTo("<p>hello");
    assertThat(header(read, "Content-Type")).isEqualTo("text/html; charset=utf-8");
    assertThat(header(read, "X-Store-Author")).isEqualTo("ada");
    assertThat(etag(read)).isEqualTo(etag(written));
    assertThat(header(read, "Content-Security-Policy")).contains("sandbox");
    Reply head = fixture.ask("HEAD", HOME, Optional.of(ROOT), Optional.empty());
    assertThat(head.status()).isEqualTo(200);
    assertThat(header(head, "Content-Length")).isEqualTo("8");
    assertThat(header(head, "X-Store-Author")).isEqualTo("ada");
    assertThat(head.text()).isEmpty();
    put(ITEMS + "/plain", "");
    assertThat(header(get(ITEMS + "/plain"), "Content-Type")).isEqualTo("application/octet-stream");
    Reply known =
        fixture.send(
            "GET", HOME, Optional.of(ROOT), List.of("If-None-Match", etag(read)), new byte[0]);
    assertThat(known.status()).isEqualTo(304);
    Reply weakly =
        fixture.send(
            "GET",
            HOME,
            Optional.of(ROOT),
            List.of("If-None-Match", "\"x\"", "If-None-Match", "W/" + etag(read)),
            new byte[0]);
    assertThat(weakly.status()).as("a proxy may have made it weak").isEqualTo(304);
    assertThat(get(ITEMS + "/nothing").status()).isEqualTo(404);
  }

  @Test
  void bytesAreBytes() {
    byte[] all = new byte[256 * 40];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    fixture.send("PUT", HOME, Optional.of(ROOT), List.of(), all);
    assertThat(get(HOME).response().body()).isEqualTo(all);
  }

  @Test
  void keysAreData() {
    List<String> keys = List.of("..", "a%2Fb", "%2e", "%00", "a%20b", "%C3%A9", "revisions", "a+b");
    for (String key : keys) {
      assertThat(put(ITEMS + "/" + key, key).status()).as(key).isEqualTo(201);
    }
    for (String key : keys) {
      assertThat(get(ITEMS + "/" + key).text()).as(key).isEqualTo(key);
    }
    assertThat(get(ITEMS + "/revisions/revisions").json().get("items")).hasSize(1);
    assertThat(get(ITEMS + "?prefix=a").json().get("items")).hasSize(3);
  }

  @Test
  void conditionsHold() {
    String other = "\"" + UUID.randomUUID() + "\"";
    assertThat(put(HOME, "x", "If-Match", "*").code()).isEqualTo("PRECONDITION_FAILED");
    assertThat(put(HOME, "x", "If-Match", other).status()).isEqualTo(412);
    Reply first = put(HOME, "one", "If-None-Match", "*");
    assertThat(first.status()).isEqualTo(201);
    assertThat(put(HOME, "x", "If-None-Match", "*").status()).isEqualTo(412);
    assertThat(put(HOME, "x", "If-Match", other).status()).isEqualTo(412);
    assertThat(put(HOME, "x", "If-Match", "W/" + etag(first)).status())
        .as("a weak etag is no proof")
        .isEqualTo(412);
    Reply second = put(HOME, "two", "If-Match", other + ", " + etag(first));
    assertThat(second.status()).isEqualTo(201);
    assertThat(put(HOME, "x", "If-None-Match", etag(second)).status()).isEqualTo(412);
    assertThat(put(HOME, "three", "If-None-Match", etag(first)).status()).isEqualTo(201);
    assertThat(delete(HOME, "If-Match", etag(second)).status()).isEqualTo(412);
    assertThat(get(HOME).text()).isEqualTo("three");
    assertThat(delete(HOME, "If-Match", "*").status()).isEqualTo(200);
    assertThat(delete(HOME, "If-Match", "*").status()).isEqualTo(412);
    assertThat(delete(HOME).status()).isEqualTo(404);
    assertThat(put(HOME, "four", "If-None-Match", "*").status())
        .as("deleted is as good as never there")
        .isEqualTo(201);
  }

  @Test
  void earlierRevisionsAreFoundByIdAndByTime() {
    Instant start = fixture.clock.instant();
    String first = rev(put(HOME, "one"));
    fixture.clock.advance(Duration.ofSeconds(10));
    String second = rev(put(HOME, "two"));
    fixture.clock.advance(Duration.ofSeconds(10));
    String gone = rev(delete(HOME));
    fixture.clock.advance(Duration.ofSeconds(10));
    String last = rev(put(HOME, "three"));
    assertThat(List.of(first, second, gone, last)).isSorted();
    assertThat(get(HOME + "?rev=" + first).text()).isEqualTo("one");
    assertThat(get(HOME + "?rev=" + gone).status()).isEqualTo(404);
    assertThat(get(HOME + "?rev=" + UUID.randomUUID()).status()).isEqualTo(404);
    assertThat(get(HOME + "?rev=" + start).text()).isEqualTo("one");
    assertThat(get(HOME + "?rev=" + start.plusSeconds(9)).text()).isEqualTo("one");
    assertThat(get(HOME + "?rev=" + start.plusSeconds(10)).text()).isEqualTo("two");
    assertThat(get(HOME + "?rev=" + start.plusSeconds(25)).status()).isEqualTo(404);
    assertThat(get(HOME + "?rev=" + start.plusSeconds(9999)).text()).isEqualTo("three");
    assertThat(get(HOME + "?rev=" + start.minusSeconds(1)).status()).isEqualTo(404);
    assertThat(get(HOME + "?rev=yesterday").code()).isEqualTo("BAD_REQUEST");
    JsonNode page = get(HOME + "/revisions?limit=3").json();
    assertThat(page.get("items").get(0).get("rev").asString()).isEqualTo(last);
    assertThat(page.get("items").get(1).get("deleted").asBoolean()).isTrue();
    JsonNode rest = get(HOME + "/revisions?cursor=" + page.get("cursor").asString()).json();
    assertThat(rest.get("items")).hasSize(1);
    assertThat(rest.get("cursor").isNull()).isTrue();
    assertThat(get(HOME + "/revisions?cursor=x").status()).isEqualTo(400);
    assertThat(get(ITEMS + "/none/revisions").status()).isEqualTo(404);
  }

  @Test
  void lifeEndsAtTheVeryInstant() {
    bucket("{\"type\":\"items\",\"ttl\":{\"default\":3600,\"min\":60,\"max\":7200}}");
    Instant start = fixture.clock.instant();
    assertThat(put(HOME, "x").json().get("expiresAt").asString())
        .isEqualTo(start.plusSeconds(3600).toString());
    assertThat(put(ITEMS + "/brief?ttl=60", "x").status()).isEqualTo(201);
    for (String ttl : List.of("59", "7201", "0", "-1", "999999999999")) {
      Reply refused = put(HOME + "?ttl=" + ttl, "x");
      assertThat(refused.status()).as(ttl).isEqualTo(400);
      assertThat(refused.code()).as(ttl).isEqualTo("INVALID_TTL");
      assertThat(refused.json().get("min").asString()).isEqualTo("PT1M");
    }
    assertThat(put(HOME + "?ttl=soon", "x").code()).isEqualTo("BAD_REQUEST");
    fixture.clock.advance(Duration.ofSeconds(60).minusNanos(1000));
    assertThat(get(ITEMS + "/brief").status()).isEqualTo(200);
    assertThat(header(get(ITEMS + "/brief"), "Veridex-Expires-At"))
        .isEqualTo(start.plusSeconds(60).toString());
    fixture.clock.advance(Duration.ofNanos(1000));
    assertThat(get(ITEMS + "/brief").status()).isEqualTo(404);
    assertThat(get(ITEMS).json().get("items")).hasSize(1);
    bucket("{\"type\":\"items\",\"ttl\":{\"min\":60,\"max\":7200,\"enforce\":false}}");
    Reply warned = put(HOME + "?ttl=5", "x");
    assertThat(warned.status()).isEqualTo(201);
    assertThat(header(warned, "Veridex-Warning")).contains("TTL");
    assertThat(put(HOME + "?ttl=0", "x").code()).isEqualTo("INVALID_TTL");
    assertThat(put(HOME, "x").json().has("expiresAt")).isFalse();
  }

  private int kept() {
    return get(HOME + "/revisions").json().get("items").size();
  }

  private void retention(String retention) {
    bucket("{\"type\":\"items\",\"settings\":{\"retention\":" + retention + "}}");
  }

  @Test
  void theLatestAreKeptAndTheOthersForAGrace() {
    retention("{\"latest\":{\"count\":2,\"graceTtl\":100}}");
    put(HOME, "1");
    String first = rev(get(HOME));
    put(HOME, "2");
    put(HOME, "3");
    assertThat(kept()).isEqualTo(3);
    fixture.clock.advance(Duration.ofSeconds(100).minusNanos(1000));
    assertThat(get(HOME + "?rev=" + first).text()).isEqualTo("1");
    fixture.clock.advance(Duration.ofNanos(1000));
    assertThat(get(HOME + "?rev=" + first).status()).isEqualTo(404);
    assertThat(kept()).isEqualTo(2);
    retention("{\"latest\":{\"count\":1,\"graceTtl\":0}}");
    put(HOME, "4");
    assertThat(kept()).as("no grace at all").isEqualTo(1);
    assertThat(get(HOME).text()).isEqualTo("4");
  }

  @Test
  void revisionsOfACertainAgeGoAndTheCurrentOneStays() {
    retention("{\"ttl\":{\"ttl\":100}}");
    put(HOME, "1");
    fixture.clock.advance(Duration.ofSeconds(60));
    put(HOME, "2");
    fixture.clock.advance(Duration.ofSeconds(40).minusNanos(1000));
    assertThat(kept()).isEqualTo(2);
    fixture.clock.advance(Duration.ofNanos(1000));
    assertThat(kept()).isEqualTo(1);
    fixture.clock.advance(Duration.ofDays(1));
    assertThat(get(HOME).text()).isEqualTo("2");
    put(HOME, "3");
    assertThat(kept()).as("it was too old the moment another came").isEqualTo(1);
    delete(HOME);
    assertThat(kept()).isEqualTo(2);
    fixture.clock.advance(Duration.ofSeconds(100));
    assertThat(get(HOME + "/revisions").status()).as("forgotten").isEqualTo(404);
  }

  @Test
  void someOfEachStretchOfTimeAreKept() {
    retention("{\"interval\":{\"seconds\":100,\"count\":1,\"graceTtl\":10}}");
    fixture.clock.set(
        Instant.ofEpochSecond(fixture.clock.instant().getEpochSecond() / 100 * 100 + 100));
    put(HOME, "1");
    fixture.clock.advance(Duration.ofSeconds(50));
    put(HOME, "2");
    fixture.clock.advance(Duration.ofSeconds(49));
    put(HOME, "3");
    fixture.clock.advance(Duration.ofSeconds(1));
    put(HOME, "4");
    fixture.clock.advance(Duration.ofSeconds(9));
    List<String> values = new ArrayList<>();
    for (JsonNode item : get(HOME + "/revisions").json().get("items")) {
      values.add(get(HOME + "?rev=" + item.get("rev").asString()).text());
    }
    assertThat(values).as("one of each stretch").containsExactly("4", "3");
  }

  @Test
  void listsGoOnToTheEnd() {
    for (int i = 0; i < 25; i++) {
      put(ITEMS + "/k" + (char) ('a' + i), "v");
    }
    delete(ITEMS + "/kc");
    List<String> listed = new ArrayList<>();
    String cursor = "";
    int pages = 0;
    do {
      JsonNode page = get(ITEMS + "?limit=7&prefix=k" + cursor).json();
      page.get("items").forEach(item -> listed.add(item.get("key").asString()));
      cursor = page.get("cursor").isNull() ? "" : "&cursor=" + page.get("cursor").asString();
      pages++;
    } while (!cursor.isEmpty());
    assertThat(listed).hasSize(24).isSorted().doesNotContain("kc");
    assertThat(pages).isEqualTo(4);
    assertThat(get(ITEMS + "?limit=1001").status()).isEqualTo(400);
    assertThat(get(ITEMS + "?limit=0").status()).isEqualTo(400);
    assertThat(get(ITEMS + "?cursor=abc").status()).isEqualTo(400);
    String other = get(ITEMS + "?limit=1").json().get("cursor").asString();
    assertThat(get(ITEMS + "?prefix=k&cursor=" + other).status())
        .as("a cursor of another list")
        .isEqualTo(400);
    String altered = (other.charAt(0) == 'A' ? "B" : "A") + other.substring(1);
    assertThat(get(ITEMS + "?cursor=" + altered).status()).isEqualTo(400);
  }

  @Test
  void badInputHasProblemsOfItsOwn() {
    byte[] most = new byte[8 << 20];
    assertThat(fixture.send("PUT", HOME, Optional.of(ROOT), List.of(), most).status())
        .isEqualTo(201);
    assertThat(get(HOME).response().body()).hasSize(8 << 20);
    Reply large = fixture.send("PUT", HOME, Optional.of(ROOT), List.of(), new byte[(8 << 20) + 1]);
    assertThat(large.status()).isEqualTo(413);
    assertThat(large.code()).isEqualTo("BODY_TOO_LARGE");
    assertThat(put(ITEMS + "/", "x").code()).isEqualTo("BAD_KEY");
    assertThat(put(ITEMS + "/" + "k".repeat(1101), "x").code()).isEqualTo("BAD_KEY");
    assertThat(put(ITEMS + "/" + "k".repeat(1100), "x").status()).isEqualTo(201);
    assertThat(delete(ITEMS + "/" + "k".repeat(1101)).code()).isEqualTo("BAD_KEY");
    assertThat(put(ITEMS + "/bucket:pages", "x").code()).isEqualTo("BAD_KEY");
    assertThat(put(ITEMS + "/s3:%2F%2Fb", "x").code()).isEqualTo("BAD_KEY");
    assertThat(put(HOME, "x", "Content-Encoding", "br").code()).isEqualTo("UNSUPPORTED_MEDIA_TYPE");
    assertThat(put(HOME + "?tll=60", "x").json().get("didYouMean").asString()).isEqualTo("ttl");
    assertThat(put(ACME + "/buckets/none/items/x", "x").status()).isEqualTo(404);
  }

  @Test
  void rightsOnItemsAreAskedForWhereTheBucketSaysSo() {
    String everybody = "[{\"userGroups\":{\"oneOf\":[\"*\"]}}]";
    bucket(
        "{\"type\":\"items\",\"owner\":\"ada\",\"settings\":{\"itemAccess\":true},\"acl\":{\"read\":"
            + everybody
            + ",\"write\":"
            + everybody
            + "}}");
    put(HOME, "hello");
    String owner = fixture.person("tenant:acme", "ada");
    String admin = fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret();
    String service = fixture.service("tenant:acme", "crawler");
    String impersonating = fixture.service("tenant:acme", "crawler", Flag.IMPERSONATE);
    assertThat(fixture.get(owner, HOME).status()).as("nothing is stated").isEqualTo(404);
    assertThat(fixture.ask("GET", HOME, Optional.empty(), Optional.empty()).status())
        .isEqualTo(401);
    assertThat(fixture.get(owner, ITEMS).json().get("items")).isEmpty();
    assertThat(fixture.get(admin, HOME).status()).isEqualTo(200);
    assertThat(fixture.get(admin, ITEMS).json().get("items")).hasSize(1);
    assertThat(fixture.get(admin, HOME + "?as=ada").status()).isEqualTo(404);
    assertThat(fixture.get(service, HOME).code()).isEqualTo("SUBJECT_REQUIRED");
    assertThat(fixture.get(service, HOME + "?as=ada").code()).isEqualTo("FORBIDDEN");
    assertThat(fixture.get(impersonating, HOME + "?as=ada").status()).isEqualTo(404);
    assertThat(fixture.get(owner, HOME + "?as=bob").code()).isEqualTo("FORBIDDEN");
    assertThat(write(owner, HOME)).isEqualTo(404);
    assertThat(write(owner, ITEMS + "/new")).isEqualTo(404);
    assertThat(write(service, ITEMS + "/new")).as("by the ACL alone").isEqualTo(201);
    assertThat(write(impersonating, ITEMS + "/new?as=ada")).isEqualTo(404);
    assertThat(fixture.ask("DELETE", HOME, Optional.of(owner), Optional.empty()).status())
        .isEqualTo(404);
  }

  private int write(String secret, String target) {
    return fixture.ask("PUT", target, Optional.of(secret), Optional.of("x")).status();
  }

  @Test
  void whoMayNotReadIsToldNothing() {
    bucket("{\"type\":\"items\",\"acl\":{\"write\":[{\"userGroups\":{\"oneOf\":[\"w\"]}}]}}");
    String writer = fixture.person("tenant:acme", "ada", "w");
    put(HOME, "there");
    byte[] body = "x".getBytes(UTF_8);
    for (String key : List.of("home", "none")) {
      Reply conditional =
          fixture.send(
              "PUT", ITEMS + "/" + key, Optional.of(writer), List.of("If-None-Match", "*"), body);
      assertThat(conditional.status()).as("a condition would tell").isEqualTo(404);
      assertThat(
              fixture
                  .ask("DELETE", ITEMS + "/" + key, Optional.of(writer), Optional.empty())
                  .status())
          .as("whether it was there or not")
          .isEqualTo(200);
    }
    assertThat(fixture.get(ROOT, HOME).status()).isEqualTo(404);
  }
}
