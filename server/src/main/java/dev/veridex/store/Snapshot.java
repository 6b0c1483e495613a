package dev.veridex.store;

/// A [Reader] of the newest state at the moment it was opened; it holds resources until closed.
///
/// Any thread may use it, also several at once; each [Cursor] belongs to one.
public interface Snapshot extends Reader, AutoCloseable {
  @Override
  void close();
}
