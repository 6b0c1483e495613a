package dev.veridex.http.routes.grants;

import static dev.veridex.ServerFixture.ROOT;
import static dev.veridex.http.routes.grants.GrantsFixture.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Vectors;
import dev.veridex.identity.Token.Flag;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// The vectors of scopes, through approvals over HTTP.
final class GrantVectorsTest {
  @TempDir private Path data;

  @Test
  void tokensReachTheApprovalsThatTheTableSays() {
    JsonNode rows = Vectors.read("scopes.json").get("access");
    Map<String, String> admins = new HashMap<>();
    try (GrantsFixture world = new GrantsFixture(data)) {
      for (JsonNode row : rows) {
        String scope = row.get("request").asString();
        String admin =
            admins.computeIfAbsent(
                row.get("token").asString(), text -> world.token(text, "an admin", Flag.ADMIN));
        boolean allowed = row.get("allowed").asBoolean();
        for (String what : List.of("there", "not there")) {
          if (what.equals("there")) {
            world.approved(scope, "x", what, "");
          }
          Reply read =
              world.server.get(
                  admin, "/v1/approvals/check" + GrantsFixture.key(scope, "x", what, "read"));
          assertThat(read.status()).as("%s %s", row, what).isEqualTo(allowed ? 200 : 403);
          assertThat(read.code()).as("%s", row).isEqualTo(allowed ? "" : "SCOPE_DENIED");
        }
        Reply write = world.approve(admin, scope, "y", "r", "read", "");
        assertThat(write.status() / 100).as("%s", row).isEqualTo(allowed ? 2 : 4);
        Reply policy = world.server.get(admin, "/v1/scopes/" + encoded(scope) + "/ttl");
        assertThat(policy.status()).as("%s", row).isEqualTo(allowed ? 200 : 403);
      }
    }
  }

  @Test
  void whatLooksAlikeIsKeptApart() {
    try (GrantsFixture world = new GrantsFixture(data)) {
      for (JsonNode pair : Vectors.read("scopes.json").get("distinctApprovals")) {
        for (int first = 0; first < 2; first++) {
          JsonNode one = pair.get(first);
          JsonNode other = pair.get(1 - first);
          assertThat(put(world, one).status()).isEqualTo(201);
          assertThat(granted(world, one)).isTrue();
          assertThat(granted(world, other)).as("%s", pair).isFalse();
          assertThat(put(world, other).status()).isEqualTo(201);
          assertThat(world.ask(ROOT, "DELETE", "/v1/approvals" + key(one), "").status())
              .isEqualTo(200);
          assertThat(granted(world, one)).isFalse();
          assertThat(granted(world, other)).as("%s", pair).isTrue();
          assertThat(world.ask(ROOT, "DELETE", "/v1/approvals" + key(other), "").status())
              .isEqualTo(200);
        }
      }
    }
  }

  private static String key(JsonNode approval) {
    return GrantsFixture.key(
        approval.get("scope").asString(),
        approval.get("identity").asString(),
        approval.get("resource").asString(),
        approval.get("action").asString());
  }

  private static Reply put(GrantsFixture world, JsonNode approval) {
    return world.server.ask(
        "PUT", "/v1/approvals", Optional.of(ROOT), Optional.of(approval.toString()));
  }

  private static boolean granted(GrantsFixture world, JsonNode approval) {
    return world
        .server
        .get(ROOT, "/v1/approvals/check" + key(approval))
        .json()
        .get("granted")
        .asBoolean();
  }

  @Test
  void presetsAreThoseOfTheVectors() {
    try (GrantsFixture world = new GrantsFixture(data)) {
      Vectors.read("scopes.json")
          .get("presets")
          .properties()
          .forEach(
              preset -> {
                Reply put =
                    world.ask(
                        ROOT,
                        "PUT",
                        "/v1/scopes/tenant:acme/ttl",
                        "{'preset':'" + preset.getKey() + "'}");
                assertThat(put.status()).as(put.text()).isIn(200, 201);
                JsonNode policy = world.server.get(ROOT, "/v1/scopes/tenant:acme/ttl").json();
                JsonNode wanted = preset.getValue();
                assertThat(policy.path("default").asLong(0)).isEqualTo(wanted.get(0).asLong(0));
                assertThat(policy.get("min").asLong()).isEqualTo(wanted.get(1).asLong());
                assertThat(policy.get("max").asLong()).isEqualTo(wanted.get(2).asLong());
              });
    }
  }
}
