package dev.veridex.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class ScopeVectorsTest {
  private static final int APPROVALS = 7;

  private final JsonNode vectors = Vectors.read("scopes.json");

  @Test
  void tokensReachExactlyWhatTheTableSays() {
    JsonNode rows = vectors.get("access");
    assertThat(rows.size()).isEqualTo(144);
    for (JsonNode row : rows) {
      Scope token = Scope.parse(row.get("token").asString());
      Scope request = Scope.parse(row.get("request").asString());
      assertThat(token.reaches(request, false))
          .as("%s reaches %s", token, request)
          .isEqualTo(row.get("allowed").asBoolean());
    }
  }

  @Test
  void approvalsThatDifferHaveDifferentKeys() {
    JsonNode pairs = vectors.get("distinctApprovals");
    assertThat(pairs.size()).isEqualTo(5);
    for (JsonNode pair : pairs) {
      assertThat(key(pair.get(0))).isNotEqualTo(key(pair.get(1)));
    }
  }

  private static String key(JsonNode approval) {
    byte[] key =
        new KeyWriter()
            .scope(APPROVALS, Scope.parse(approval.get("scope").asString()), 0)
            .string(approval.get("identity").asString())
            .string(approval.get("resource").asString())
            .string(approval.get("action").asString())
            .toKey();
    return HexFormat.of().formatHex(key);
  }

  @Test
  void presetsHaveTheirNumbers() {
    JsonNode presets = vectors.get("presets");
    for (String name : List.of("default", "temporary", "short-lived", "long-lived")) {
      JsonNode numbers = presets.get(name);
      TtlPolicy policy = TtlPolicy.preset(name).orElseThrow();
      Optional<Long> defaultSeconds =
          numbers.get(0).isNull() ? Optional.empty() : Optional.of(numbers.get(0).asLong());
      assertThat(policy.defaultTtl().map(Duration::toSeconds)).isEqualTo(defaultSeconds);
      assertThat(policy.min().toSeconds()).isEqualTo(numbers.get(1).asLong());
      assertThat(policy.max().toSeconds()).isEqualTo(numbers.get(2).asLong());
      assertThat(policy.enforce()).isTrue();
    }
    assertThat(presets.size()).isEqualTo(4);
    assertThat(TtlPolicy.preset("eternal")).isEmpty();
  }
}
