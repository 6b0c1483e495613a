package dev.veridex.documents.publish;

import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup.LocatedBucket;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.IndexedBuckets;
import dev.veridex.documents.registry.Registries;
import dev.veridex.documents.registry.Registry;
import dev.veridex.identity.Caller;
import dev.veridex.jobs.HeldJob;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.JobKind;
import dev.veridex.jobs.Jobs;
import dev.veridex.queue.Queue;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.ChangeResult;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The rebuild of the indexes of a bucket, as a job: everything that the registry knows is queued
/// to be sent anew, while documents go on coming.
public final class DocumentRebuild implements JobKind {
  private static final String NAME = "document.rebuild";
  private static final int AT_ONCE = 1000;
  private static final HexFormat HEX = HexFormat.of();

  private final Store store;
  private final IndexedBuckets indexed;
  private final Buckets buckets;
  private final Epochs.Store epochs;
  private final Registries registries;
  private final Publishers publishers;
  private final Jobs jobs;

  public DocumentRebuild(
      Store store,
      IndexedBuckets indexed,
      Buckets buckets,
      Epochs.Store epochs,
      Registries registries,
      Publishers publishers,
      Jobs jobs) {
    this.store = store;
    this.indexed = indexed;
    this.buckets = buckets;
    this.epochs = epochs;
    this.registries = registries;
    this.publishers = publishers;
    this.jobs = jobs;
  }

  /// Lets a caller pass who may rebuild the indexes of a bucket.
  public void mayRebuild(ActingCaller actor, Namespace namespace, String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      indexed.administered(snapshot, actor, namespace, bucket);
    }
  }

  /// Starts a rebuild.
  ///
  /// @throws VeridexException `CONFLICT` if one is under way
  public Job start(Caller caller, Namespace namespace, String bucket) {
    return switch (buckets.<Job>administer(
        caller,
        NAME,
        namespace,
        bucket,
        Optional.empty(),
        (transaction, found) ->
            IndexedBuckets.<Job>wrongType(found)
                .orElseGet(
                    () ->
                        new ChangeResult.Done<>(
                            start(transaction, caller, found), false, transaction.revision())))) {
      case ChangeResult.Done<Job>(Job job, _, _) -> job;
      case ChangeResult.Refused<Job>(Problem problem) -> throw new VeridexException(problem);
      case ChangeResult.Deleted<Job> _ -> throw new IllegalStateException("nothing was deleted");
    };
  }

  private Job start(Transaction transaction, Caller caller, LocatedBucket found) {
    return jobs.start(
        transaction,
        caller.token().orElseThrow(),
        new Jobs.JobStart(
            NAME,
            found.bucket().namespace().scope(),
            JsonRecord.object()
                .put("bucket", found.bucket().name())
                .put("incarnation", found.bucket().incarnation()),
            Optional.empty()));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void work(HeldJob held) {
    held.commit((transaction, job, _) -> step(transaction, job));
    // Only now is there something for publishers to see.
    try (Snapshot snapshot = store.snapshot()) {
      publishers.queued(find(snapshot, held.found()));
    }
  }

  private Step step(Transaction transaction, Job job) {
    LocatedBucket found = find(transaction, job);
    Registry.WalkPage walked;
    // A state of its own: what changes in the meantime is queued by whoever changes it.
    try (Snapshot snapshot = store.snapshot()) {
      walked = registries.of(found).walk(snapshot, after(job), AT_ONCE);
    }
    enqueue(transaction, found, walked.documents());
    long done = job.work().done() + walked.documents().size();
    Optional<byte[]> next = walked.next();
    return Step.of(
        new Job.Work(
            done,
            job.work().total(),
            next.map(key -> JsonRecord.object().put("after", HEX.formatHex(key)))
                .orElseGet(JsonRecord::object),
            JsonRecord.object().put("documents", done)),
        next.isEmpty());
  }

  private static byte[] after(Job job) {
    return JsonRecord.text(job.work().position(), "after").map(HEX::parseHex).orElse(new byte[0]);
  }

  private LocatedBucket find(Reader reader, Job job) {
    return indexed
        .find(reader, Namespace.of(job.scope()), job.request().get("bucket").asString())
        .filter(found -> found.bucket().incarnation() == job.request().get("incarnation").asLong())
        .orElseThrow(
            () ->
                new VeridexException(
                    Problem.of(ErrorCode.NOT_FOUND, "The bucket was deleted meanwhile.")));
  }

  private void enqueue(
      Transaction transaction, LocatedBucket found, List<Registry.DocumentRows> some) {
    BucketLocation location = found.data(found.bucket().side());
    int shards = IndexedSettings.of(found.bucket()).shardCount();
    Queue queue = new Queue(location, DocumentQueues.EMERGENCY);
    Set<Long> open = epochs.read(transaction, location).numbers();
    for (Registry.DocumentRows document : some) {
      document.rows().keySet().retainAll(open);
      document
          .newest()
          .ifPresent(
              row ->
                  queue.append(
                      transaction,
                      Queue.shard(document.pk(), shards),
                      PublishTask.of(document.pk(), row.tuple()).encode()));
    }
  }
}
