package dev.veridex.http.routes.admin;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Quotas over HTTP.
final class QuotasTest {
  private static final String ACME = "/v1/accounts/acme";
  private static final String PAGES = ACME + "/buckets/pages";

  @TempDir private Path data;
  private ServerFixture fixture;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(data);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Reply put(String target, String body) {
    return fixture.ask("PUT", target, Optional.of(ROOT), Optional.of(body));
  }

  private Reply delete(String target) {
    return fixture.ask("DELETE", target, Optional.of(ROOT), Optional.empty());
  }

  private void account(String quotas) {
    assertThat(put(ACME, "{\"quotas\":" + quotas + "}").status()).isIn(200, 201);
  }

  private long used(String target, String quota) {
    return fixture.get(ROOT, target).json().get("used").get(quota).asLong();
  }

  @Test
  void manyWritersNeverExceedALimitAndNeverFailBelowIt() throws Exception {
    account("{\"items\":100}");
    put(PAGES, "{\"type\":\"items\"}");
    put(ACME + "/buckets/other", "{\"type\":\"items\"}");
    Map<String, Integer> answers = new ConcurrentHashMap<>();
    List<Future<Boolean>> writers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int writer = 0; writer < 64; writer++) {
        String bucket = writer % 2 == 0 ? PAGES : ACME + "/buckets/other";
        String key = bucket + "/items/w" + writer + "-";
        writers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 4; i++) {
                    Reply reply = put(key + i, "x");
                    answers.merge(reply.status() + reply.code(), 1, Integer::sum);
                  }
                  return true;
                }));
      }
      for (Future<Boolean> writer : writers) {
        assertThat(writer.get()).isTrue();
      }
    }
    assertThat(answers).containsOnlyKeys("201", "409QUOTA_EXCEEDED").containsEntry("201", 100);
    assertThat(used(ACME + "/usage", "items")).isEqualTo(100);
    long listed = 0;
    for (String bucket : List.of("pages", "other")) {
      listed +=
          fixture
              .get(ROOT, ACME + "/buckets/" + bucket + "/items?limit=1000")
              .json()
              .get("items")
              .size();
    }
    assertThat(listed).isEqualTo(100);
  }

  @Test
  void theProblemNamesTheQuota() {
    account("{\"buckets\":1,\"items\":2,\"bytes\":10}");
    put(PAGES, "{\"type\":\"items\"}");
    JsonNode second = put(ACME + "/buckets/second", "{\"type\":\"items\"}").json();
    assertThat(second.get("code").asString()).isEqualTo("QUOTA_EXCEEDED");
    assertThat(second.get("quota").asString()).isEqualTo("buckets");
    assertThat(second.get("limit").asString()).isEqualTo("1");
    assertThat(second.get("used").asString()).isEqualTo("1");
    put(PAGES + "/items/a", "12345");
    Reply large = put(PAGES + "/items/b", "123456");
    assertThat(large.status()).isEqualTo(409);
    assertThat(large.json().get("quota").asString()).isEqualTo("bytes");
    assertThat(large.json().get("wanted").asString()).isEqualTo("6");
    assertThat(put(PAGES + "/items/b", "12345").status()).as("exactly the limit").isEqualTo(201);
    assertThat(put(PAGES + "/items/c", "").json().get("quota").asString()).isEqualTo("items");
    assertThat(put(PAGES + "/items/a", "").status()).as("no more than before").isEqualTo(201);
    delete(PAGES + "/items/b");
    assertThat(used(ACME + "/usage", "items")).isEqualTo(1);
    assertThat(used(ACME + "/usage", "bytes")).as("revisions are kept").isEqualTo(10);
    account("{\"items\":0}");
    assertThat(put(PAGES + "/items/c", "").status()).isEqualTo(409);
    assertThat(fixture.get(ROOT, PAGES + "/items/a").status())
        .as("a lower limit takes nothing away")
        .isEqualTo(200);
    assertThat(delete(PAGES + "/items/a").status()).isEqualTo(200);
  }

  @Test
  void headersThatAreKeptAreCounted() {
    account("{\"bytes\":30}");
    put(PAGES, "{\"type\":\"items\"}");
    List<String> header = List.of("X-Store-A", "0123456789");
    assertThat(
            fixture
                .send("PUT", PAGES + "/items/a", Optional.of(ROOT), header, new byte[5])
                .status())
        .isEqualTo(201);
    assertThat(used(ACME + "/usage", "bytes")).isEqualTo(5 + "x-store-a".length() + 10);
    assertThat(
            fixture
                .send("PUT", PAGES + "/items/b", Optional.of(ROOT), header, new byte[0])
                .status())
        .isEqualTo(409);
  }

  @Test
  void aBucketMayHaveQuotasOfItsOwn() {
    account("{}");
    put(PAGES, "{\"type\":\"items\",\"quotas\":{\"items\":1}}");
    put(ACME + "/buckets/other", "{\"type\":\"items\"}");
    put(PAGES + "/items/a", "x");
    Reply full = put(PAGES + "/items/b", "x");
    assertThat(full.json().get("of").asString()).isEqualTo("bucket");
    assertThat(put(ACME + "/buckets/other/items/b", "x").status()).isEqualTo(201);
    assertThat(used(ACME + "/usage?bucket=pages", "items")).isEqualTo(1);
    assertThat(used(ACME + "/usage", "items")).isEqualTo(2);
  }

  @Test
  void environmentsCountForTheirAccount() {
    account("{\"items\":2}");
    put(ACME + "/environments/dev", "");
    put(PAGES, "{\"type\":\"items\"}");
    put(PAGES + "?env=dev", "{\"type\":\"items\"}");
    put(PAGES + "/items/a", "x");
    put(PAGES + "/items/a?env=dev", "x");
    assertThat(put(PAGES + "/items/b", "x").status()).isEqualTo(409);
    assertThat(put(PAGES + "/items/b?env=dev", "x").status()).isEqualTo(409);
    delete(ACME + "/environments/dev");
    Waiting.until("the clean-up", () -> used(ACME + "/usage", "items") == 1);
    assertThat(put(PAGES + "/items/b", "x").status()).isEqualTo(201);
    delete(PAGES);
    Waiting.until("the clean-up", () -> used(ACME + "/usage", "items") == 0);
    assertThat(used(ACME + "/usage", "buckets")).isZero();
  }

  @Test
  void whatExpiredIsNoLongerCountedWhenItsHourIsOver() {
    account("{\"items\":3}");
    put(PAGES, "{\"type\":\"items\"}");
    fixture.clock.set(
        fixture.clock.instant().truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS));
    put(PAGES + "/items/brief?ttl=600", "12345");
    put(PAGES + "/items/hour?ttl=3600", "12345");
    put(PAGES + "/items/ever", "12345");
    assertThat(put(PAGES + "/items/more", "x").status()).isEqualTo(409);
    fixture.clock.advance(Duration.ofMinutes(10));
    assertThat(fixture.get(ROOT, PAGES + "/items/brief").status()).isEqualTo(404);
    assertThat(used(ACME + "/usage", "items")).as("until the hour is over").isEqualTo(3);
    fixture.clock.advance(Duration.ofMinutes(50).minusNanos(1000));
    assertThat(put(PAGES + "/items/more", "x").status()).isEqualTo(409);
    fixture.clock.advance(Duration.ofNanos(1000));
    assertThat(used(ACME + "/usage", "items")).isEqualTo(1);
    assertThat(used(ACME + "/usage", "bytes")).isEqualTo(5);
    assertThat(put(PAGES + "/items/more", "x").status()).isEqualTo(201);
  }
}
