package dev.veridex.http.routes.queues;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Queues through HTTP: those of documents, and buckets that are queues.
final class QueuesTest {
  private static final String OFFERS = "/v1/accounts/acme/buckets/offers";
  private static final String JOBS = "/v1/accounts/acme/buckets/work";

  @TempDir private Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder);
    fixture.arrange();
    assertThat(ask("PUT", JOBS, "{'type':'queue','settings':{'shards':2}}").status())
        .isEqualTo(201);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private Reply ask(String method, String target, String body) {
    return as(ROOT, method, target, body);
  }

  private Reply as(String secret, String method, String target, String body) {
    return fixture.ask(
        method,
        target,
        Optional.of(secret),
        body.isEmpty() ? Optional.empty() : Optional.of(body.replace('\'', '"')));
  }

  private JsonNode queue(String bucket, int place) {
    return fixture.get(ROOT, bucket + "/queues").json().get("items").get(place);
  }

  @Test
  void whatIsReceivedIsSentAtOnceAndAgainWhenItIsRebuilt() {
    Waiting.until("the documents to be sent", () -> queue(OFFERS, 0).get("elements").asLong() == 0);
    assertThat(queue(OFFERS, 0).get("shards")).hasSize(4);
    Reply rebuilt = ask("POST", OFFERS + "/rebuild", "");
    assertThat(rebuilt.json().get("documents").asLong()).isEqualTo(1);
    Waiting.until(
        "the documents to be sent anew", () -> queue(OFFERS, 1).get("elements").asLong() == 0);
    assertThat(queue(OFFERS, 1).get("queue").asString()).isEqualTo("emergency");
    assertThat(queue(OFFERS, 0).at("/shards/0/rate").isNumber()).isTrue();
    assertThat(fixture.get(ROOT, "/metrics").text()).contains("veridex_documents_sent_total");
    Waiting.until(
        "the lags to be looked at",
        () ->
            fixture
                .get(ROOT, "/metrics")
                .text()
                .contains("veridex_queue_elements{queue=\"main\",shard=\"3\"}"));
  }

  @Test
  void theDeadWaitForSomebody() {
    dead();
    JsonNode element = fixture.get(ROOT, OFFERS + "/queues/dead").json().get("items").get(0);
    assertThat(element.get("pk").asString()).isEqualTo("offer-1");
    assertThat(element.get("lastError").asString()).isEqualTo("SCHEMA_MISMATCH: it was poison");
    assertThat(element.get("source").asString()).isEqualTo("main");
    assertThat(queue(OFFERS, 3).get("elements").asLong()).isEqualTo(1);
    Reply again = ask("POST", OFFERS + "/queues/dead/requeue", "{'idx':[1]}");
    assertThat(again.status()).as(again.text()).isEqualTo(200);
    assertThat(again.json().get("elements").asLong()).isEqualTo(1);
    assertThat(queue(OFFERS, 3).get("elements").asLong()).isZero();
    Waiting.until("it to be tried", () -> queue(OFFERS, 0).get("elements").asLong() == 0);
    dead();
    assertThat(ask("DELETE", OFFERS + "/queues/dead/1", "").status()).isEqualTo(200);
    assertThat(ask("DELETE", OFFERS + "/queues/dead/1", "").status()).isEqualTo(404);
    assertThat(ask("POST", OFFERS + "/queues/main/requeue", "{}").status()).isEqualTo(404);
    assertThat(fixture.get(ROOT, OFFERS + "/queues/other").status()).isEqualTo(404);
    assertThat(fixture.get(ROOT, "/v1/audit?scope=tenant:acme").text())
        .contains("queue.requeue", "queue.drop");
  }

  private void dead() {
    fixture.killElement("offer-1");
  }

  private Reply lease(String more) {
    return ask("POST", JOBS + "/leases", "{'group':'mailers'" + more + "}");
  }

  @Test
  void messagesAreReadInTurnsByWhoeverHasTheShard() {
    Reply sent =
        ask(
            "POST",
            JOBS + "/messages",
            "{'messages':[{'key':'a','body':'one'},{'key':'a','body':'two'},{'key':'b','bytes':'/wA='}]}");
    assertThat(sent.status()).as(sent.text()).isEqualTo(201);
    int shard = sent.json().at("/results/0/shard").asInt();
    assertThat(sent.json().at("/results/1/shard").asInt()).isEqualTo(shard);
    Reply leased = lease(",'shard':" + shard + ",'holder':'me','seconds':60");
    assertThat(leased.status()).as(leased.text()).isEqualTo(200);
    long token = leased.json().get("token").asLong();
    assertThat(lease(",'shard':" + shard + ",'holder':'you'").code()).isEqualTo("CONFLICT");
    assertThat(lease(",'holder':'you'").json().get("shard").asInt())
        .as("the one that is free")
        .isEqualTo(1 - shard);
    assertThat(lease(",'holder':'they'").code()).isEqualTo("CONFLICT");
    List<String> bodies = new ArrayList<>();
    long last = 0;
    Reply read = fixture.get(ROOT, JOBS + "/messages?group=mailers&shard=" + shard);
    for (JsonNode message : read.json().get("items")) {
      bodies.add(message.path("body").asString(message.path("bytes").asString("")));
      last = message.get("idx").asLong();
    }
    assertThat(bodies).startsWith("one", "two");
    String commit =
        "{'group':'mailers','shard':%d,'token':%d,'previous':0,'offset':%d}"
            .formatted(shard, token, last);
    assertThat(
            ask("POST", JOBS + "/offsets", commit.replace("'token':" + token, "'token':99")).code())
        .isEqualTo("CONFLICT");
    assertThat(ask("POST", JOBS + "/offsets", commit).status()).isEqualTo(200);
    assertThat(ask("POST", JOBS + "/offsets", commit).code()).as("once").isEqualTo("CONFLICT");
    assertThat(
            fixture.get(ROOT, JOBS + "/messages?group=mailers&shard=" + shard).json().get("items"))
        .isEmpty();
    assertThat(
            fixture.get(ROOT, JOBS + "/messages?group=others&shard=" + shard).json().get("items"))
        .hasSize(bodies.size());
    fixture.clock.advance(Duration.ofSeconds(61));
    long next = lease(",'shard':" + shard + ",'holder':'you'").json().get("token").asLong();
    assertThat(next).isGreaterThan(token);
    assertThat(lease(",'shard':" + shard + ",'token':" + token).code())
        .as("renewing what was lost")
        .isEqualTo("CONFLICT");
    assertThat(lease(",'shard':" + shard + ",'token':" + next + ",'seconds':0").status())
        .as("giving it back")
        .isEqualTo(200);
    assertThat(lease(",'shard':" + shard + ",'holder':'they'").status()).isEqualTo(200);
    assertThat(queue(JOBS, 0).get("group").asString()).isEqualTo("mailers");
  }

  @Test
  void onlyTheTokenProvesWhoseAShardIsAndNobodyReadsAhead() {
    assertThat(lease(",'shard':0").status()).isEqualTo(200);
    assertThat(lease(",'shard':0").code()).as("without a name, too").isEqualTo("CONFLICT");
    Reply leased = lease(",'shard':1");
    String ahead =
        "{'group':'mailers','shard':1,'token':%d,'previous':0,'offset':9223372036854775807}"
            .formatted(leased.json().get("token").asLong());
    assertThat(ask("POST", JOBS + "/offsets", ahead).code()).isEqualTo("BAD_REQUEST");
    assertThat(lease(",'holder':'" + "x".repeat(257) + "'").code()).isEqualTo("INVALID_NAME");
  }

  @Test
  void quotasHoldForMessages() {
    String small = "/v1/accounts/acme/buckets/small";
    ask("PUT", small, "{'type':'queue','quotas':{'bytes':100}}");
    String message = "{'messages':[{'key':'a','body':'" + "x".repeat(60) + "'}]}";
    assertThat(ask("POST", small + "/messages", message).status()).isEqualTo(201);
    assertThat(ask("POST", small + "/messages", message).code()).isEqualTo("QUOTA_EXCEEDED");
    for (int shard = 0; shard < 4; shard++) {
      consume(small, shard);
    }
    fixture.clock.advance(Duration.ofHours(2));
    fixture.server.domain().queues().cleaner().runOnce();
    assertThat(ask("POST", small + "/messages", message).status())
        .as("what was read makes room")
        .isEqualTo(201);
    assertThat(fixture.get(ROOT, "/v1/admin/verify").json().get("ok").asBoolean()).isTrue();
  }

  /// Reads all messages of a shard.
  private void consume(String bucket, int shard) {
    long token =
        ask("POST", bucket + "/leases", "{'group':'g','shard':%d}".formatted(shard))
            .json()
            .get("token")
            .asLong();
    for (JsonNode message :
        fixture.get(ROOT, bucket + "/messages?group=g&shard=" + shard).json().get("items")) {
      Reply done =
          ask(
              "POST",
              bucket + "/offsets",
              "{'group':'g','shard':%d,'token':%d,'previous':0,'offset':%d}"
                  .formatted(shard, token, message.get("idx").asLong()));
      assertThat(done.status()).isEqualTo(200);
    }
  }

  @Test
  void wrongMessagesAndReadersAreRefused() {
    for (String wrong :
        List.of(
            "{'messages':[{'key':'','body':'x'}]}",
            "{'messages':[{'key':'a'}]}",
            "{'messages':[{'key':'a','body':'x','bytes':'eA=='}]}",
            "{'messages':[{'key':'a','bytes':'!'}]}",
            "{'messages':5}",
            "{}")) {
      assertThat(ask("POST", JOBS + "/messages", wrong).status()).as(wrong).isEqualTo(400);
    }
    String large = "x".repeat((1 << 20) + 1);
    assertThat(
            ask("POST", JOBS + "/messages", "{'messages':[{'key':'a','body':'" + large + "'}]}")
                .code())
        .isEqualTo("TOO_LARGE");
    assertThat(lease(",'shard':2").status()).isEqualTo(400);
    assertThat(ask("POST", JOBS + "/leases", "{'group':''}").status()).isEqualTo(400);
    assertThat(fixture.get(ROOT, JOBS + "/messages?group=g&shard=9").status()).isEqualTo(400);
    assertThat(fixture.get(ROOT, JOBS + "/messages?shard=0").status()).isEqualTo(400);
    assertThat(ask("POST", OFFERS + "/messages", "{'messages':[]}").status())
        .as("documents are no messages")
        .isEqualTo(404);
    assertThat(ask("POST", JOBS + "/documents", "[]").status()).isEqualTo(404);
    assertThat(ask("POST", JOBS + "/rebuild", "").status()).isEqualTo(404);
    String ada = fixture.person("tenant:acme", "ada");
    for (String target : List.of("/queues", "/messages?group=g&shard=0")) {
      assertThat(as(ada, "GET", JOBS + target, "").status()).isEqualTo(404);
    }
    assertThat(as(ada, "POST", JOBS + "/leases", "{'group':'g'}").status()).isEqualTo(404);
    assertThat(as(ada, "GET", OFFERS + "/queues/dead", "").status()).isEqualTo(404);
  }
}
