package dev.veridex.documents.registry;

import dev.veridex.common.Expiry;
import dev.veridex.common.VersionTuple;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;

/// The registry's row of a document in one epoch, without its body.
///
/// @param tombstone whether it was deleted, or had expired when it came
/// @param hash of what it says
/// @param documentBytes how long the document is
/// @param bodyBytes how much room its body takes
/// @param expiresAt when it ends; absent: never
public record RegistryRow(
    VersionTuple tuple,
    boolean tombstone,
    byte[] hash,
    int documentBytes,
    int bodyBytes,
    Instant acceptedAt,
    Optional<Instant> expiresAt) {
  private static final int FORMAT = 1;

  /// The bytes of a hash.
  public static final int HASH_BYTES = 16;

  private static final int BYTES = 2 + 5 * Long.BYTES + 2 * Integer.BYTES + HASH_BYTES;

  /// Whether there is a document, at a time.
  public boolean isAlive(Instant now) {
    return !tombstone && expiresAt.filter(end -> !end.isAfter(now)).isEmpty();
  }

  /// The same, deleted.
  public RegistryRow deleted() {
    return new RegistryRow(tuple, true, hash, 0, 0, acceptedAt, Optional.empty());
  }

  byte[] encode() {
    return ByteBuffer.allocate(BYTES)
        .put((byte) FORMAT)
        .put((byte) (tombstone ? 1 : 0))
        .putLong(tuple.epoch())
        .putLong(tuple.version())
        .putLong(tuple.modifiedMicros())
        .putLong(Expiry.micros(acceptedAt))
        .putLong(expiresAt.map(Expiry::micros).orElse(Expiry.NEVER))
        .putInt(documentBytes)
        .putInt(bodyBytes)
        .put(hash)
        .array();
  }

  static RegistryRow decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length != BYTES || in.get() != FORMAT) {
      throw DocumentRegistry.corrupt("a row of the registry is not one of ours");
    }
    boolean tombstone = in.get() == 1;
    VersionTuple tuple = new VersionTuple(in.getLong(), in.getLong(), in.getLong());
    Instant acceptedAt = Expiry.instant(in.getLong());
    long end = in.getLong();
    int documentBytes = in.getInt();
    int bodyBytes = in.getInt();
    byte[] hash = new byte[HASH_BYTES];
    in.get(hash);
    return new RegistryRow(
        tuple,
        tombstone,
        hash,
        documentBytes,
        bodyBytes,
        acceptedAt,
        end == Expiry.NEVER ? Optional.empty() : Optional.of(Expiry.instant(end)));
  }
}
