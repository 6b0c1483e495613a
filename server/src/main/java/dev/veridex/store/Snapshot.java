package dev.veridex.store;

/// A [Reader] of the newest state at the moment it was opened; it holds resources until closed.
///
/// Any thread may use it, also several at once; each [Cursor] belongs to one. Resources are let go
/// when the snapshot and all of its cursors are closed.
///
/// Not promised: that a snapshot used for longer than the store's grace still shows records that
/// have expired since it was opened. The engine drops them for everybody.
public interface Snapshot extends Reader, AutoCloseable {
  @Override
  void close();
}
