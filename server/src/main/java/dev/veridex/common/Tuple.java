package dev.veridex.common;

import java.time.Instant;
import java.util.Comparator;

/// What decides which of two states of a document is the newer one: its epoch, then its version,
/// then when it was made.
///
/// @param modifiedMicros microseconds since 1970
public record Tuple(long epoch, long version, long modifiedMicros) implements Comparable<Tuple> {
  private static final Comparator<Tuple> ORDER =
      Comparator.comparingLong(Tuple::epoch)
          .thenComparingLong(Tuple::version)
          .thenComparingLong(Tuple::modifiedMicros);

  public Instant modifiedAt() {
    return Expiry.instant(modifiedMicros);
  }

  @Override
  public int compareTo(Tuple other) {
    return ORDER.compare(this, other);
  }
}
