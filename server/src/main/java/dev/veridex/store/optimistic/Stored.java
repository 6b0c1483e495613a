package dev.veridex.store.optimistic;

import dev.veridex.common.Expiry;

/// A record as it stands in the engine, expired or not.
///
/// @param expiresAt in microseconds, [Expiry#NEVER] for a permanent one
public record Stored(byte[] value, long expiresAt) {
  public static Stored permanent(byte[] value) {
    return new Stored(value, Expiry.NEVER);
  }
}
