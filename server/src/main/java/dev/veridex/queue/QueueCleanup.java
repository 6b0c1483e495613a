package dev.veridex.queue;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.VeridexException;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/// Removes elements that every group has read, and groups that nobody uses.
public final class QueueCleanup {
  /// What was read is kept a while, so that a group can be set back.
  public static final Duration SAFETY = Duration.ofHours(1);

  /// A range costs about as much as a few hundred elements: fewer wait for more.
  private static final int WORTH_IT = 500;

  private static final int AT_ONCE = 10_000;

  private final Store store;
  private final BiPredicate<Reader, BucketLocation> isThere;

  /// @param isThere whether there is anything in a location: in one that was cleaned up, nothing
  ///   may be left
  public QueueCleanup(Store store, BiPredicate<Reader, BucketLocation> isThere) {
    this.store = store;
    this.isThere = isThere;
  }

  /// The clean-up rules of a queue.
  ///
  /// @param groupTtl how long a group lives that nobody uses; absent: for ever
  /// @param retention how long elements live while there is no group; absent: for ever
  /// @param counted whose bytes its elements are counted as
  public record Rules(
      int shards,
      Optional<Duration> groupTtl,
      Optional<Duration> retention,
      Optional<BucketLookup.LocatedBucket> counted) {}

  /// Cleans a queue.
  ///
  /// @return how many elements were removed
  public long run(Queue queue, Rules rules) {
    rules.groupTtl.ifPresent(ttl -> dropUnused(queue, rules.shards, ttl));
    long removed = 0;
    List<Integer> used;
    try (Snapshot snapshot = store.snapshot()) {
      used = List.copyOf(queue.used(snapshot));
    }
    for (int shard : used) {
      int some;
      do {
        some = clean(queue, rules, shard);
        removed += some;
      } while (some == AT_ONCE);
    }
    return removed;
  }

  private void dropUnused(Queue queue, int shards, Duration groupTtl) {
    List<ReaderGroup> unused;
    try (Snapshot snapshot = store.snapshot()) {
      unused = unused(snapshot, queue, groupTtl);
    }
    for (ReaderGroup group : unused) {
      store.transact(
          transaction -> {
            // It may have been used since.
            if (unused(transaction, queue, groupTtl).contains(group)) {
              group.drop(transaction, shards);
            }
            return true;
          });
    }
  }

  private static List<ReaderGroup> unused(Reader reader, Queue queue, Duration groupTtl) {
    Instant limit = reader.now().minus(groupTtl);
    return ReaderGroup.of(reader, queue).stream()
        .filter(group -> group.lastUsed(reader).filter(time -> time.isAfter(limit)).isEmpty())
        .toList();
  }

  /// The bound below which a shard can be cleaned.
  ///
  /// @param upTo the last element that every group has read
  /// @param time when the last one was appended that is old enough
  /// @param worth how many it takes
  private record Bound(long upTo, Instant time, int worth) {}

  private int clean(Queue queue, Rules rules, int shard) {
    Queue.Head head;
    try (Snapshot snapshot = store.snapshot()) {
      Optional<Bound> bound = bound(snapshot, queue, rules, shard);
      if (bound.isEmpty()) {
        return 0;
      }
      head = queue.head(snapshot, shard, bound.get().upTo, bound.get().time, AT_ONCE);
      if (head.elements() < bound.get().worth) {
        return 0;
      }
    }
    return store
        .transact(
            transaction -> {
              // A group may have come, or been set back.
              boolean still =
                  isThere.test(transaction, queue.location())
                      && bound(transaction, queue, rules, shard)
                          .filter(
                              bound ->
                                  bound.upTo >= head.idx() && !bound.time.isBefore(head.last()))
                          .isPresent();
              if (still) {
                queue.remove(transaction, shard, head);
                giveBack(transaction, rules, head.bytes());
              }
              return still ? head.elements() : 0;
            })
        .result();
  }

  private static void giveBack(Transaction transaction, Rules rules, long bytes) {
    rules.counted.ifPresent(
        found ->
            VeridexException.throwIf(
                UsageCounters.count(
                    transaction,
                    found.holder(),
                    found.limits(),
                    new UsageCounters.Delta().add(Quota.BYTES, Optional.empty(), -bytes))));
  }

  private static Optional<Bound> bound(Reader reader, Queue queue, Rules rules, int shard) {
    List<ReaderGroup> groups = ReaderGroup.of(reader, queue);
    if (groups.isEmpty()) {
      return rules.retention.map(
          kept -> new Bound(Long.MAX_VALUE - 1, reader.now().minus(kept), 1));
    }
    long read =
        groups.stream()
            .mapToLong(group -> group.position(reader, shard).offset())
            .min()
            .orElseThrow();
    // What counts for a quota goes as soon as it can.
    int worth = rules.counted.isPresent() ? 1 : WORTH_IT;
    return Optional.of(new Bound(read, reader.now().minus(SAFETY), worth));
  }
}
