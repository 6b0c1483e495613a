package dev.veridex.objects;

import dev.veridex.acl.Acl.Action;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.objects.catalogue.EventBatch;
import dev.veridex.objects.catalogue.EventResult;
import dev.veridex.objects.event.ParsedRecord;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Receives events of object stores: late, twice, in any order. Each is stored once, together with
/// what it means for its object, in one transaction. Its commit is the acknowledgement.
public final class EventReceiver {
  /// The most records that share a commit.
  private static final int MAX_RECORDS = 1000;

  private final Store store;
  private final ResourceAccess access;
  private final Consumer<BucketLookup.LocatedBucket> queued;
  private final Duration pastRetention;
  private final EventCounters counters = new EventCounters();

  /// @param queued is told of a bucket in which there is something to index
  /// @param pastRetention how long it is known what a row was before it was changed
  public EventReceiver(
      Store store,
      ResourceAccess access,
      Consumer<BucketLookup.LocatedBucket> queued,
      Duration pastRetention) {
    this.store = store;
    this.access = access;
    this.queued = queued;
    this.pastRetention = pastRetention;
  }

  /// What became of records since the start.
  public EventCounters counters() {
    return counters;
  }

  /// The results of records, in their order.
  public record BatchResult(List<EventResult> results, Revision revision) {}

  /// Lets a caller pass who may send events.
  public void mayReceive(ActingCaller actor, Namespace namespace, String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      access.bucket(snapshot, access.find(snapshot, actor, namespace, bucket), actor, Action.WRITE);
    }
  }

  /// Receives the records of messages.
  public BatchResult receive(
      ActingCaller actor, Namespace namespace, String bucket, List<ParsedRecord> records) {
    if (records.isEmpty()) {
      mayReceive(actor, namespace, bucket);
    }
    List<EventResult> results = new ArrayList<>(records.size());
    Revision revision = store.revision();
    for (int from = 0; from < records.size(); from += MAX_RECORDS) {
      List<ParsedRecord> some = records.subList(from, Math.min(records.size(), from + MAX_RECORDS));
      try {
        revision = commit(actor, namespace, bucket, some, results);
      } catch (StoreException e) {
        if (e.problem().code() != ErrorCode.CONFLICT) {
          throw e;
        }
        revision = oneByOne(actor, namespace, bucket, some, results);
      }
    }
    counters.add(results);
    return new BatchResult(results, revision);
  }

  /// Those who could not be committed together do not suffer for each other.
  private Revision oneByOne(
      ActingCaller actor,
      Namespace namespace,
      String bucket,
      List<ParsedRecord> records,
      List<EventResult> results) {
    Revision revision = store.revision();
    for (ParsedRecord record : records) {
      try {
        revision = commit(actor, namespace, bucket, List.of(record), results);
      } catch (StoreException e) {
        if (e.problem().code() != ErrorCode.CONFLICT) {
          throw e;
        }
        results.add(
            new EventResult.Rejected(
                Problem.of(
                    ErrorCode.ABORTED, "Others kept changing this object: send the event again.")));
      }
    }
    return revision;
  }

  private Revision commit(
      ActingCaller actor,
      Namespace namespace,
      String bucket,
      List<ParsedRecord> records,
      List<EventResult> results) {
    record Taken(EventBatch batch, List<EventResult> results) {}
    CommitResult<Taken> committed =
        store.transact(
            transaction -> {
              BucketLookup.LocatedBucket found = access.find(transaction, actor, namespace, bucket);
              access.bucket(transaction, found, actor, Action.WRITE);
              EventBatch batch = new EventBatch(transaction, found, pastRetention);
              return new Taken(batch, batch.run(records));
            });
    results.addAll(committed.result().results);
    if (committed.result().batch.hasQueued()) {
      queued.accept(committed.result().batch.found());
    }
    return committed.revision();
  }
}
