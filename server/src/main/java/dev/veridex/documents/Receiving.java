package dev.veridex.documents;

import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Acl.Action;
import dev.veridex.accounts.Quota;
import dev.veridex.accounts.Usage;
import dev.veridex.buckets.Asking;
import dev.veridex.buckets.DataPlace;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights.Right;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.Intake.Bad;
import dev.veridex.documents.Intake.Good;
import dev.veridex.documents.Intake.Looked;
import dev.veridex.index.Schema;
import dev.veridex.queue.Queue;
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

/// Documents that share a commit.
final class Receiving {
  private final ResourceAccess access;
  private final Transaction transaction;
  private final Asking asking;
  private final Directory.Found found;
  private final DataPlace place;
  private final DocumentSettings settings;
  private final Registry registry;
  private final Queue queue;
  private final Epochs before;
  private Epochs epochs;
  private final boolean writes;
  private final boolean deletes;
  private final Map<String, Registry.Known> known = new HashMap<>();
  private final Set<Long> changed = new LinkedHashSet<>();
  private final List<Result> results = new ArrayList<>();
  private Usage.Delta delta = new Usage.Delta();
  private final boolean limited;
  private boolean accepted;
  private long reorderings;

  Receiving(
      ResourceAccess access,
      Transaction transaction,
      Asking asking,
      Directory.Found found,
      Epochs epochs) {
    this.access = access;
    this.transaction = transaction;
    this.asking = asking;
    this.found = found;
    this.place = found.data(found.bucket().side());
    this.settings = DocumentSettings.of(found.bucket());
    this.registry = new Registry(place);
    this.queue = Queues.main(place);
    this.before = epochs;
    this.epochs = epochs;
    this.writes = access.allows(transaction, found, asking, Action.WRITE);
    this.deletes = access.allows(transaction, found, asking, Action.DELETE);
    Usage.Limits limits = found.limits();
    this.limited = !limits.account().isEmpty() || !limits.bucket().isEmpty();
  }

