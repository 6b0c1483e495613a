package dev.veridex.queue;

import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.Buckets;
import dev.veridex.common.Agent;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Cleans the queues of all buckets.
public final class QueueCleaner implements Agent {
  private static final System.Logger LOG = System.getLogger(QueueCleaner.class.getName());

  private final Store store;
  private final QueueCleanup cleanup;
  private final Function<BucketLookup.LocatedBucket, List<QueueRules>> queues;

  /// @param queues those of a bucket
  public QueueCleaner(
      Store store,
      BucketLookup lookup,
      Function<BucketLookup.LocatedBucket, List<QueueRules>> queues) {
    this.store = store;
    this.cleanup = new QueueCleanup(store, lookup::isThere);
    this.queues = queues;
  }

  /// A queue and how it is cleaned.
  public record QueueRules(Queue queue, QueueCleanup.Rules rules) {}

  @Override
  public boolean runOnce() {
    List<QueueRules> all = new ArrayList<>();
    try (Snapshot snapshot = store.snapshot()) {
      Buckets.each(snapshot, found -> all.addAll(queues.apply(found)));
    }
    boolean any = false;
    for (QueueRules each : all) {
      try {
        any |= cleanup.run(each.queue, each.rules) > 0;
      } catch (RuntimeException e) {
        // The others go on.
        LOG.log(WARNING, "a queue could not be cleaned, it will be tried again", e);
      }
    }
    return any;
  }
}
