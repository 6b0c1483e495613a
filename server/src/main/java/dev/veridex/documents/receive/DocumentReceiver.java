package dev.veridex.documents.receive;

import dev.veridex.acl.Acl.Action;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import dev.veridex.documents.receive.DocumentValidator.Validation;
import dev.veridex.documents.registry.BodyCodec;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Receives documents: each is compared with what is known of it, kept if it is newer, and queued
/// to be indexed, in one transaction. Its commit is the acknowledgement.
///
/// Documents are independent of each other, also those that share a commit; only those with the
/// same key are taken one after the other.
public final class DocumentReceiver {
  /// The largest document, serialized.
  public static final int MAX_DOCUMENT_BYTES = BodyCodec.MAX_BYTES;

  /// The most documents, and bytes of them, that share a commit.
  private static final int MAX_DOCUMENTS = 500;

  private static final int MAX_BYTES = 8 << 20;

  private final Store store;
  private final ResourceAccess access;
  private final Epochs.Store epochs;
  private final Consumer<BucketLookup.LocatedBucket> queued;
  private final LongAdder reordered = new LongAdder();

  /// @param queued is told of a bucket in which there is something to index
  public DocumentReceiver(
      Store store,
      ResourceAccess access,
      Epochs.Store epochs,
      Consumer<BucketLookup.LocatedBucket> queued) {
    this.store = store;
    this.access = access;
    this.epochs = epochs;
    this.queued = queued;
  }

  /// The results of a batch, in its order.
  public record BatchResult(List<ReceiveResult> results, Revision revision) {}

  /// How many documents had a larger version and an older time than what they replaced.
  public long reordered() {
    return reordered.sum();
  }

  /// Lets a caller pass who may write or delete documents in a bucket.
  public void mayReceive(ActingCaller actor, Namespace namespace, String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket _ = receivable(snapshot, actor, namespace, bucket);
    }
  }

  private BucketLookup.LocatedBucket receivable(
      Reader reader, ActingCaller actor, Namespace namespace, String bucket) {
    BucketLookup.LocatedBucket found = access.find(reader, actor, namespace, bucket);
    boolean deletes = access.allows(reader, found, actor, Action.DELETE);
    access.bucket(reader, found, actor, deletes ? Action.DELETE : Action.WRITE);
    return found;
  }

  /// Receives documents.
  public BatchResult receive(
      ActingCaller actor, Namespace namespace, String bucket, List<DocumentInput> inputs) {
    if (inputs.isEmpty()) {
      mayReceive(actor, namespace, bucket);
    }
    List<ReceiveResult> results = new ArrayList<>(inputs.size());
    Revision revision = store.revision();
    for (List<DocumentInput> some : parts(inputs)) {
      try {
        revision = commit(actor, namespace, bucket, some, results);
      } catch (StoreException e) {
        revision = oneByOne(actor, namespace, bucket, some, results, e);
      }
    }
    return new BatchResult(results, revision);
  }

  /// Those who could not be committed together do not suffer for each other.
  private Revision oneByOne(
      ActingCaller actor,
      Namespace namespace,
      String bucket,
      List<DocumentInput> inputs,
      List<ReceiveResult> results,
      StoreException failure) {
    Revision revision = store.revision();
    boolean contended = failure.problem().code() == ErrorCode.CONFLICT;
    for (DocumentInput input : inputs) {
      try {
        if (!contended) {
          throw failure;
        }
        revision = commit(actor, namespace, bucket, List.of(input), results);
      } catch (StoreException e) {
        String pk = input instanceof DocumentInput.Parsed read ? read.document().getPk() : "";
        results.add(
            e.problem().code() == ErrorCode.CONFLICT
                ? ReceiveResult.Refused.of(
                    pk, ErrorCode.ABORTED, "others kept changing this: try again")
                : ReceiveResult.Refused.of(pk, e.problem()));
      }
    }
    return revision;
  }

  private static List<List<DocumentInput>> parts(List<DocumentInput> inputs) {
    List<List<DocumentInput>> parts = new ArrayList<>();
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < inputs.size(); i++) {
      long size =
          inputs.get(i) instanceof DocumentInput.Parsed read
              ? read.document().getSerializedSize()
              : 0;
      if (i > from && (i - from == MAX_DOCUMENTS || bytes + size > MAX_BYTES)) {
        parts.add(inputs.subList(from, i));
        from = i;
        bytes = 0;
      }
      bytes += size;
    }
    if (from < inputs.size()) {
      parts.add(inputs.subList(from, inputs.size()));
    }
    return parts;
  }

  private Revision commit(
      ActingCaller actor,
      Namespace namespace,
      String bucket,
      List<DocumentInput> inputs,
      List<ReceiveResult> results) {
    // What can be done once is not done again when the transaction runs again.
    AtomicReference<@Nullable BatchValidation> prepared = new AtomicReference<>();
    CommitResult<ReceiveBatch> committed =
        store.transact(
            transaction -> {
              BucketLookup.LocatedBucket found = receivable(transaction, actor, namespace, bucket);
              Epochs now = read(transaction, found);
              BatchValidation known = prepared.get();
              BatchValidation still =
                  known != null && known.epochs.equals(now) && known.found.equals(found)
                      ? known
                      : prepare(transaction.now(), found, now, inputs);
              prepared.set(still);
              ReceiveBatch batch = new ReceiveBatch(access, transaction, actor, found, now);
              batch.run(still, inputs);
              return batch;
            });
    ReceiveBatch batch = committed.result();
    results.addAll(batch.results());
    reordered.add(batch.reorderings());
    if (batch.hasAccepted()) {
      queued.accept(batch.found());
    }
    return committed.revision();
  }

  private Epochs read(Reader reader, BucketLookup.LocatedBucket found) {
    return epochs.read(reader, found.data(found.bucket().side()));
  }

  /// The validation results of a batch and the state that they were made against.
  ///
  /// @param now the time at which they were
  record BatchValidation(
      Instant now, BucketLookup.LocatedBucket found, Epochs epochs, List<Validation> documents) {}

  private static BatchValidation prepare(
      Instant now, BucketLookup.LocatedBucket found, Epochs epochs, List<DocumentInput> inputs) {
    DocumentValidator validator = new DocumentValidator(now, found, epochs);
    return new BatchValidation(
        now, found, epochs, inputs.stream().map(validator::validate).toList());
  }
}
