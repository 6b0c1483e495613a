package dev.veridex.documents.publish;

import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.registry.IndexedBuckets;
import dev.veridex.identity.Caller;
import dev.veridex.queue.Queue;
import dev.veridex.queue.ReaderGroup;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.ChangeResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The queues of a document bucket, for those who administer it: listed, requeued, dropped.
public final class QueueAdministration {
  private static final int AT_ONCE = 1000;

  private final Store store;
  private final IndexedBuckets indexed;
  private final Buckets buckets;
  private final Publishers publishers;

  public QueueAdministration(
      Store store, IndexedBuckets indexed, Buckets buckets, Publishers publishers) {
    this.store = store;
    this.indexed = indexed;
    this.buckets = buckets;
    this.publishers = publishers;
  }

  /// The lag of a shard.
  ///
  /// @param oldest since when the first element waits
  /// @param rate how many are sent a second, by this node, lately
  public record ShardLag(int shard, long elements, Optional<Instant> oldest, double rate) {}

  /// A queue and what waits in it.
  public record State(String name, List<ShardLag> shards) {
    public long elements() {
      return shards.stream().mapToLong(ShardLag::elements).sum();
    }
  }

  /// The queues of a bucket.
  public List<State> states(ActingCaller actor, Namespace namespace, String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      return states(snapshot, indexed.administered(snapshot, actor, namespace, bucket));
    }
  }

  /// The queues of a bucket, as a reader sees them.
  public List<State> states(Reader reader, BucketLookup.LocatedBucket found) {
    BucketLocation location = found.data(found.bucket().side());
    int shards = IndexedSettings.of(found.bucket()).shardCount();
    return DocumentQueues.NAMES.stream()
        .map(
            name ->
                new State(
                    name,
                    IntStream.range(0, shards)
                        .mapToObj(shard -> waiting(reader, location, name, shard, shards))
                        .toList()))
        .toList();
  }

  private ShardLag waiting(
      Reader reader, BucketLocation location, String name, int shard, int shards) {
    ReaderGroup group = new ReaderGroup(new Queue(location, name), DocumentQueues.PUBLISHERS);
    long elements = 0;
    Optional<Instant> oldest = Optional.empty();
    for (int lane : group.queue().used(reader)) {
      if (lane % shards != shard) {
        continue;
      }
      if (name.equals(DocumentQueues.DEAD)) {
        elements += group.queue().count(reader, lane, 0, Long.MAX_VALUE - 1);
        oldest =
            group.queue().read(reader, lane, 0, 1, Long.MAX_VALUE).stream()
                .findFirst()
                .map(Queue.Element::enqueuedAt);
      } else {
        ReaderGroup.Lag lag = group.lag(reader, lane);
        elements += lag.elements();
        oldest = Stream.concat(oldest.stream(), lag.oldest().stream()).min(Instant::compareTo);
      }
    }
    return new ShardLag(
        shard,
        elements,
        oldest,
        name.equals(DocumentQueues.MAIN) ? publishers.rate(location, shard) : 0);
  }

  /// An element in its place.
  public record QueuedTask(int shard, long idx, Instant enqueuedAt, PublishTask element) {}

  /// The elements of a queue that wait.
  ///
  /// @param shard absent for all
  /// @param after only those with a larger number
  public List<QueuedTask> elements(
      ActingCaller actor,
      Namespace namespace,
      String bucket,
      String queue,
      Optional<Integer> shard,
      long after,
      int limit) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found = indexed.administered(snapshot, actor, namespace, bucket);
      return elements(snapshot, found, known(queue), shard, after, limit);
    }
  }

  private static String known(String queue) {
    if (!DocumentQueues.NAMES.contains(queue)) {
      throw new VeridexException(
          Problem.of(ErrorCode.NOT_FOUND, "there is no such queue")
              .with("known", String.join(", ", DocumentQueues.NAMES)));
    }
    return queue;
  }

  private static List<QueuedTask> elements(
      Reader reader,
      BucketLookup.LocatedBucket found,
      String name,
      Optional<Integer> shard,
      long after,
      int limit) {
    int shards = IndexedSettings.of(found.bucket()).shardCount();
    ReaderGroup group =
        new ReaderGroup(
            new Queue(found.data(found.bucket().side()), name), DocumentQueues.PUBLISHERS);
    List<QueuedTask> listed = new ArrayList<>();
    for (int lane : group.queue().used(reader)) {
      int of = lane % shards;
      if (shard.filter(wanted -> wanted != of).isEmpty()) {
        long done = group.position(reader, lane).offset();
        for (Queue.Element element :
            group.queue().read(reader, lane, Math.max(after, done), limit, Long.MAX_VALUE)) {
          listed.add(
              new QueuedTask(
                  lane,
                  element.idx(),
                  element.enqueuedAt(),
                  PublishTask.decode(element.payload())));
        }
      }
    }
    listed.sort(Comparator.comparingLong(QueuedTask::idx));
    return listed.stream()
        .limit(limit)
        .map(each -> new QueuedTask(each.shard % shards, each.idx, each.enqueuedAt, each.element))
        .toList();
  }

  /// Puts elements that failed or are dead back into the main queue.
  ///
  /// @param which the numbers of those that are meant; absent for all
  /// @return how many
  public ChangeResult<Long> requeue(
      Caller caller, Namespace namespace, String bucket, String queue, Optional<Set<Long>> which) {
    if (!queue.equals(DocumentQueues.FAILED) && !queue.equals(DocumentQueues.DEAD)) {
      throw new VeridexException(
          Problem.of(ErrorCode.NOT_FOUND, "only what failed or is dead can be queued again"));
    }
    return takeOut(caller, "queue.requeue", namespace, bucket, queue, which, true);
  }

  /// Forgets an element that is dead.
  public ChangeResult<Long> drop(
      Caller caller, Namespace namespace, String bucket, String queue, long idx) {
    if (!queue.equals(DocumentQueues.DEAD)) {
      throw new VeridexException(
          Problem.of(ErrorCode.NOT_FOUND, "only what is dead can be dropped"));
    }
    ChangeResult<Long> dropped =
        takeOut(caller, "queue.drop", namespace, bucket, queue, Optional.of(Set.of(idx)), false);
    return dropped instanceof ChangeResult.Done<Long>(Long count, _, _) && count == 0
        ? new ChangeResult.Refused<>(Problem.of(ErrorCode.NOT_FOUND, "there is no such element"))
        : dropped;
  }

  private ChangeResult<Long> takeOut(
      Caller caller,
      String operation,
      Namespace namespace,
      String bucket,
      String queue,
      Optional<Set<Long>> which,
      boolean again) {
    long total = 0;
    while (true) {
      ChangeResult<Long> some =
          buckets.administer(
              caller,
              operation,
              namespace,
              bucket,
              Optional.empty(),
              (transaction, found) ->
                  IndexedBuckets.<Long>wrongType(found)
                      .orElseGet(
                          () ->
                              new ChangeResult.Done<>(
                                  takeOut(transaction, found, queue, which, again),
                                  false,
                                  transaction.revision())));
      if (!(some instanceof ChangeResult.Done<Long>(Long count, _, Revision revision))) {
        return some;
      }
      total += count;
      if (count < AT_ONCE) {
        wake(namespace, bucket);
        return new ChangeResult.Done<>(total, false, revision);
      }
    }
  }

  private void wake(Namespace namespace, String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      indexed.find(snapshot, namespace, bucket).ifPresent(publishers::requeued);
    }
  }

  private static long takeOut(
      Transaction transaction,
      BucketLookup.LocatedBucket found,
      String name,
      Optional<Set<Long>> which,
      boolean again) {
    BucketLocation location = found.data(found.bucket().side());
    int shards = IndexedSettings.of(found.bucket()).shardCount();
    ReaderGroup group = new ReaderGroup(new Queue(location, name), DocumentQueues.PUBLISHERS);
    long taken = 0;
    for (int lane : group.queue().used(transaction)) {
      long passed = 0;
      long done = group.position(transaction, lane).offset();
      for (Queue.Element element : of(transaction, group.queue(), lane, done, which)) {
        if (taken == AT_ONCE) {
          break;
        }
        PublishTask fresh = PublishTask.decode(element.payload());
        if (again && fresh.trouble().attempts() == 0) {
          // It has just been put back.
          continue;
        }
        IndexRefusals.forget(transaction, location, fresh.pk());
        if (again) {
          // Among the failed elements, where answers name it until it can be found.
          RetrySchedule.add(
              transaction,
              location,
              lane % shards,
              shards,
              PublishTask.of(fresh.pk(), fresh.tuple()));
        }
        group.queue().remove(transaction, lane, element.idx());
        passed++;
        taken++;
      }
      if (passed > 0 && name.equals(DocumentQueues.FAILED)) {
        group.passOver(transaction, lane, passed);
      }
    }
    return taken;
  }

  private static List<Queue.Element> of(
      Reader reader, Queue queue, int lane, long done, Optional<Set<Long>> which) {
    return which.isEmpty()
        ? queue.read(reader, lane, done, AT_ONCE, Long.MAX_VALUE)
        : which.get().stream()
            .filter(idx -> idx > done)
            .flatMap(idx -> queue.find(reader, lane, idx).stream())
            .toList();
  }
}
