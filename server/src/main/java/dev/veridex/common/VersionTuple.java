package dev.veridex.common;

import java.time.Instant;
import java.util.Comparator;

/// The place of a document's state in the order of its states: epoch, then version, then time of
/// modification.
///
/// @param modifiedMicros microseconds since 1970
public record VersionTuple(long epoch, long version, long modifiedMicros)
    implements Comparable<VersionTuple> {
  /// Before all others.
  public static final VersionTuple NONE = new VersionTuple(0, 0, 0);

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
