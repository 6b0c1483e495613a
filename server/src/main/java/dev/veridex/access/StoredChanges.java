package dev.veridex.access;

import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.store.Transaction;
import java.time.Instant;

/// The records of an index in a store, inside a transaction that changes them.
final class StoredChanges extends StoredRecords implements Records.Mutable {
  private final Transaction transaction;
  private final Instant forgotten;

  /// @param forgotten when what is remembered now is
  StoredChanges(
      Transaction transaction, Scope scope, long incarnation, long generation, Instant forgotten) {
    super(transaction, scope, incarnation, generation);
    this.transaction = transaction;
    this.forgotten = forgotten;
  }

  @Override
  public void put(Space space, byte[] key, byte[] value) {
    transaction.put(key(space, key), value);
  }

  @Override
  public void remember(Space space, byte[] key, byte[] value) {
    transaction.put(key(space, key), value, forgotten);
  }

  @Override
  public void append(Space space, byte[] value) {
    transaction.append(prefix(space), value, forgotten);
  }

  @Override
  public void delete(Space space, byte[] key) {
    transaction.delete(key(space, key));
  }
}
