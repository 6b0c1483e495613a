package dev.veridex.documents;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.publish.PublishTask;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Store;
import java.nio.ByteBuffer;
import java.time.Instant;

/// Puts an element with the number 1 where elements are that were tried too often.
public final class DeadElement {
  private DeadElement() {}

  public static void put(Store store, BucketLookup.LocatedBucket found, String pk) {
    BucketLocation location = found.data(found.bucket().side());
    byte[] prefix =
        location.prefix(RecordKind.QUEUE).string(DocumentQueues.DEAD).unsigned(0).toKey();
    byte[] payload =
        PublishTask.of(pk, new VersionTuple(1, 1, 0))
            .failed(
                Problem.of(ErrorCode.SCHEMA_MISMATCH, "it was poison"),
                Instant.EPOCH,
                DocumentQueues.MAIN)
            .encode();
    byte[] counter =
        location
            .prefix(RecordKind.QUEUE_OFFSET)
            .string(DocumentQueues.DEAD)
            .unsigned(0)
            .octet(0)
            .toKey();
    store.transact(
        transaction -> {
          transaction.add(counter, 1);
          transaction.put(
              AppendedRecord.key(prefix, 1),
              ByteBuffer.allocate(Long.BYTES + payload.length).putLong(0).put(payload).array());
          return true;
        });
  }
}
