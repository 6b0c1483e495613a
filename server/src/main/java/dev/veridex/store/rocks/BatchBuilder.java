package dev.veridex.store.rocks;

import dev.veridex.common.Expiry;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Transaction;
import dev.veridex.store.optimistic.ConflictWindow;
import dev.veridex.store.optimistic.WriteSet;
import dev.veridex.store.optimistic.WriteSet.Write;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/// Puts the writes of a group of transactions into one batch, which the engine applies as a whole.
final class BatchBuilder implements AutoCloseable {
  /// Greater than every key, and than every bound of a range.
  private static final byte[] END = new byte[Transaction.MAX_KEY_BYTES + 2];

  static {
    Arrays.fill(END, (byte) 0xFF);
  }

  private final RocksDatabase database;
  private final ExpirySchedules.Additions expiring;
  private final ExpiryFrame frame;
  private final ConflictWindow window;
  private final long sequenceBefore;
  private final long timeMicros;
  private final WriteBatch batch = new WriteBatch();

  /// @param window knows what earlier transactions of the same group wrote
  /// @param sequenceBefore the last commit that the database holds
  BatchBuilder(
      RocksDatabase database,
      ExpirySchedules schedules,
      ExpiryFrame frame,
      ConflictWindow window,
      long sequenceBefore,
      long timeMicros) {
    this.database = database;
    this.expiring = schedules.new Additions();
    this.frame = frame;
    this.window = window;
    this.sequenceBefore = sequenceBefore;
    this.timeMicros = timeMicros;
  }

  /// The batch, once everything was added.
  WriteBatch finish() throws RocksDBException {
    expiring.addTo(batch, database);
    return batch;
  }

  void add(PendingCommit commit, long sequence) throws RocksDBException {
    WriteSet writes = commit.writes();
    for (KeyRange range : writes.deletedRanges()) {
      deleteRange(range);
    }
    for (Map.Entry<byte[], Write> write : writes.records().entrySet()) {
      switch (write.getValue()) {
        case Write.Put(byte[] value, long expiresAt) -> put(write.getKey(), value, expiresAt);
        case Write.Delete() -> delete(write.getKey(), null);
      }
    }
    for (WriteSet.Append append : writes.appends()) {
      put(append.handle().keyAt(sequence), append.write().value(), append.write().expiresAt());
    }
    for (Map.Entry<byte[], Long> addition : writes.additions().entrySet()) {
      database.willHold(Family.COUNTERS, addition.getKey());
      batch.merge(
          database.handle(Family.COUNTERS),
          addition.getKey(),
          CounterValue.encode(addition.getValue()));
    }
    CommitRecord.setTime(commit.logRecord(), timeMicros);
    put(Family.LOG, logKey(sequence), commit.logRecord());
  }

  static byte[] logKey(long sequence) {
    return ByteBuffer.allocate(Long.BYTES).putLong(sequence).array();
  }

  @Override
  public void close() {
    batch.close();
  }

  private void put(byte[] key, byte[] value, long expiresAt) throws RocksDBException {
    if (expiresAt == Expiry.NEVER) {
      put(Family.PERMANENT, key, value);
      delete(key, Family.PERMANENT);
    } else {
      Family family = Family.forLife(expiresAt - timeMicros);
      put(family, key, frame.encode(value, expiresAt));
      expiring.written(family, frame.goneAt(expiresAt));
      delete(key, family);
    }
  }

  private void put(Family family, byte[] key, byte[] value) throws RocksDBException {
    database.willHold(family, key);
    batch.put(database.handle(family), key, value);
  }

  /// Removes a key from all families but one. Where the filters say that it is not there, and
  /// nobody put it there in this very batch, no tombstone is spent on it.
  private void delete(byte[] key, @Nullable Family except) throws RocksDBException {
    for (Family family : Family.RECORDS) {
      if (family != except
          && database.mayHold(family, key)
          && (window.wroteAfter(key, sequenceBefore)
              || database.rocks().keyMayExist(database.handle(family), key, null))) {
        batch.delete(database.handle(family), key);
      }
    }
  }

  private void deleteRange(KeyRange range) throws RocksDBException {
    for (Family family : Family.values()) {
      if ((Family.RECORDS.contains(family) || family == Family.COUNTERS)
          && database.mayHold(family, range)) {
        batch.deleteRange(database.handle(family), range.from(), range.to().orElse(END));
      }
    }
  }
}
