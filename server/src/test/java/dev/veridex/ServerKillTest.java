package dev.veridex;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Seeds;
import dev.veridex.identity.Token;
import dev.veridex.identity.Tokens;
import dev.veridex.json.JsonText;
import dev.veridex.suite.Campaign;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Kills a server again and again while clients change things over HTTP. Whatever it acknowledged
/// must be there afterwards, and its audit entry, too.
final class ServerKillTest {
  private static final int CLIENTS = 8;

  @TempDir private Path parent;

  /// What clients were told: tokens that live, by id, and tokens that were revoked.
  private final Map<String, String> minted = new ConcurrentHashMap<>();

  private final Set<String> revoked = ConcurrentHashMap.newKeySet();

  @Test
  @Tag("campaign")
  void whatWasAcknowledgedSurvivesAKill() throws Exception {
    int kills = Campaign.SERVER_KILLS.size();
    SplittableRandom random = new SplittableRandom(Seeds.first());
    Path data = parent.resolve("data");
    for (int kill = 0; kill < kills; kill++) {
      int enough = minted.size() + random.nextInt(10, 300);
      Process process = ServerProcess.start(parent, data);
      try (BufferedReader output = process.inputReader(UTF_8)) {
        changeUntilKilled(process, ServerProcess.address(output), enough);
      }
      assertThat(process.waitFor()).as("killed, not failed").isEqualTo(137);
      check(data);
    }
    assertThat(minted).isNotEmpty();
    Campaign.SERVER_KILLS.count(minted.size(), "tokens minted");
    Campaign.SERVER_KILLS.count(revoked.size(), "revoked, all as acknowledged");
  }

  private void changeUntilKilled(Process process, String address, int enough)
      throws InterruptedException, ExecutionException {
    List<Future<Boolean>> clients = new ArrayList<>();
    try (HttpClient client = HttpClient.newHttpClient();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(
            threads.submit(
                () -> {
                  while (change(client, address)) {
                    if (minted.size() >= enough) {
                      process.toHandle().destroyForcibly();
                    }
                  }
                  return true;
                }));
      }
      for (Future<Boolean> each : clients) {
        assertThat(each.get()).isTrue();
      }
    }
  }

  /// Mints a token and revokes every third.
  ///
  /// @return whether the server is still there
  private boolean change(HttpClient client, String address) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address + "/v1/tokens"))
            .header("Authorization", "Bearer " + ROOT);
    try {
      HttpResponse<byte[]> answer =
          client.send(
              request
                  .POST(HttpRequest.BodyPublishers.ofString("{\"scope\":\"tenant:acme\"}"))
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray());
      assertThat(answer.statusCode()).isEqualTo(201);
      JsonNode token = JsonText.read(answer.body());
      String id = token.get("id").asString();
      minted.put(id, token.get("token").asString());
      if (id.hashCode() % 3 == 0) {
        HttpRequest revocation =
            request.copy().uri(URI.create(address + "/v1/tokens/" + id)).DELETE().build();
        int status = client.send(revocation, HttpResponse.BodyHandlers.discarding()).statusCode();
        assertThat(status).isEqualTo(200);
        revoked.add(id);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void check(Path data) {
    try (ServerFixture fixture = new ServerFixture(data)) {
      Tokens tokens = fixture.server.tokens();
      Token root = tokens.authenticate(ROOT).orElseThrow();
      Set<String> audited = audited(fixture);
      minted.forEach(
          (id, secret) -> {
            // A revocation that was not acknowledged may have happened or not.
            if (revoked.contains(id)) {
              assertThat(tokens.authenticate(secret)).as("revoked %s", id).isEmpty();
              assertThat(audited).contains("token.revoke " + id);
            } else if (id.hashCode() % 3 != 0) {
              assertThat(tokens.authenticate(secret)).as("minted %s", id).isPresent();
              assertThat(tokens.find(root, id)).isPresent();
            }
            assertThat(audited).contains("token.mint " + id);
          });
      assertThat(fixture.get(ROOT, "/v1/admin/verify").json().get("ok").asBoolean()).isTrue();
    }
  }

  private static Set<String> audited(ServerFixture fixture) {
    Set<String> audited = new HashSet<>();
    String cursor = "";
    do {
      JsonNode page = fixture.get(ROOT, "/v1/audit?scope=tenant:acme&limit=1000" + cursor).json();
      for (JsonNode entry : page.get("items")) {
        audited.add(entry.get("operation").asString() + " " + entry.get("key").get(0).asString());
      }
      cursor = page.get("cursor").isNull() ? "" : "&cursor=" + page.get("cursor").asString();
    } while (!cursor.isEmpty());
    return audited;
  }
}
