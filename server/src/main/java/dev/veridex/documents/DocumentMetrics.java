package dev.veridex.documents;

import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.Agent;
import dev.veridex.documents.publish.PublishCounters;
import dev.veridex.documents.publish.QueueAdministration;
import dev.veridex.documents.receive.DocumentReceiver;
import dev.veridex.metrics.Metrics;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/// Queue depth and throughput metrics of all document buckets. Shards of the same number are
/// counted together, so no tenant is told.
public final class DocumentMetrics implements Agent {
  private final Metrics metrics;
  private final Store store;
  private final QueueAdministration queues;
  private volatile Map<Shard, Lag> lags = new ConcurrentHashMap<>();

  public DocumentMetrics(
      Metrics metrics,
      Store store,
      DocumentReceiver receiver,
      PublishCounters counts,
      QueueAdministration queues) {
    this.metrics = metrics;
    this.store = store;
    this.queues = queues;
    total(
        "veridex_documents_sent_total", "Elements of queues that are done with", counts.elements());
    total(
        "veridex_documents_superseded_total",
        "Elements of which something newer was known",
        counts.superseded());
    total("veridex_documents_failed_total", "Attempts that did not succeed", counts.failed());
    total("veridex_topic_troubles_total", "Times that a topic was away", counts.troubles());
    total("veridex_shards_lost_total", "Times that another node had a shard", counts.lost());
    metrics.counter(
        "veridex_documents_reordered_total",
        "Documents with a larger version and an older time than what they replaced",
        Map.of(),
        () -> (double) receiver.reordered());
  }

  private void total(String name, String help, LongAdder count) {
    metrics.counter(name, help, Map.of(), () -> (double) count.sum());
  }

  private record Shard(String queue, int number) {}

  /// @param seconds how long the first one has waited
  private record Lag(long elements, double seconds, double rate) {
    private static final Lag NONE = new Lag(0, 0, 0);

    private Lag and(Lag other) {
      return new Lag(
          elements + other.elements, Math.max(seconds, other.seconds), rate + other.rate);
    }
  }

  /// Looks at all queues.
  @Override
  public boolean runOnce() {
    Map<Shard, Lag> found = new HashMap<>();
    try (Snapshot snapshot = store.snapshot()) {
      Buckets.each(
          snapshot,
          bucket -> {
            if (IndexedSettings.isIndexed(bucket.bucket())) {
              for (QueueAdministration.State state : queues.states(snapshot, bucket)) {
                for (QueueAdministration.ShardLag waiting : state.shards()) {
                  found.merge(
                      new Shard(state.name(), waiting.shard()),
                      lag(waiting, snapshot.now()),
                      Lag::and);
                }
              }
            }
          });
    }
    lags = found;
    found.keySet().forEach(this::register);
    return !found.isEmpty();
  }

  private static Lag lag(QueueAdministration.ShardLag waiting, Instant now) {
    double seconds =
        waiting.oldest().map(since -> Duration.between(since, now).toMillis() / 1e3).orElse(0.0);
    return new Lag(waiting.elements(), seconds, waiting.rate());
  }

  private void register(Shard shard) {
    Map<String, String> labels =
        Map.of("queue", shard.queue, "shard", Integer.toString(shard.number));
    gauge("veridex_queue_elements", "Elements that wait", labels, () -> of(shard).elements);
    gauge(
        "veridex_queue_age_seconds",
        "How long the first element has waited",
        labels,
        () -> of(shard).seconds);
    gauge("veridex_queue_rate", "Elements sent a second, lately", labels, () -> of(shard).rate);
  }

  private void gauge(String name, String help, Map<String, String> labels, DoubleSupplier value) {
    metrics.gauge(name, help, labels, value);
  }

  private Lag of(Shard shard) {
    return lags.getOrDefault(shard, Lag.NONE);
  }
}
