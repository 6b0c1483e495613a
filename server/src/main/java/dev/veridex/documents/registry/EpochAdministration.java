package dev.veridex.documents.registry;

import dev.veridex.acl.Acl.Action;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.identity.Caller;
import dev.veridex.index.Schema;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.ChangeResult;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The epochs of document buckets: read, opened, and their schemas settled.
public final class EpochAdministration {
  /// More than one that is not serving is for those who try things out; each costs an index.
  private static final int MAX_OPEN = 8;

  private final Store store;
  private final ResourceAccess access;
  private final Buckets buckets;
  private final Epochs.Store epochs;

  public EpochAdministration(
      Store store, ResourceAccess access, Buckets buckets, Epochs.Store epochs) {
    this.store = store;
    this.access = access;
    this.buckets = buckets;
    this.epochs = epochs;
  }

  /// The epochs of a bucket, for whoever may administer it.
  public Epochs epochs(ActingCaller actor, Namespace namespace, String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      return epochs(snapshot, administered(snapshot, actor, namespace, bucket));
    }
  }

  private Epochs epochs(Reader reader, BucketLookup.LocatedBucket found) {
    return epochs.read(reader, found.data(found.bucket().side()));
  }

  /// The bucket of documents that somebody may administer.
  private BucketLookup.LocatedBucket administered(
      Reader reader, ActingCaller actor, Namespace namespace, String bucket) {
    BucketLookup.LocatedBucket found = access.find(reader, actor, namespace, bucket);
    access.bucket(reader, found, actor, Action.ADMIN);
    return found;
  }

  private static <T> Optional<ChangeResult<T>> wrongType(BucketLookup.LocatedBucket found) {
    return found.bucket().type().name().equals(DocumentSettings.TYPE)
        ? Optional.empty()
        : Optional.of(
            new ChangeResult.Refused<>(
                Problem.of(ErrorCode.NOT_FOUND, "there is no such bucket of documents")));
  }

  /// Opens the next epoch: from the commit on, documents are received for it, too.
  public ChangeResult<Epochs.Epoch> open(
      Caller caller, Namespace namespace, String bucket, Optional<Schema> schema) {
    return buckets.administer(
        caller,
        "epoch.open",
        namespace,
        bucket,
        Optional.empty(),
        (transaction, found) ->
            EpochAdministration.<Epochs.Epoch>wrongType(found)
                .orElseGet(() -> open(transaction, found, schema.orElse(Schema.EMPTY))));
  }

  private ChangeResult<Epochs.Epoch> open(
      Transaction transaction, BucketLookup.LocatedBucket found, Schema schema) {
    Epochs before = epochs(transaction, found);
    if (before.open().size() >= MAX_OPEN) {
      return new ChangeResult.Refused<>(
          Problem.of(ErrorCode.CONFLICT, "no more epochs can be open at a time")
              .with("max", MAX_OPEN));
    }
    BucketLocation location = found.data(found.bucket().side());
    Epochs overtaken = before;
    for (Epochs.Epoch earlier : before.open().values()) {
      overtaken = Epochs.Store.write(transaction, location, overtaken, earlier.overtaken());
    }
    Epochs.Epoch next =
        new Epochs.Epoch(
            before.numbers().last() + 1,
            false,
            1,
            Optional.of(transaction.now()),
            schema,
            Optional.empty());
    Epochs.Store.write(transaction, location, overtaken, next);
    return new ChangeResult.Done<>(next, true, transaction.revision());
  }

  /// Adds to the schema of an epoch.
  public ChangeResult<Epochs.Epoch> settle(
      Caller caller, Namespace namespace, String bucket, long number, SchemaChange change) {
    return buckets.administer(
        caller,
        "epoch.put",
        namespace,
        bucket,
        Optional.empty(),
        (transaction, found) ->
            EpochAdministration.<Epochs.Epoch>wrongType(found)
                .orElseGet(() -> settle(transaction, found, number, change)));
  }

  private ChangeResult<Epochs.Epoch> settle(
      Transaction transaction, BucketLookup.LocatedBucket found, long number, SchemaChange change) {
    Epochs before = epochs(transaction, found);
    Optional<Epochs.Epoch> known = before.find(number);
    if (known.isEmpty()) {
      return new ChangeResult.Refused<>(Problem.of(ErrorCode.NOT_FOUND, "there is no such epoch"));
    }
    Epochs.Epoch epoch = known.get();
    Schema wanted = change.over(epoch.schema());
    Optional<Problem> contradiction = contradiction(epoch.schema(), wanted);
    if (contradiction.isPresent()) {
      return new ChangeResult.Refused<>(contradiction.get());
    }
    Schema all = epoch.schema().with(widened(epoch.schema(), wanted.fields()), wanted.embeddings());
    Epochs.Epoch after =
        epoch.with(
            new Schema(wanted.dynamic(), all.fields(), all.embeddings()),
            epoch.schemaVersion() + 1);
    Epochs.Store.write(transaction, found.data(found.bucket().side()), before, after);
    return new ChangeResult.Done<>(after, false, transaction.revision());
  }

  /// Why a schema cannot be added to another: what is settled stays, but that one value may become
  /// several.
  private static Optional<Problem> contradiction(Schema settled, Schema wanted) {
    for (Map.Entry<String, Schema.Field> each : wanted.fields().entrySet()) {
      Schema.Field before = settled.fields().get(each.getKey());
      Schema.Field after = each.getValue();
      // What a document has made several stays so, however often the same schema is given.
      boolean same = before == null || before.toMulti().equals(after.toMulti());
      if (!same || settled.embeddings().containsKey(each.getKey())) {
        return Optional.of(settledAlready("/fields", each.getKey()));
      }
    }
    for (Map.Entry<String, Schema.Embedding> each : wanted.embeddings().entrySet()) {
      Schema.Embedding before = settled.embeddings().get(each.getKey());
      boolean same = before == null || before.equals(each.getValue());
      if (!same || settled.fields().containsKey(each.getKey())) {
        return Optional.of(settledAlready("/embeddings", each.getKey()));
      }
    }
    int names = settled.with(wanted.fields(), wanted.embeddings()).names();
    return names <= Schema.MAX_NAMES
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.SCHEMA_MISMATCH, "an epoch has too many names")
                .with("max", Schema.MAX_NAMES));
  }

  private static Map<String, Schema.Field> widened(
      Schema settled, Map<String, Schema.Field> wanted) {
    Map<String, Schema.Field> fields = new TreeMap<>(wanted);
    fields.replaceAll(
        (name, field) -> {
          Schema.Field before = settled.fields().get(name);
          return before != null && before.multi() ? field.toMulti() : field;
        });
    return fields;
  }

  private static Problem settledAlready(String parent, String name) {
    return Problem.of(
            ErrorCode.SCHEMA_MISMATCH,
            "this name is settled in another way: another way takes a new epoch")
        .at(JsonPointer.member(parent, name));
  }
}
