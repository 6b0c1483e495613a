package dev.veridex.common;

import java.time.Instant;

/// The order of two instants.
public final class Instants {
  private Instants() {}

  /// The earlier one.
  public static Instant earlier(Instant one, Instant other) {
    return other.isBefore(one) ? other : one;
  }

  /// The later one.
  public static Instant later(Instant one, Instant other) {
    return other.isAfter(one) ? other : one;
  }
}
