package dev.veridex.benchmarks;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.CityHash64;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.queue.Queue;
import dev.veridex.store.Store;
import java.nio.ByteBuffer;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/// The records that documents become, written without asking anything: a row, a body, and an
/// element of a queue for each.
final class DocumentRaw {
  private static final int SHARDS = 4;

  /// The row of the registry: of no other interest here than its size.
  private static final int ROW_BYTES = 62;

  private static final BucketLocation LOCATION =
      new BucketLocation(new Scope.Tenant("acme"), 0, DocumentWorld.BUCKET, 1);

  private DocumentRaw() {}

  /// Writes documents as a transaction of our store.
  static void transact(Store store, int count) {
    long first = DocumentData.take(count);
    store.transact(
        transaction -> {
          for (long n = first; n < first + count; n++) {
            String pk = DocumentData.pk(n);
            transaction.put(key(RecordKind.DOCUMENT, pk), new byte[ROW_BYTES]);
            transaction.put(key(RecordKind.DOCUMENT_BODY, pk), body(n));
            transaction.append(shard(pk), element(pk));
          }
          return null;
        });
  }

  /// Writes documents as a batch of RocksDB.
  static void write(RawRocks rocks, int count) {
    long first = DocumentData.take(count);
    try (WriteBatch batch = new WriteBatch()) {
      for (long n = first; n < first + count; n++) {
        String pk = DocumentData.pk(n);
        batch.put(key(RecordKind.DOCUMENT, pk), new byte[ROW_BYTES]);
        batch.put(key(RecordKind.DOCUMENT_BODY, pk), body(n));
        batch.put(KeyWriter.after(shard(pk)).unsigned(n).toKey(), element(pk));
      }
      rocks.db.write(rocks.synced, batch);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  /// One small record, on disk when this returns.
  static void commit(Store store) {
    long n = DocumentData.take(1);
    store.transact(
        transaction -> {
          transaction.put(Data.otherKey(n), new byte[1]);
          return null;
        });
  }

  private static byte[] key(RecordKind kind, String pk) {
    return LOCATION.prefix(kind).unsigned(CityHash64.of(pk)).string(pk).unsigned(1).toKey();
  }

  private static byte[] body(long n) {
    return Loopback.joined(new byte[1], DocumentData.bytes(n));
  }

  private static byte[] shard(String pk) {
    return LOCATION
        .prefix(RecordKind.QUEUE)
        .string("main")
        .unsigned(Queue.shard(pk, SHARDS))
        .toKey();
  }

  private static byte[] element(String pk) {
    byte[] element =
        new KeyWriter()
            .string(pk)
            .signed(1)
            .signed(1)
            .signed(DocumentData.modifiedMicros())
            .toKey();
    return ByteBuffer.allocate(Long.BYTES + element.length).putLong(0).put(element).array();
  }
}
