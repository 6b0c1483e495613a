package dev.veridex.queue;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ContentIntegrity.Contents;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Reader;
import java.util.Optional;
import java.util.function.Consumer;

/// Counts what is in buckets that are queues.
public final class QueueIntegrity implements Contents {
  private static final int AT_ONCE = 100;
  private static final long MAX_BYTES = 8L << 20;

  @Override
  public void look(
      Reader reader,
      BucketLookup.LocatedBucket found,
      UsageCounters.Delta held,
      Consumer<String> drift,
      Runnable looked) {
    Queue queue = MessageQueues.queue(found);
    for (int shard : queue.used(reader)) {
      long after = 0;
      var elements = queue.read(reader, shard, after, AT_ONCE, MAX_BYTES);
      while (!elements.isEmpty()) {
        for (Queue.Element element : elements) {
          looked.run();
          held.add(Quota.BYTES, Optional.empty(), element.payload().length);
          after = element.idx();
        }
        elements = queue.read(reader, shard, after, AT_ONCE, MAX_BYTES);
      }
    }
  }
}
