package dev.veridex.documents;

import dev.veridex.buckets.BucketAccess;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.common.BucketLocation;
import dev.veridex.documents.publish.Converter;
import dev.veridex.documents.publish.DocumentQueues;
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
import dev.veridex.queue.LiveNodes;
import dev.veridex.queue.Queue;
import dev.veridex.queue.QueueCleaner.QueueRules;
import dev.veridex.queue.QueueCleanup;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/// The services of document buckets and, as far as they are searched, of others, assembled from
/// their dependencies.
public record DocumentSystem(
    ResourceAccess access,
    DocumentReceiver receiver,
    DocumentReader documents,
    EpochAdministration epochs,
    QueueAdministration queues,
    Publishers publishers,
    IndexGenerations generations,
    IndexRefusals refusals) {

  /// The constructor inputs of the document system.
  ///
  /// More than eight components: one for each thing that it is handed.
  ///
  /// @param registries of the buckets of other types that are searched
  /// @param node the id of this node, which no other ever has
  /// @param random for pauses
  public record Parts(
      Store store,
      BucketLookup lookup,
      BucketAccess access,
      ResourceRights rights,
      Buckets buckets,
      Topics topics,
      Map<String, Registries.Kind> registries,
      String node,
      RandomGenerator random) {}

  public static DocumentSystem of(Parts parts) {
    ResourceAccess access =
        new ResourceAccess(
            parts.lookup,
            parts.access,
            parts.rights,
            Set.of(DocumentSettings.TYPE),
            DocumentReader::nothing);
    ResourceAccess searched =
        new ResourceAccess(
            parts.lookup,
            parts.access,
            parts.rights,
            Set.of(DocumentSettings.TYPE, ObjectSettings.TYPE),
            DocumentReader::nothing);
    Registries registries = new Registries(parts.lookup, parts.registries);
    Epochs.Store epochs = new Epochs.Store();
    Publishers publishers =
        new Publishers(
            new ShardPublisher.Tools(
                parts.store,
                registries,
                epochs,
                parts.topics,
                Converter.USUAL,
                new PublishCounters(),
                parts.random),
            LiveNodes.alone(parts.store, parts.node));
    EpochAdministration administration =
        new EpochAdministration(parts.store, access, parts.buckets, epochs);
    return new DocumentSystem(
        searched,
        new DocumentReceiver(parts.store, access, epochs, publishers::queued),
        new DocumentReader(parts.store, access, epochs),
        administration,
        new QueueAdministration(
            parts.store,
            new IndexedBuckets(parts.lookup, searched),
            parts.buckets,
            epochs,
            registries,
            publishers),
        publishers,
        new IndexGenerations(parts.lookup, epochs, registries),
        new IndexRefusals(parts.store, parts.lookup, epochs, registries, parts.random));
  }

  /// The queues of a bucket of documents, as they are cleaned.
  public static List<QueueRules> cleaned(BucketLookup.LocatedBucket found) {
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
}
