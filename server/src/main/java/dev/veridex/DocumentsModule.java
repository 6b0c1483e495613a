package dev.veridex;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.documents.DocumentSystem;
import dev.veridex.http.Route;
import dev.veridex.http.routes.documents.DocumentRoutes;
import dev.veridex.metrics.Metrics;
import dev.veridex.search.indexing.TopicSignals;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import dev.veridex.topic.local.LocalTopics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// Documents: received, kept in the registry, and published to the topics of their generations.
public record DocumentsModule(DocumentSystem system, Topics topics, TopicSignals signals)
    implements ServerModule {
  /// How long a topic in the store keeps messages. An index that comes later has all of them sent
  /// anew from the registry.
  static final Duration TOPIC_RETENTION = Duration.ofDays(7);

  /// How long messages are kept that indexes have read: whoever is told of changes may be away so
  /// long.
  static final Duration CHANGES_RETENTION = Duration.ofDays(1);

  private static final Duration LAGS_EVERY = Duration.ofSeconds(5);

  /// A folder has one process at a time, so whoever opens it goes on at once with what the one
  /// before had taken. Nodes that share a database need a name each.
  private static final String NODE = "the only one";

  static DocumentsModule on(
      Store store, BucketsModule buckets, ResourceRights rights, RandomGenerator ids) {
    BucketLookup lookup = buckets.lookup();
    TopicSignals signals = new TopicSignals();
    Topics topics = signals.announcing(new LocalTopics(store, TOPIC_RETENTION, lookup::isThere));
    return new DocumentsModule(
        DocumentSystem.of(
            new DocumentSystem.Parts(
                store,
                lookup,
                buckets.access(),
                rights,
                buckets.buckets(),
                topics,
                Map.of(ObjectSettings.TYPE, ObjectsModule.registries()),
                NODE,
                ids)),
        topics,
        signals);
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    return new DocumentRoutes(
            system.receiver(), system.documents(), system.epochs(), context.seal())
        .routes();
  }

  @Override
  public List<Task> tasks(ServerContext context) {
    return List.of(new Task("publishers", system.publishers(), Duration.ZERO));
  }

  /// Queue depths are looked at now and then: to count them takes reading every queue.
  Task lags(Metrics metrics, Store store) {
    return new Task("lags", new DocumentMetrics(metrics, store, system), LAGS_EVERY);
  }

  @Override
  public void finish() {
    system.publishers().finish();
  }

  @Override
  public void close() {
    system.publishers().stop();
  }
}
