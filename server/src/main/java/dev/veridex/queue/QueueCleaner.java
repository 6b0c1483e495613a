package dev.veridex.queue;

import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.Directory;
import dev.veridex.common.Agent;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Cleans the queues of all buckets.
public final class QueueCleaner implements Agent {
  private final Store store;
  private final QueueCleanup cleanup;
  private final Function<Directory.Found, List<Cleaned>> queues;

  /// @param queues those of a bucket
  public QueueCleaner(Store store, Function<Directory.Found, List<Cleaned>> queues) {
    this.store = store;
    this.cleanup = new QueueCleanup(store);
    this.queues = queues;
  }

  /// A queue and how it is cleaned.
  public record Cleaned(Queue queue, QueueCleanup.Rules rules) {}

  @Override
  public boolean runOnce() {
    List<Cleaned> all = new ArrayList<>();
    try (Snapshot snapshot = store.snapshot()) {
      Buckets.each(snapshot, found -> all.addAll(queues.apply(found)));
    }
    boolean any = false;
    for (Cleaned each : all) {
      any |= cleanup.run(each.queue, each.rules) > 0;
    }
    return any;
  }
}
