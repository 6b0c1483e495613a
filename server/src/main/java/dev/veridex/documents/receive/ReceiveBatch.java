package dev.veridex.documents.receive;

import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights.Right;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.publish.PublishTask;
import dev.veridex.documents.receive.DocumentValidator.Invalid;
import dev.veridex.documents.receive.DocumentValidator.Valid;
import dev.veridex.documents.receive.DocumentValidator.Validation;
import dev.veridex.documents.registry.DocumentConversion;
import dev.veridex.documents.registry.DocumentRegistry;
import dev.veridex.documents.registry.DocumentResources;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registry;
import dev.veridex.documents.registry.RegistryRow;
import dev.veridex.documents.registry.TombstoneRetention;
import dev.veridex.index.Schema;
import dev.veridex.queue.Queue;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The part of a receive transaction that permits, compares and stores documents.
final class ReceiveBatch {
  private final ResourceAccess access;
  private final Transaction transaction;
  private final ActingCaller actor;
  private final BucketLookup.LocatedBucket found;
  private final BucketLocation location;
  private final DocumentSettings settings;
  private final DocumentRegistry registry;
  private final Queue queue;
  private final Epochs before;
  private Epochs epochs;
  private final boolean writes;
  private final boolean deletes;
  private final Map<String, Registry.DocumentRows> known = new HashMap<>();
  private final Set<Long> changed = new LinkedHashSet<>();
  private final List<ReceiveResult> results = new ArrayList<>();
  private UsageCounters.Delta delta = new UsageCounters.Delta();
  private final boolean limited;
  private boolean accepted;
  private long reorderings;

  ReceiveBatch(
      ResourceAccess access,
      Transaction transaction,
      ActingCaller actor,
      BucketLookup.LocatedBucket found,
      Epochs epochs) {
    this.access = access;
    this.transaction = transaction;
    this.actor = actor;
    this.found = found;
    this.location = found.data(found.bucket().side());
    this.settings = DocumentSettings.of(found.bucket());
    this.registry = new DocumentRegistry(location);
    this.queue = DocumentQueues.main(location);
    this.before = epochs;
    this.epochs = epochs;
    this.writes = access.allows(transaction, found, actor, Action.WRITE);
    this.deletes = access.allows(transaction, found, actor, Action.DELETE);
    UsageCounters.Limits limits = found.limits();
    this.limited = !limits.account().isEmpty() || !limits.bucket().isEmpty();
  }

  /// What became of each, in their order.
  List<ReceiveResult> results() {
    return results;
  }

  /// Whether any was accepted.
  boolean hasAccepted() {
    return accepted;
  }

  /// How many had a larger version and an older time than what they replaced.
  long reorderings() {
    return reorderings;
  }

  BucketLookup.LocatedBucket found() {
    return found;
  }

  void run(DocumentReceiver.BatchValidation prepared, List<DocumentInput> inputs) {
    List<Validation> documents = prepared.documents();
    List<String> keys =
        documents.stream().filter(Valid.class::isInstance).map(Validation::pk).distinct().toList();
    registry
        .find(transaction, keys, epochs.numbers())
        .forEach(document -> known.put(document.pk(), document));
    for (int i = 0; i < documents.size(); i++) {
      results.add(
          switch (revalidate(prepared.now(), documents.get(i), inputs.get(i))) {
            case Invalid(_, ReceiveResult result) -> result;
            case Valid good -> decide(good);
          });
    }
    for (long number : changed) {
      Epochs.Store.write(transaction, location, epochs, epochs.find(number).orElseThrow());
    }
    if (!limited) {
      VeridexException.throwIf(
          UsageCounters.count(transaction, found.holder(), found.limits(), delta));
    }
  }

  /// Once a schema has changed in this commit, what follows is looked at again, as if it came
  /// alone. Only the schema is another one then.
  private Validation revalidate(Instant now, Validation document, DocumentInput input) {
    return changed.isEmpty() ? document : new DocumentValidator(now, found, epochs).validate(input);
  }

  /// What is known of a document: nothing is decided about one that was not looked up.
  private Registry.DocumentRows known(String pk) {
    return known.computeIfAbsent(
        pk, each -> registry.find(transaction, List.of(each), before.numbers()).getFirst());
  }

  private ReceiveResult decide(Valid good) {
    try {
      Optional<RegistryRow> newest = known(good.pk()).newest();
      List<String> before = resources(good.pk(), newest);
      permit(good, newest, before);
      ReceiveResult result = compare(good, newest);
      boolean tells = !(result instanceof ReceiveResult.Accepted);
      return tells && !access.mayKnow(transaction, found, actor, known(good, before))
          ? result.hidden()
          : result;
    } catch (RefusedException e) {
      return ReceiveResult.Refused.of(good.pk(), e.problem());
    }
  }

  /// The resources of the document that is there; of its key, if none is.
  private List<String> resources(String pk, Optional<RegistryRow> newest) {
    if (settings.resourceField().isEmpty() || access.writesByAclAlone(found, actor)) {
      return List.of(settings.resourcePrefix() + pk);
    }
    return newest
        .filter(row -> row.isAlive(transaction.now()))
        .flatMap(
            row ->
                registry
                    .packed(transaction, List.of(new Registry.BodyId(pk, row.tuple().epoch())))
                    .getFirst())
        .map(body -> DocumentResources.of(settings, pk, DocumentRegistry.unpack(body)))
        .orElse(List.of());
  }

  /// The resources that decide whether a writer may hear what is stored: where nothing is, those
  /// that are written.
  private List<String> known(Valid good, List<String> before) {
    return before.isEmpty() && !good.isDelete()
        ? DocumentResources.of(settings, good.pk(), good.document())
        : before;
  }

