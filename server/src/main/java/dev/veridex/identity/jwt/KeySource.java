package dev.veridex.identity.jwt;

import java.io.IOException;

/// The source of an issuer's public keys.
@FunctionalInterface
public interface KeySource {
  /// A JSON Web Key Set.
  String read() throws IOException;

  /// Whether it is somewhere else and may be out of reach for a while; its tokens count for nothing
  /// until it was reached once.
  default boolean isRemote() {
    return false;
  }
}
