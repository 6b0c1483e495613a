package dev.veridex.documents.publish;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registries;
import dev.veridex.queue.Queue;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The documents that a search index refused, queued for retry among the failed elements.
///
/// An index is told the same again after a crash. So it is remembered which state was refused, and
/// how often: what is refused again without having been tried again is known already.
public final class IndexRefusals {
  /// Longer than any topic tells the same again.
  private static final Duration REMEMBERED = Duration.ofDays(30);

  private final Store store;
  private final BucketLookup lookup;
  private final Epochs.Store epochs;
  private final Registries registries;
  private final RandomGenerator random;

  public IndexRefusals(
      Store store,
      BucketLookup lookup,
      Epochs.Store epochs,
      Registries registries,
      RandomGenerator random) {
    this.store = store;
    this.lookup = lookup;
    this.epochs = epochs;
    this.registries = registries;
    this.random = random;
  }

  /// A state of a document that was refused.
  ///
  /// @param attempts how often it was refused before
  public record Refusal(String pk, VersionTuple tuple, int attempts) {}

  /// Puts a document among the failed elements, unless that was done, or a newer state is known.
  public void add(IndexGeneration generation, Refusal refused, Problem problem) {
    store.transact(
        transaction -> {
          add(transaction, generation.location(), refused, problem);
          return true;
        });
  }

  private void add(
      Transaction transaction, BucketLocation location, Refusal refused, Problem problem) {
    Optional<IndexedSettings> settings = IndexedSettings.in(lookup, transaction, location);
    byte[] key = key(location, refused.pk);
    boolean known =
        transaction
            .get(key)
            .map(IndexRefusals::decode)
            .filter(last -> last.tuple.equals(refused.tuple) && last.attempts > refused.attempts)
            .isPresent();
    if (settings.isEmpty() || known || !isNewest(transaction, location, refused)) {
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
    RetrySchedule.add(transaction, location, Queue.shard(refused.pk, shards), shards, element);
    transaction.put(
        key, encode(refused.tuple, refused.attempts + 1), transaction.now().plus(REMEMBERED));
  }

  private boolean isNewest(Transaction transaction, BucketLocation location, Refusal refused) {
    return registries
        .at(transaction, location)
        .find(transaction, List.of(refused.pk), epochs.read(transaction, location).numbers())
        .getFirst()
        .newest()
        .filter(row -> row.tuple().equals(refused.tuple))
        .isPresent();
  }

  /// Somebody wants it to be tried as if it were new.
  static void forget(Transaction transaction, BucketLocation location, String pk) {
    transaction.delete(key(location, pk));
  }

  private static byte[] key(BucketLocation location, String pk) {
    return location.prefix(RecordKind.REFUSED).string(pk).toKey();
  }

  private static byte[] encode(VersionTuple tuple, int attempts) {
    return new KeyWriter()
        .signed(tuple.epoch())
        .signed(tuple.version())
        .signed(tuple.modifiedMicros())
        .signed(attempts)
        .toKey();
  }

  private record LastRefusal(VersionTuple tuple, int attempts) {}

  private static LastRefusal decode(byte[] bytes) {
    KeyReader in = new KeyReader(bytes);
    return new LastRefusal(
        new VersionTuple(in.signed(), in.signed(), in.signed()), Math.toIntExact(in.signed()));
  }
}
