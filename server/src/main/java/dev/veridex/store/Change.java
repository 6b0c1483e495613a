package dev.veridex.store;

/// A key or range that a commit touched; its present value is read from a snapshot.
///
/// Expiry is no change: it follows from the record and the clock.
public sealed interface Change {
  /// A record was written or appended.
  record Put(byte[] key) implements Change {}

  /// A record was removed.
  record Delete(byte[] key) implements Change {}

  /// A range whose records and counters were removed, before the puts and additions of its commit.
  record DeleteRange(KeyRange range) implements Change {}

  /// A counter was added to.
  record Add(byte[] key, long delta) implements Change {}
}
