package dev.veridex.access;

import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.store.Transaction;

/// The records of an index in a store, inside a transaction that changes them.
final class StoredChanges extends StoredRecords implements Records.Mutable {
  private final Transaction transaction;

  StoredChanges(Transaction transaction, Scope scope, long incarnation, long generation) {
    super(transaction, scope, incarnation, generation);
    this.transaction = transaction;
  }

  @Override
  public void put(Space space, byte[] key, byte[] value) {
    transaction.put(key(space, key), value);
  }

  @Override
  public void delete(Space space, byte[] key) {
    transaction.delete(key(space, key));
  }
}
