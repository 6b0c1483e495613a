package dev.veridex.records;

import dev.veridex.common.TtlPolicy;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// TTL policies as they are stored: of buckets, and of scopes.
public final class TtlPolicyRecord {
  private TtlPolicyRecord() {}

  /// Writes a policy into an object.
  public static ObjectNode put(ObjectNode object, TtlPolicy policy) {
    policy.defaultTtl().ifPresent(ttl -> object.put("default", ttl.toSeconds()));
    if (policy.refreshOnAccess()) {
      object.put("refreshOnAccess", true);
    }
    return object
        .put("min", policy.min().toSeconds())
        .put("max", policy.max().toSeconds())
        .put("enforce", policy.enforce());
  }

  /// The policy of an object.
  public static TtlPolicy read(JsonNode object) {
    return new TtlPolicy(
        Optional.ofNullable(object.get("default")).map(TtlPolicyRecord::seconds),
        seconds(object.get("min")),
        seconds(object.get("max")),
        object.get("enforce").asBoolean(),
        object.path("refreshOnAccess").asBoolean());
  }

  private static Duration seconds(JsonNode node) {
    return Duration.ofSeconds(node.asLong());
  }
}
