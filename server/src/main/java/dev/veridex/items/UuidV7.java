package dev.veridex.items;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// Ids that are ordered by time, RFC 9562 version 7, with the fraction of the millisecond in the
/// twelve bits that follow it.
final class UuidV7 {
  private static final long VERSION = 0x7000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long RANDOM_BITS = 0x3FFF_FFFF_FFFF_FFFFL;
  private static final int FRACTIONS = 1 << 12;
  private static final int NANOS_PER_MILLI = 1_000_000;

  private UuidV7() {}

  /// An id of a time that is after another one, also if the time is the same.
  static UUID next(Instant time, Optional<UUID> after, RandomGenerator random) {
    long millis = time.toEpochMilli();
    long nanos = Duration.between(time.truncatedTo(ChronoUnit.MILLIS), time).toNanos();
    long fraction = nanos * FRACTIONS / NANOS_PER_MILLI;
    UUID id =
        new UUID(millis << 16 | VERSION | fraction, (random.nextLong() & RANDOM_BITS) | VARIANT);
    return after.filter(last -> compare(id, last) <= 0).map(UuidV7::successor).orElse(id);
  }

  /// As unsigned numbers; the platform's own comparison takes them for signed.
  static int compare(UUID one, UUID other) {
    int upper = Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
    return upper != 0
        ? upper
        : Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits());
  }

  private static UUID successor(UUID last) {
    long lower = last.getLeastSignificantBits();
    if ((lower & RANDOM_BITS) != RANDOM_BITS) {
      return new UUID(last.getMostSignificantBits(), lower + 1);
    }
    long upper = last.getMostSignificantBits() + 1;
    // The fraction ran over into the version: on to the next millisecond.
    boolean carried = (upper & 0xF000L) != VERSION;
    return new UUID(carried ? ((upper & ~0xFFFFL) + 0x1_0000L) | VERSION : upper, VARIANT);
  }
}
