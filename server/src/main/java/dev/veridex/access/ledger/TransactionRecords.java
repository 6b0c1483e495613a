package dev.veridex.access.ledger;

import dev.veridex.common.Expiry;
import dev.veridex.common.Instants;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The records of an index in a store, inside a transaction that changes them.
public final class TransactionRecords extends StoredRecords implements AccessRecords.Mutable {
  private final Transaction transaction;
  private final Instant forgotten;

  /// @param forgotten when what is remembered now is
  TransactionRecords(
      Transaction transaction, Scope scope, long incarnation, long generation, Instant forgotten) {
    super(transaction, scope, incarnation, generation);
    this.transaction = transaction;
    this.forgotten = forgotten;
  }

  @Override
  public void put(RecordKind kind, byte[] key, byte[] value) {
    transaction.put(key(kind, key), value);
  }

  /// Writes a record that ends, and is gone when the past of its end is.
  ///
  /// @param end absent: it does not end
  void put(RecordKind kind, byte[] key, byte[] value, Optional<Instant> end) {
    if (end.isEmpty()) {
      put(kind, key, value);
      return;
    }
    Instant later = Instants.later(end.get(), transaction.now());
    Instant gone = later.plus(Duration.between(transaction.now(), forgotten));
    transaction.put(key(kind, key), value, Instants.earlier(gone, Expiry.LATEST));
  }

  @Override
  public void remember(RecordKind kind, byte[] key, byte[] value) {
    transaction.put(key(kind, key), value, forgotten);
  }

  @Override
  public void append(RecordKind kind, byte[] value) {
    transaction.append(prefix(kind), value, forgotten);
  }

  @Override
  public void delete(RecordKind kind, byte[] key) {
    transaction.delete(key(kind, key));
  }
}
