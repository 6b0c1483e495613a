package dev.veridex.documents;

import dev.veridex.buckets.DataPlace;
import dev.veridex.buckets.Directory;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Space;
import dev.veridex.common.Tuple;
import dev.veridex.store.Appended;
import dev.veridex.store.Store;
import java.nio.ByteBuffer;
import java.time.Instant;

/// Puts an element with the number 1 where elements are that were tried too often.
public final class DeadElement {
  private DeadElement() {}

  public static void put(Store store, Directory.Found found, String pk) {
    DataPlace place = found.data(found.bucket().side());
    byte[] prefix = place.prefix(Space.QUEUE).string(Queues.DEAD).unsigned(0).toKey();
    byte[] payload =
        Element.of(pk, new Tuple(1, 1, 0))
            .failed(
                Problem.of(ErrorCode.SCHEMA_MISMATCH, "it was poison"), Instant.EPOCH, Queues.MAIN)
            .encode();
    byte[] counter =
        place.prefix(Space.QUEUE_OFFSET).string(Queues.DEAD).unsigned(0).octet(0).toKey();
    store.transact(
        transaction -> {
          transaction.add(counter, 1);
          transaction.put(
              Appended.key(prefix, 1),
              ByteBuffer.allocate(Long.BYTES + payload.length).putLong(0).put(payload).array());
          return true;
        });
  }
}
