package dev.veridex.store;

/// A position in a scan; it starts before the first record.
///
/// It must be closed; until then it keeps the snapshot's state alive, also when the snapshot itself
/// is closed. A transaction closes its cursors when it ends. It belongs to one thread.
public interface Cursor extends AutoCloseable {
  /// Moves to the next record.
  ///
  /// @return whether there is one
  boolean next();

  byte[] key();

  byte[] value();

  /// The record at this position with all that is known of it.
  Entry entry();

  @Override
  void close();
}
