package dev.veridex.store.optimistic;

/// A position in a scan of an engine's records, expired ones among them; starts before the first.
public interface StoredCursor extends AutoCloseable {
  boolean next();

  byte[] key();

  /// Fetched when asked for, so that a scan of keys alone does not copy values.
  byte[] value();

  long expiresAt();

  long goneAt();

  @Override
  void close();
}
