package dev.veridex.store.optimistic;

import dev.veridex.common.Expiry;

/// A record as it stands in the engine, expired or not. Times are in microseconds.
///
/// @param expiresAt [Expiry#NEVER] for a permanent one
/// @param goneAt when its grace is over: the engine may drop it from then on, so nobody sees it
public record StoredValue(byte[] value, long expiresAt, long goneAt) {
  public static StoredValue permanent(byte[] value) {
    return new StoredValue(value, Expiry.NEVER, Expiry.NEVER);
  }
}
