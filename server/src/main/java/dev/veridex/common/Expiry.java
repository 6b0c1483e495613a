package dev.veridex.common;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// The end of a record's life as microseconds since 1970, the form in which stores keep and compare
/// it; a primitive, because every read of every record looks at it.
public final class Expiry {
  /// The expiry of a record that lives for ever.
  public static final long NEVER = Long.MAX_VALUE;

  /// The last expiry that can be stored. Engines count nanoseconds in 64 bits, which end in 2262; a
  /// later one would wrap around and look long past.
  public static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  private Expiry() {}

  /// The microseconds of an instant, cut to whole ones.
  public static long micros(Instant instant) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant.truncatedTo(ChronoUnit.MICROS));
  }

  /// The instant of microseconds.
  public static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /// Whether a record is expired at a time: from the very instant of its expiry on.
  public static boolean isExpired(long expiresAtMicros, long nowMicros) {
    return nowMicros >= expiresAtMicros;
  }
}
