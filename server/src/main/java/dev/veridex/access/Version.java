package dev.veridex.access;

/// Tells the states of an index apart: two readers who find the same one see the same records.
///
/// @param incarnation of the scope
/// @param changes how often the ledger was changed, or everything derived from it anew
record Version(long incarnation, long changes) {
  /// Of nothing that is stored.
  static final Version NONE = new Version(0, 0);

  Version withChanges(long now) {
    return new Version(incarnation, now);
  }

  /// Whether it is of the same index, some changes ago.
  boolean isBefore(Version other) {
    return isOfSame(other) && changes < other.changes;
  }

  boolean isOfSame(Version other) {
    return incarnation == other.incarnation;
  }
}
