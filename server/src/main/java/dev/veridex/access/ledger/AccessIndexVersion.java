package dev.veridex.access.ledger;

/// The version of an index: two readers who find the same one see the same records.
///
/// @param incarnation of the scope
/// @param changes how often the ledger was changed, or everything derived from it anew
public record AccessIndexVersion(long incarnation, long changes) {
  /// Of nothing that is stored.
  public static final AccessIndexVersion NONE = new AccessIndexVersion(0, 0);

  public AccessIndexVersion withChanges(long now) {
    return new AccessIndexVersion(incarnation, now);
  }

  /// Whether it is of the same index, some changes ago.
  public boolean isBefore(AccessIndexVersion other) {
    return isOfSame(other) && changes < other.changes;
  }

  public boolean isOfSame(AccessIndexVersion other) {
    return incarnation == other.incarnation;
  }
}
