package dev.veridex.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A request to give something to somebody.
///
/// @param unscoped whether no scope was named, so that it is about Global
/// @param type of a relationship; absent: role
/// @param wanted how long it is to live
/// @param idempotencyKey makes a retry return the first result
public record GrantRequest(
    Scope scope,
    boolean unscoped,
    GrantKey key,
    Optional<RelationType> type,
    WantedLife wanted,
    Map<String, String> metadata,
    Optional<String> idempotencyKey) {
  private static final int MAX_METADATA = 64;
  private static final int MAX_METADATA_BYTES = 1 << 20;
  private static final int MAX_IDEMPOTENCY_KEY = 255;

  /// A life that is asked for; neither: as the policy says.
  public record WantedLife(Optional<Duration> ttl, Optional<Instant> expiresAt) {
    /// As the policy says.
    public static final WantedLife USUAL = new WantedLife(Optional.empty(), Optional.empty());
  }

  public GrantRequest {
    metadata = new TreeMap<>(metadata);
    requireMetadata(metadata);
    idempotencyKey.ifPresent(GrantRequest::requireIdempotencyKey);
  }

  private static void requireIdempotencyKey(String key) {
    if (key.isEmpty() || key.length() > MAX_IDEMPOTENCY_KEY) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "An idempotency key has 1 to %d characters, not %d."
                      .formatted(MAX_IDEMPOTENCY_KEY, key.length()))
              .with("parameter", "Idempotency-Key"));
    }
  }

  private static void requireMetadata(Map<String, String> metadata) {
    if (metadata.size() > MAX_METADATA) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "Metadata has at most %d keys, not %d.".formatted(MAX_METADATA, metadata.size()))
              .at("/metadata"));
    }
    long bytes = 0;
    for (Map.Entry<String, String> each : metadata.entrySet()) {
      if (!KeyWriter.isWellFormed(each.getKey()) || !KeyWriter.isWellFormed(each.getValue())) {
        throw new VeridexException(
            Problem.of(ErrorCode.BAD_REQUEST, "Metadata is well-formed Unicode.")
                .at("/metadata/" + JsonPointer.escape(each.getKey())));
      }
      bytes += each.getKey().getBytes(StandardCharsets.UTF_8).length;
      bytes += each.getValue().getBytes(StandardCharsets.UTF_8).length;
    }
    if (bytes > MAX_METADATA_BYTES) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "Metadata has at most %d bytes, not %d.".formatted(MAX_METADATA_BYTES, bytes))
              .at("/metadata"));
    }
  }

  /// What tells one request from another one with the same idempotency key.
  byte[] identity() {
    KeyWriter out =
        new KeyWriter()
            .string(scope.text())
            .string(key.first())
            .string(key.second())
            .string(key.third())
            .string(type.map(RelationType::text).orElse(""))
            .string(wanted.ttl().map(Duration::toString).orElse(""))
            .string(wanted.expiresAt().map(Instant::toString).orElse(""));
    metadata.forEach((name, value) -> out.string(name).string(value));
    return out.toKey();
  }
}
