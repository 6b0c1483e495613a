package dev.veridex.identity;

import dev.veridex.common.Digests;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.random.RandomGenerator;

/// The text that proves a token: 256 random bits that nobody stores.
public final class TokenSecret {
  private static final String PREFIX = "vdx_";
  private static final int BYTES = 32;

  private TokenSecret() {}

  /// A new secret.
  public static String random(RandomGenerator random) {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /// What is stored instead of it. A plain hash suffices: there is nothing to guess in 256 bits,
  /// and whoever looks a token up by its hash compares no secret.
  static byte[] hash(String secret) {
    return Digests.sha256(secret.getBytes(StandardCharsets.UTF_8));
  }
}