  private void permit(Valid good, Optional<RegistryRow> newest, List<String> before) {
    if (good.isDelete() ? !deletes : !writes) {
      throw new RefusedException(
          Problem.of(ErrorCode.FORBIDDEN, "the bucket's ACL does not allow this")
              .with("action", good.isDelete() ? Action.DELETE.text() : Action.WRITE.text()));
    }
    boolean exists = newest.filter(row -> row.isAlive(transaction.now())).isPresent();
    Right right = good.isDelete() ? Right.DELETE : exists ? Right.UPDATE : Right.CREATE;
    if (exists || good.isDelete() || settings.resourceField().isEmpty()) {
      access.change(transaction, found, actor, before, right);
    }
    if (settings.resourceField().isPresent() && !good.isDelete()) {
      // Whoever moves a document from one resource to another has to have rights on both.
      access.change(
          transaction,
          found,
          actor,
          DocumentResources.of(settings, good.pk(), good.document()),
          right);
    }
  }

  private ReceiveResult compare(Valid good, Optional<RegistryRow> newest) {
    if (newest.isEmpty()) {
      return isTooLate(good)
          ? ReceiveResult.Refused.of(
              good.pk(), ErrorCode.TOO_LATE, "the document is older than deletions are remembered")
          : accept(good, newest);
    }
    int order = good.tuple().compareTo(newest.get().tuple());
    if (order < 0) {
      return ReceiveResult.Refused.of(good.pk(), ErrorCode.STALE_DOCUMENT, "a newer one is known");
    }
    if (order == 0) {
      return Arrays.equals(good.hash(), newest.get().hash())
          ? new ReceiveResult.Duplicate(good.pk())
          : ReceiveResult.Refused.of(
              good.pk(), ErrorCode.CONFLICT, "another one has the same version and time");
    }
    return accept(good, newest);
  }

  private boolean isTooLate(Valid good) {
    return settings.rejectsLate()
        && settings
            .tombstoneRetention()
            .filter(
                retention -> good.tuple().modifiedAt().isBefore(transaction.now().minus(retention)))
            .isPresent();
  }

  private ReceiveResult accept(Valid good, Optional<RegistryRow> newest) {
    Instant now = transaction.now();
    boolean expired = good.expiresAt().filter(end -> !end.isAfter(now)).isPresent();
    boolean tombstone = good.isDelete() || expired;
    RegistryRow row =
        new RegistryRow(
            good.tuple(),
            tombstone,
            good.hash(),
            tombstone ? 0 : good.document().getSerializedSize(),
            tombstone ? 0 : good.body().length,
            now,
            good.expiresAt());
    Registry.DocumentRows document = known(good.pk());
    List<RegistryRow> replaced = replaced(document, row, good.isDelete());
    Optional<Problem> exceeded = count(row, replaced);
    if (exceeded.isPresent()) {
      return ReceiveResult.Refused.of(good.pk(), exceeded.get());
    }
    settle(good);
    if (good.isDelete()) {
      // What is deleted is forgotten in every epoch.
      for (RegistryRow older : replaced) {
        if (older.tuple().epoch() != row.tuple().epoch()) {
          write(document, older.deleted(), Optional.empty());
          document.rows().put(older.tuple().epoch(), older.deleted());
        }
      }
    }
    write(document, row, tombstone ? Optional.empty() : Optional.of(good.body()));
    document.rows().put(row.tuple().epoch(), row);
    queue.append(
        transaction,
        Queue.shard(good.pk(), settings.shardCount()),
        PublishTask.of(good.pk(), row.tuple()).encode());
    accepted = true;
    if (newest
        .filter(last -> last.tuple().modifiedMicros() > row.tuple().modifiedMicros())
        .isPresent()) {
      reorderings++;
    }
    return new ReceiveResult.Accepted(good.pk(), expired);
  }

  /// Takes up what the document adds to the schema.
  private void settle(Valid good) {
    DocumentConversion conversion =
        good.conversion().filter(DocumentConversion::changesSchema).orElse(null);
    if (conversion != null) {
      long number = good.tuple().epoch();
      Epochs.Epoch epoch = epochs.find(number).orElseThrow();
      Schema wider = epoch.schema().with(conversion.fields(), conversion.embeddings());
      long version = before.find(number).orElseThrow().schemaVersion() + 1;
      epochs = epochs.with(epoch.with(wider, version));
      changed.add(number);
    }
  }

  /// The rows that are no longer alive when another is written.
  private List<RegistryRow> replaced(
      Registry.DocumentRows document, RegistryRow row, boolean everywhere) {
    Stream<RegistryRow> rows = document.rows().values().stream();
    return rows.filter(
            each ->
                each.isAlive(transaction.now())
                    && (everywhere || each.tuple().epoch() == row.tuple().epoch()))
        .toList();
  }

  private Optional<Problem> count(RegistryRow row, List<RegistryRow> replaced) {
    UsageCounters.Delta own = limited ? new UsageCounters.Delta() : delta;
    for (RegistryRow old : replaced) {
      own.add(Quota.DOCUMENTS, old.expiresAt(), -1);
      own.add(Quota.BYTES, old.expiresAt(), -old.bodyBytes());
    }
    if (!row.tombstone()) {
      own.add(Quota.DOCUMENTS, row.expiresAt(), 1);
      own.add(Quota.BYTES, row.expiresAt(), row.bodyBytes());
    }
    return limited
        ? UsageCounters.count(transaction, found.holder(), found.limits(), own)
        : Optional.empty();
  }

  private void write(Registry.DocumentRows document, RegistryRow row, Optional<byte[]> body) {
    registry.put(
        transaction,
        document.pk(),
        row,
        TombstoneRetention.until(
            settings,
            transaction.now(),
            row,
            document.rows().headMap(row.tuple().epoch()).values()),
        body);
  }
}
