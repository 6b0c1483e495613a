package dev.veridex;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.common.BucketLocation;
import dev.veridex.documents.DocumentMetrics;
import dev.veridex.documents.DocumentReader;
import dev.veridex.documents.publish.Converter;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.publish.DocumentRebuild;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.documents.publish.IndexRefusals;
import dev.veridex.documents.publish.PublishCounters;
import dev.veridex.documents.publish.Publishers;
import dev.veridex.documents.publish.QueueAdministration;
import dev.veridex.documents.publish.RetrySchedule;
import dev.veridex.documents.publish.ShardPublisher;
import dev.veridex.documents.receive.DocumentReceiver;
import dev.veridex.documents.registry.EpochAdministration;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.IndexedBuckets;
import dev.veridex.documents.registry.Registries;
import dev.veridex.http.Route;
import dev.veridex.http.routes.documents.DocumentRoutes;
import dev.veridex.jobs.JobKind;
import dev.veridex.queue.LiveNodes;
import dev.veridex.queue.Queue;
import dev.veridex.queue.QueueCleaner.QueueRules;
import dev.veridex.queue.QueueCleanup;
import dev.veridex.search.indexing.TopicSignals;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import dev.veridex.topic.local.LocalTopics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Documents: received, kept in the registry, and published to the topics of their generations, as
/// are the rows of other buckets that are searched.
///
/// More than eight components: the services that other modules, and tests, are handed one by one.
///
/// @param access to whatever is searched
public record DocumentsModule(
    ResourceAccess access,
    DocumentReceiver receiver,
    DocumentReader reader,
    EpochAdministration epochs,
    QueueAdministration queues,
    DocumentRebuild rebuild,
    Publishers publishers,
    IndexGenerations generations,
    IndexRefusals refusals,
    Topics topics,
    TopicSignals signals)
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
      Store store,
      TenancyModule tenancy,
      BucketsModule buckets,
      ResourceRights rights,
      Domain.Parts parts) {
    BucketLookup lookup = buckets.lookup();
    TopicSignals signals = new TopicSignals();
    Topics topics = signals.announcing(new LocalTopics(store, TOPIC_RETENTION, lookup::isThere));
    ResourceAccess access = access(buckets, rights, Set.of(DocumentSettings.TYPE));
    ResourceAccess searched =
        access(buckets, rights, Set.of(DocumentSettings.TYPE, ObjectSettings.TYPE));
    Registries registries =
        new Registries(lookup, Map.of(ObjectSettings.TYPE, ObjectsModule.registries()));
    Epochs.Store epochs = new Epochs.Store();
    Publishers publishers =
        new Publishers(
            new ShardPublisher.Tools(
                store,
                registries,
                epochs,
                topics,
                Converter.USUAL,
                new PublishCounters(),
                parts.ids()),
            LiveNodes.alone(store, NODE),
            parts.publishing());
    IndexedBuckets indexed = new IndexedBuckets(lookup, searched);
    return new DocumentsModule(
        searched,
        new DocumentReceiver(store, access, epochs, publishers::queued),
        new DocumentReader(store, access, epochs),
        new EpochAdministration(store, access, buckets.buckets(), epochs),
        new QueueAdministration(store, indexed, buckets.buckets(), publishers),
        new DocumentRebuild(
            store, indexed, buckets.buckets(), epochs, registries, publishers, tenancy.jobs()),
        publishers,
        new IndexGenerations(lookup, epochs, registries),
        new IndexRefusals(store, lookup, epochs, registries, parts.ids()),
        topics,
        signals);
  }

  private static ResourceAccess access(
      BucketsModule buckets, ResourceRights rights, Set<String> types) {
    return new ResourceAccess(
        buckets.lookup(), buckets.access(), rights, types, DocumentReader::nothing);
  }

  /// The queues of a bucket that is searched, as they are cleaned.
  static List<QueueRules> cleaned(BucketLookup.LocatedBucket found) {
    BucketLocation location = found.data(found.bucket().side());
    int shards = IndexedSettings.of(found.bucket()).shardCount();
    return List.of(
        cleaned(location, DocumentQueues.MAIN, shards),
        cleaned(location, DocumentQueues.EMERGENCY, shards),
        cleaned(location, DocumentQueues.FAILED, shards * RetrySchedule.LANES));
  }

  private static QueueRules cleaned(BucketLocation location, String name, int shards) {
    return new QueueRules(
        new Queue(location, name),
        new QueueCleanup.Rules(shards, Optional.empty(), Optional.empty(), Optional.empty()));
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    return new DocumentRoutes(receiver, reader, epochs, context.seal()).routes();
  }

  @Override
  public List<JobKind> jobKinds() {
    return List.of(rebuild);
  }

  @Override
  public List<Task> tasks(ServerContext context) {
    return List.of(
        new Task("publishers", publishers, Duration.ZERO),
        // Queue depths are looked at now and then: to count them takes reading every queue.
        new Task(
            "lags",
            new DocumentMetrics(
                context.metrics(), context.store(), receiver, publishers.counts(), queues),
            LAGS_EVERY));
  }

  @Override
  public void finish() {
    publishers.finish();
  }

  @Override
  public void close() {
    publishers.stop();
  }
}
