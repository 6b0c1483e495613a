package dev.veridex.tenancy;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.ServerProcess;
import dev.veridex.StoreIntegrity;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.common.ChildJvm;
import dev.veridex.common.Seeds;
import dev.veridex.common.Waiting;
import dev.veridex.items.ReversedItemStore;
import dev.veridex.json.JsonText;
import dev.veridex.store.Store;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Kills a server just after it has deleted an account, while it removes what is left. Nothing is
/// reachable from the answer on, and in the end nothing is in the raw store.
final class DeletionKillTest {
  private static final String ACME = "/v1/accounts/acme";

  @TempDir private Path parent;
  private final HttpClient client = HttpClient.newHttpClient();
  private String address = "";

  private HttpResponse<String> ask(String method, String target, String secret, String body)
      throws IOException {
    try {
      return client.send(
          HttpRequest.newBuilder(URI.create(address + target))
              .header("Authorization", "Bearer " + secret)
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private int status(String method, String target, String secret, String body) {
    try {
      return ask(method, target, secret, body).statusCode();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Killed after a step of the clean-up that is known, so that some of it is done and some is not.
  @Test
  @Tag("campaign")
  void theCleanUpGoesOnWhereverItWasKilled() throws Exception {
    int kills = Campaign.DELETION_KILLS.size();
    Random random = new Random(Seeds.first());
    for (int kill = 0; kill < kills; kill++) {
      Path folder = parent.resolve("store" + kill);
      String steps = String.valueOf(random.nextInt(1, 5));
      Process process = ChildJvm.start(parent, DeletionChild.class, folder.toString(), steps);
      try (BufferedReader output = process.inputReader(UTF_8)) {
        String line = output.readLine();
        while (!DeletionChild.HALFWAY.equals(line)) {
          assertThat(line).isNotNull();
          line = output.readLine();
        }
        process.toHandle().destroyForcibly();
      }
      assertThat(process.waitFor()).isEqualTo(137);
      try (RocksStore store = DeletionChild.open(folder)) {
        assertThat(Leftovers.records(store, "acme")).as("killed in the middle").isNotEmpty();
        Domain domain = DeletionChild.domain(store);
        assertThat(domain.tenancy().accounts().find("acme")).isEmpty();
        domain.jobs().runAll();
        assertThat(Leftovers.records(store, "acme")).isEmpty();
        assertThat(Leftovers.counters(store, "acme")).isEmpty();
        assertThat(
                new ContentIntegrity(store, Domain.contents(ReversedItemStore.asSecondVersion()))
                    .run(_ -> {})
                    .drift())
            .as("the neighbour is whole")
            .isEmpty();
      }
    }
  }

  @Test
  @Tag("campaign")
  void nothingIsReachableAfterTheAnswerAndNothingIsLeftInTheEnd() throws Exception {
    int kills = Campaign.DELETION_SERVER_KILLS.size();
    Random random = new Random(Seeds.first());
    for (int kill = 0; kill < kills; kill++) {
      Path data = parent.resolve("data" + kill);
      Process process = ServerProcess.start(parent, data);
      List<String> tokens;
      try (BufferedReader output = process.inputReader(UTF_8)) {
        address = ServerProcess.address(output);
        tokens = fill();
        assertThat(status("DELETE", ACME, ROOT, "")).isEqualTo(200);
        LockSupport.parkNanos(Duration.ofMillis(random.nextInt(1200)).toNanos());
        process.toHandle().destroyForcibly();
      }
      assertThat(process.waitFor()).isEqualTo(137);
      afterwards(data, tokens);
      check(data);
    }
  }

  /// One of everything.
  ///
  /// @return tokens of the account and of its environment
  private List<String> fill() throws IOException {
    assertThat(status("PUT", ACME, ROOT, "{}")).isEqualTo(201);
    assertThat(status("PUT", ACME + "/environments/dev", ROOT, "")).isEqualTo(201);
    for (String query : List.of("", "?env=dev")) {
      status("PUT", ACME + "/services/crawler" + query, ROOT, "");
      String bucket = ACME + "/buckets/pages";
      assertThat(status("PUT", bucket + query, ROOT, "{\"type\":\"items\"}")).isEqualTo(201);
      for (int i = 0; i < 60; i++) {
        status("PUT", bucket + "/items/k" + i % 20 + query, ROOT, "a value of acme");
      }
      status("DELETE", bucket + "/items/k3" + query, ROOT, "");
    }
    for (int i = 0; i < 600; i++) {
      mint("tenant:acme");
    }
    return List.of(mint("tenant:acme"), mint("tenant:acme:env:dev"));
  }

  private String mint(String scope) throws IOException {
    String body = ask("POST", "/v1/tokens", ROOT, "{\"scope\":\"" + scope + "\"}").body();
    return JsonText.read(body.getBytes(UTF_8)).get("token").asString();
  }

  private void afterwards(Path data, List<String> tokens) throws Exception {
    Process process = ServerProcess.start(parent, data);
    try (BufferedReader output = process.inputReader(UTF_8)) {
      address = ServerProcess.address(output);
      assertThat(status("GET", ACME, ROOT, "")).isIn(410, 404);
      assertThat(status("GET", ACME + "/buckets/pages/items/k1", ROOT, "")).isIn(410, 404);
      for (String token : tokens) {
        assertThat(status("GET", "/v1/accounts", token, "")).isEqualTo(401);
      }
      Waiting.until("the clean-up", () -> status("GET", ACME, ROOT, "") == 404);
      process.toHandle().destroyForcibly();
    }
    process.waitFor();
    try (Store store = open(data)) {
      assertThat(Leftovers.records(store, "acme")).isEmpty();
      assertThat(Leftovers.counters(store, "acme")).isEmpty();
    }
    Process again = ServerProcess.start(parent, data);
    try (BufferedReader output = again.inputReader(UTF_8)) {
      address = ServerProcess.address(output);
      assertThat(status("PUT", ACME, ROOT, "{}")).isEqualTo(201);
      assertThat(status("GET", ACME + "/buckets/pages", ROOT, "")).isEqualTo(404);
      for (String token : tokens) {
        assertThat(status("GET", ACME, token, "")).as("an old token").isEqualTo(401);
      }
      again.toHandle().destroyForcibly();
    }
    again.waitFor();
  }

  private static Store open(Path data) {
    return RocksStore.open(
        data.resolve("store"),
        RocksSettings.DEFAULT,
        InstantSource.system(),
        InstantSource.system(),
        new Random(1));
  }

  private static void check(Path data) {
    try (Store store = open(data)) {
      assertThat(
              new ContentIntegrity(store, Domain.contents(Domain.itemVersions()))
                  .run(_ -> {})
                  .drift())
          .isEmpty();
      assertThat(new StoreIntegrity((RocksStore) store).run(_ -> {}).drift()).isEmpty();
    }
  }
}
