package dev.veridex.common;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// Message digests that every Java platform has.
public final class Digests {
  private Digests() {}

  public static byte[] sha256(byte[] bytes) {
    return digest("SHA-256", bytes);
  }

  /// For names that others have settled on, never for secrets.
  public static byte[] sha1(byte[] bytes) {
    return digest("SHA-1", bytes);
  }

  private static byte[] digest(String algorithm, byte[] bytes) {
    try {
      return MessageDigest.getInstance(algorithm).digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }
}
