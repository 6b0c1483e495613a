package dev.veridex.tenancy;

import dev.veridex.common.Digests;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/// A program that calls on behalf of its users or of itself, known by its public id.
public record Service(String id, Optional<String> description, Instant createdAt) {

  /// Its name in ACLs.
  public String signature() {
    return signature(id);
  }

  /// The lower-case SHA-1 hex of a public id. It is a name, not a secret: what proves a service is
  /// its token.
  public static String signature(String id) {
    return HexFormat.of().formatHex(Digests.sha1(id.getBytes(StandardCharsets.UTF_8)));
  }
}
