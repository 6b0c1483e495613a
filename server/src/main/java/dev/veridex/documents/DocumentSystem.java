package dev.veridex.documents;

import dev.veridex.buckets.Access;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.DataPlace;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.queue.Nodes;
import dev.veridex.queue.Queue;
import dev.veridex.queue.QueueCleaner.Cleaned;
import dev.veridex.queue.QueueCleanup;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// All that there is to documents, put together.
public record DocumentSystem(
    ResourceAccess access,
    Receiver receiver,
    Documents documents,
    EpochAdministration epochs,
    QueueDesk queues,
    Indexers indexers,
    Generations generations,
    IndexRefusals refusals) {

  /// What it needs.
  ///
  /// @param node the id of this node, which no other ever has
  /// @param random for pauses
  public record Parts(
      Store store,
      Directory directory,
      Access access,
      ResourceRights rights,
      Buckets buckets,
      Topics topics,
      String node,
      RandomGenerator random) {}

  public static DocumentSystem of(Parts parts) {
    ResourceAccess access =
        new ResourceAccess(
            parts.directory, parts.access, parts.rights, DocumentSettings.TYPE, Documents::nothing);
    Epochs.Store epochs = new Epochs.Store();
    Indexers indexers =
        new Indexers(
            new ShardIndexer.Tools(
                parts.store,
                parts.directory,
                epochs,
                parts.topics,
                Converter.USUAL,
                new Counts(),
                parts.random),
            Nodes.alone(parts.store, parts.node));
    EpochAdministration administration =
        new EpochAdministration(parts.store, access, parts.directory, parts.buckets, epochs);
    return new DocumentSystem(
        access,
        new Receiver(parts.store, access, epochs, indexers::queued),
        new Documents(parts.store, access, epochs),
        administration,
        new QueueDesk(parts.store, administration, parts.buckets, epochs, indexers),
        indexers,
        new Generations(parts.directory, epochs),
        new IndexRefusals(parts.store, parts.directory, epochs, parts.random));
  }

  /// The queues of a bucket of documents, as they are cleaned.
  public static List<Cleaned> cleaned(Directory.Found found) {
    DataPlace place = found.data(found.bucket().side());
    int shards = DocumentSettings.of(found.bucket()).shardCount();
    return List.of(
        cleaned(place, Queues.MAIN, shards),
        cleaned(place, Queues.EMERGENCY, shards),
        cleaned(place, Queues.FAILED, shards * Retries.LANES));
  }

  private static Cleaned cleaned(DataPlace place, String name, int shards) {
    return new Cleaned(
        new Queue(place, name),
        new QueueCleanup.Rules(shards, Optional.empty(), Optional.empty(), Optional.empty()));
  }
}