  /// What became of each, in their order.
  List<Result> results() {
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

  Directory.Found found() {
    return found;
  }

  void run(Receiver.Prepared prepared, List<DocumentInput> inputs) {
    List<Looked> documents = prepared.documents();
    List<String> keys =
        documents.stream().filter(Good.class::isInstance).map(Looked::pk).distinct().toList();
    registry
        .find(transaction, keys, epochs.numbers())
        .forEach(document -> known.put(document.pk(), document));
    for (int i = 0; i < documents.size(); i++) {
      results.add(
          switch (look(prepared.now(), documents.get(i), inputs.get(i))) {
            case Bad(_, Result result) -> result;
            case Good good -> decide(good);
          });
    }
    for (long number : changed) {
      Epochs.Store.write(transaction, place, epochs, epochs.find(number).orElseThrow());
    }
    if (!limited) {
      VeridexException.throwIf(Usage.count(transaction, found.holder(), found.limits(), delta));
    }
  }

  /// Once a schema has changed in this commit, what follows is looked at again, as if it came
  /// alone. Only the schema is another one then.
  private Looked look(Instant now, Looked document, DocumentInput input) {
    return changed.isEmpty() ? document : new Intake(now, found.bucket(), epochs).look(input);
  }

  /// What is known of a document: nothing is decided about one that was not looked up.
  private Registry.Known known(String pk) {
    return known.computeIfAbsent(
        pk, each -> registry.find(transaction, List.of(each), before.numbers()).getFirst());
  }

  private Result decide(Good good) {
    try {
      Optional<Row> newest = known(good.pk()).newest();
      List<String> before = resources(good.pk(), newest);
      permit(good, newest, before);
      Result result = compare(good, newest);
      boolean tells = result.code().isPresent() || !result.status().equals("ACK");
      return tells && !access.mayKnow(transaction, found, asking, known(good, before))
          ? result.hidden()
          : result;
    } catch (AccessRefused e) {
      return Result.refused(good.pk(), e.problem());
    }
  }

  /// The resources of the document that is there; of its key, if none is.
  private List<String> resources(String pk, Optional<Row> newest) {
    if (settings.resourceField().isEmpty() || access.writesByAclAlone(found, asking)) {
      return List.of(settings.resourcePrefix() + pk);
    }
    return newest
        .filter(row -> row.isAlive(transaction.now()))
        .flatMap(
            row ->
                registry
                    .bodies(transaction, List.of(new Registry.BodyOf(pk, row.tuple().epoch())))
                    .getFirst())
        .map(body -> DocumentResources.of(settings, pk, Registry.unpack(body)))
        .orElse(List.of());
  }

  /// The resources that decide whether a writer may hear what is stored: where nothing is, those
  /// that are written.
  private List<String> known(Good good, List<String> before) {
    return before.isEmpty() && !good.isDelete()
        ? DocumentResources.of(settings, good.pk(), good.document())
        : before;
  }

  private void permit(Good good, Optional<Row> newest, List<String> before) {
    if (good.isDelete() ? !deletes : !writes) {
      throw new AccessRefused(
          Problem.of(ErrorCode.FORBIDDEN, "the bucket's ACL does not allow this")
              .with("action", good.isDelete() ? Action.DELETE.text() : Action.WRITE.text()));
    }
    boolean exists = newest.filter(row -> row.isAlive(transaction.now())).isPresent();
    Right right = good.isDelete() ? Right.DELETE : exists ? Right.UPDATE : Right.CREATE;
    if (exists || good.isDelete() || settings.resourceField().isEmpty()) {
      access.change(transaction, found, asking, before, right);
    }
    if (settings.resourceField().isPresent() && !good.isDelete()) {
      // Whoever moves a document from one resource to another has to have rights on both.
      access.change(
          transaction,
          found,
          asking,
          DocumentResources.of(settings, good.pk(), good.document()),
          right);
    }
  }

  private Result compare(Good good, Optional<Row> newest) {
    if (newest.isEmpty()) {
      return isTooLate(good)
          ? Result.refused(
              good.pk(), ErrorCode.TOO_LATE, "the document is older than deletions are remembered")
          : accept(good, newest);
    }
    int order = good.tuple().compareTo(newest.get().tuple());
    if (order < 0) {
      return Result.refused(good.pk(), ErrorCode.STALE_DOCUMENT, "a newer one is known");
    }
    if (order == 0) {
      return Arrays.equals(good.hash(), newest.get().hash())
          ? Result.duplicate(good.pk())
          : Result.refused(
              good.pk(), ErrorCode.CONFLICT, "another one has the same version and time");
    }
    return accept(good, newest);
  }

  private boolean isTooLate(Good good) {
    return settings.rejectsLate()
        && settings
            .tombstoneRetention()
            .filter(
                retention -> good.tuple().modifiedAt().isBefore(transaction.now().minus(retention)))
            .isPresent();
  }

  private Result accept(Good good, Optional<Row> newest) {
    Instant now = transaction.now();
    boolean expired = good.expiresAt().filter(end -> !end.isAfter(now)).isPresent();
    boolean tombstone = good.isDelete() || expired;
    Row row =
        new Row(
            good.tuple(),
            tombstone,
            good.hash(),
            tombstone ? 0 : good.document().getSerializedSize(),
            tombstone ? 0 : good.body().length,
            now,
            good.expiresAt());
    Registry.Known document = known(good.pk());
    List<Row> replaced = replaced(document, row, good.isDelete());
    Optional<Problem> exceeded = count(row, replaced);
    if (exceeded.isPresent()) {
      return Result.refused(good.pk(), exceeded.get());
    }
    settle(good);
    if (good.isDelete()) {
      // What is deleted is forgotten in every epoch.
      for (Row older : replaced) {
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
        Element.of(good.pk(), row.tuple()).encode());
    accepted = true;
    if (newest
        .filter(last -> last.tuple().modifiedMicros() > row.tuple().modifiedMicros())
        .isPresent()) {
      reorderings++;
    }
    return Result.ack(good.pk(), expired);
  }

  /// Takes up what the document adds to the schema.
  private void settle(Good good) {
    Conversion conversion = good.conversion().filter(Conversion::changesSchema).orElse(null);
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
  private List<Row> replaced(Registry.Known document, Row row, boolean everywhere) {
    Stream<Row> rows = document.rows().values().stream();
    return rows.filter(
            each ->
                each.isAlive(transaction.now())
                    && (everywhere || each.tuple().epoch() == row.tuple().epoch()))
        .toList();
  }

  private Optional<Problem> count(Row row, List<Row> replaced) {
    Usage.Delta own = limited ? new Usage.Delta() : delta;
    for (Row old : replaced) {
      own.add(Quota.DOCUMENTS, old.expiresAt(), -1);
      own.add(Quota.BYTES, old.expiresAt(), -old.bodyBytes());
    }
    if (!row.tombstone()) {
      own.add(Quota.DOCUMENTS, row.expiresAt(), 1);
      own.add(Quota.BYTES, row.expiresAt(), row.bodyBytes());
    }
    return limited
        ? Usage.count(transaction, found.holder(), found.limits(), own)
        : Optional.empty();
  }

  private void write(Registry.Known document, Row row, Optional<byte[]> body) {
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
