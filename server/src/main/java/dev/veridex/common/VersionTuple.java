package dev.veridex.common;

import java.time.Instant;
import java.util.Comparator;

/// What decides which of two states of a document is the newer one: its epoch, then its version,
/// then when it was made.
///
/// @param modifiedMicros microseconds since 1970
public record VersionTuple(long epoch, long version, long modifiedMicros)
    implements Comparable<VersionTuple> {
  private static final Comparator<VersionTuple> ORDER =
      Comparator.comparingLong(VersionTuple::epoch)
          .thenComparingLong(VersionTuple::version)
          .thenComparingLong(VersionTuple::modifiedMicros);

  public Instant modifiedAt() {
    return Expiry.instant(modifiedMicros);
  }

  @Override
  public int compareTo(VersionTuple other) {
    return ORDER.compare(this, other);
  }
}
