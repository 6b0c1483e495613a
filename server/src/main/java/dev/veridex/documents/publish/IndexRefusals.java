package dev.veridex.documents.publish;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.registry.DocumentRegistry;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.queue.Queue;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Puts documents that a search index does not take among the failed elements: they are tried
/// again, and in the end wait for somebody.
///
/// An index is told the same again after a crash. So it is remembered which state was refused, and
/// how often: what is refused again without having been tried again is known already.
public final class IndexRefusals {
  /// Longer than any topic tells the same again.
  private static final Duration REMEMBERED = Duration.ofDays(30);

  private final Store store;
  private final BucketLookup directory;
  private final Epochs.Store epochs;
  private final RandomGenerator random;

  public IndexRefusals(
      Store store, BucketLookup directory, Epochs.Store epochs, RandomGenerator random) {
    this.store = store;
    this.directory = directory;
    this.epochs = epochs;
    this.random = random;
  }

  /// A state of a document that was refused.
  ///
  /// @param attempts how often it was refused before
  public record Refused(String pk, VersionTuple tuple, int attempts) {}

  /// Puts a document among the failed elements, unless that was done, or a newer state is known.
  public void add(IndexGeneration generation, Refused refused, Problem problem) {
    store.transact(
        transaction -> {
          add(transaction, generation.place(), refused, problem);
          return true;
        });
  }

  private void add(
      Transaction transaction, BucketLocation place, Refused refused, Problem problem) {
    Optional<DocumentSettings> settings = DocumentSettings.in(directory, transaction, place);
    byte[] key = key(place, refused.pk);
    boolean known =
        transaction
            .get(key)
            .map(IndexRefusals::decode)
            .filter(last -> last.tuple.equals(refused.tuple) && last.attempts > refused.attempts)
            .isPresent();
    if (settings.isEmpty() || known || !isNewest(transaction, place, refused)) {
      return;
    }
    PublishTask element =
        new PublishTask(
                refused.pk,
                refused.tuple,
                new PublishTask.Trouble(
                    refused.attempts, "", transaction.now(), DocumentQueues.MAIN))
            .failed(
                problem,
                RetrySchedule.next(transaction.now(), refused.attempts, random),
                DocumentQueues.MAIN);
    int shards = settings.get().shardCount();
    RetrySchedule.add(transaction, place, Queue.shard(refused.pk, shards), shards, element);
    transaction.put(
        key, encode(refused.tuple, refused.attempts + 1), transaction.now().plus(REMEMBERED));
  }

  private boolean isNewest(Transaction transaction, BucketLocation place, Refused refused) {
    return new DocumentRegistry(place)
        .find(transaction, List.of(refused.pk), epochs.read(transaction, place).numbers())
        .getFirst()
        .newest()
        .filter(row -> row.tuple().equals(refused.tuple))
        .isPresent();
  }

  /// Somebody wants it to be tried as if it were new.
  static void forget(Transaction transaction, BucketLocation place, String pk) {
    transaction.delete(key(place, pk));
  }

  private static byte[] key(BucketLocation place, String pk) {
    return place.prefix(RecordKind.REFUSED).string(pk).toKey();
  }

  private static byte[] encode(VersionTuple tuple, int attempts) {
    return new KeyWriter()
        .signed(tuple.epoch())
        .signed(tuple.version())
        .signed(tuple.modifiedMicros())
        .signed(attempts)
        .toKey();
  }

  private record Known(VersionTuple tuple, int attempts) {}

  private static Known decode(byte[] bytes) {
    KeyReader in = new KeyReader(bytes);
    return new Known(
        new VersionTuple(in.signed(), in.signed(), in.signed()), Math.toIntExact(in.signed()));
  }
}
