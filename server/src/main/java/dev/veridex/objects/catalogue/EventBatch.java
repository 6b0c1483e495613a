package dev.veridex.objects.catalogue;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.Expiry;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.VeridexException;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.publish.PublishTask;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.index.Schema;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.ParsedRecord;
import dev.veridex.queue.Queue;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Direction;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/// The part of a transaction that takes up the records of messages: each event is stored once, what
/// it says of its object is kept up to date, and what searches show is queued if it is another one.
public final class EventBatch {
  private static final UsageCounters.Limits UNLIMITED =
      new UsageCounters.Limits(Map.of(), Map.of());

  private final Transaction transaction;
  private final BucketLookup.LocatedBucket found;
  private final CatalogueRecords records;
  private final ObjectSettings settings;
  private final Duration pastRetention;
  private final Map<ObjectKey, ObjectUpdate> updates = new LinkedHashMap<>();
  private final Map<ObjectEvent.Identity, StoredEvent> events = new HashMap<>();
  private final Set<ObjectEvent.Identity> remembered = new HashSet<>();
  private final UsageCounters.Delta delta = new UsageCounters.Delta();
  private final boolean limited;
  private boolean queued;
  private boolean patches;

  /// @param pastRetention how long it is known what a row was before it was changed
  public EventBatch(
      Transaction transaction, BucketLookup.LocatedBucket found, Duration pastRetention) {
    this.transaction = transaction;
    this.found = found;
    this.settings = ObjectSettings.of(found.bucket());
    this.records = new CatalogueRecords(location(found), settings.isPaired());
    this.pastRetention = pastRetention;
    UsageCounters.Limits limits = found.limits();
    this.limited = !limits.account().isEmpty() || !limits.bucket().isEmpty();
  }

  static BucketLocation location(BucketLookup.LocatedBucket found) {
    return found.data(found.bucket().side());
  }

  /// Whether there is something to be published.
  public boolean hasQueued() {
    return queued;
  }

  public BucketLookup.LocatedBucket found() {
    return found;
  }

  /// Takes up records.
  ///
  /// @return what became of each, in their order
  public List<EventResult> run(List<ParsedRecord> parsed) {
    load(parsed);
    List<EventResult> results =
        parsed.stream()
            .map(
                each ->
                    switch (each) {
                      case ParsedRecord.Event(ObjectEvent event) -> take(event);
                      case ParsedRecord.Skipped(String reason) -> new EventResult.Skipped(reason);
                      case ParsedRecord.Malformed malformed -> keep(malformed);
                    })
            .toList();
    finish();
    return results;
  }

  /// Reads what is known of all objects and events of the batch at once.
  private void load(List<ParsedRecord> parsed) {
    List<ObjectEvent.Identity> identities = new ArrayList<>();
    for (ParsedRecord each : parsed) {
      if (each instanceof ParsedRecord.Event(ObjectEvent event)) {
        identities.add(event.identity());
      }
    }
    List<ObjectKey> objects =
        identities.stream().map(ObjectEvent.Identity::object).distinct().toList();
    List<Optional<byte[]>> known =
        transaction.getAll(objects.stream().map(records::object).toList());
    for (int i = 0; i < objects.size(); i++) {
      updates.put(
          objects.get(i), new ObjectUpdate(transaction, records, objects.get(i), known.get(i)));
    }
    List<Optional<byte[]>> stored =
        transaction.getAll(identities.stream().map(records::event).toList());
    for (int i = 0; i < identities.size(); i++) {
      ObjectEvent.Identity identity = identities.get(i);
      stored.get(i).ifPresent(bytes -> events.put(identity, StoredEvent.decode(identity, bytes)));
    }
  }

  private ObjectUpdate update(ObjectKey object) {
    return updates.computeIfAbsent(
        object,
        each ->
            new ObjectUpdate(transaction, records, each, transaction.get(records.object(each))));
  }

  private EventResult take(ObjectEvent event) {
    if (settings.isPaired() && event.details().reason().isTransition()) {
      return new EventResult.Skipped("A bucket in paired mode takes creations and deletions only.");
    }
    StoredEvent known = events.get(event.identity());
    return known == null ? add(event) : merge(known, event);
  }

  private EventResult add(ObjectEvent event) {
    ObjectUpdate update = update(event.object());
    StoredEvent stored = StoredEvent.of(event, update.isLate(event), transaction.now());
    byte[] bytes = stored.encode();
    Optional<Problem> exceeded = count(rows(event), bytes.length);
    if (exceeded.isPresent()) {
      return new EventResult.Rejected(exceeded.get());
    }
    transaction.put(records.event(event.identity()), bytes);
    transaction.put(records.id(event.identity().id()), records.encode(event.identity()));
    events.put(event.identity(), stored);
    update.add(event);
    return new EventResult.Ingested(event.identity().id());
  }

  /// How many rows an event adds.
  private long rows(ObjectEvent event) {
    if (!settings.isPaired()) {
      return 1;
    }
    ObjectEvent.Identity identity = event.identity();
    List<StoredEvent> loose =
        records.sequenceless(transaction, event.object(), identity.versionId());
    if (loose.isEmpty() && identity instanceof ObjectEvent.Native same) {
      Optional<EventType> before = type(same, Direction.REVERSE);
      Optional<EventType> after = type(same, Direction.FORWARD);
      Optional<EventType> own = Optional.of(same.type());
      return 1 - pairs(before, own) - pairs(own, after) + pairs(before, after);
    }
    List<StoredEvent> all = records.ofVersion(transaction, event.object(), identity.versionId());
    long rows = new ObjectHistory(event.object(), all).rows(true).size();
    all.add(StoredEvent.of(event, false, transaction.now()));
    return new ObjectHistory(event.object(), all).rows(true).size() - rows;
  }

  /// How many rows the version of an event has, in paired mode.
  private long pairedRows(ObjectEvent event) {
    return new ObjectHistory(
            event.object(),
            records.ofVersion(transaction, event.object(), event.identity().versionId()))
        .rows(true)
        .size();
  }

  private Optional<EventType> type(ObjectEvent.Native event, Direction direction) {
    return records
        .neighbour(transaction, event, direction)
        .map(each -> each.event().identity().type());
  }

  private static long pairs(Optional<EventType> one, Optional<EventType> next) {
    return one.filter(EventType.CREATED::equals).isPresent()
            && next.filter(EventType.DELETED::equals).isPresent()
        ? 1
        : 0;
  }

  private EventResult merge(StoredEvent known, ObjectEvent event) {
    StoredEvent merged = known.merged(event);
    boolean changes = !merged.event().equals(known.event());
    // In pairs an event that turns out to be earlier may part others, or join them.
    long before = changes && settings.isPaired() ? pairedRows(event) : 0;
    replace(known, merged, changes);
    if (changes) {
      long after = settings.isPaired() ? pairedRows(event) : 0;
      delta.add(Quota.OBJECTS, Optional.empty(), after - before);
      update(event.object()).add(merged.event());
    }
    return new EventResult.Duplicate(event.identity().id());
  }

  /// Writes an event in the place of what it was.
  ///
  /// @param remember whether it has to be known what it was
  private void replace(StoredEvent known, StoredEvent next, boolean remember) {
    ObjectEvent.Identity identity = known.event().identity();
    byte[] before = known.encode();
    byte[] after = next.encode();
    delta.add(Quota.BYTES, Optional.empty(), after.length - before.length);
    transaction.put(records.event(identity), after);
    if (remember && remembered.add(identity)) {
      Instant end = transaction.now().plus(pastRetention).truncatedTo(ChronoUnit.MICROS);
      transaction.put(
          records.past(
              identity, Expiry.micros(transaction.now()), transaction.revision().sequence()),
          before,
          end);
      delta.add(Quota.BYTES, Optional.of(end), before.length);
    }
    events.put(identity, next);
  }

  /// Replaces the attributes of a row.
  public void replaceAttributes(StoredEvent known, StoredEvent next) {
    patches = true;
    replace(known, next, true);
    update(known.event().object()).touch(known.event().identity());
  }

  /// Lets searches know the names of attributes.
  public void settle(Epochs.Store epochs, List<ObjectNode> attributes) {
    BucketLocation location = location(found);
    Epochs before = epochs.read(transaction, location);
    Schema known = ObjectRegistry.schema(transaction, epochs, location);
    Schema next = known;
    for (ObjectNode each : attributes) {
      next = ObjectDocument.taking(next, each);
    }
    if (!next.equals(known)) {
      Epochs.Epoch epoch = before.serving();
      Epochs.Store.write(
          transaction, location, before, epoch.with(next, epoch.schemaVersion() + 1));
    }
  }

  /// Keeps a message that cannot be read for whoever administers the bucket.
  private EventResult keep(ParsedRecord.Malformed malformed) {
    byte[] bytes = FailedEvent.encode(malformed, transaction.now());
    Instant end = transaction.now().plus(FailedEvent.KEPT).truncatedTo(ChronoUnit.MICROS);
    transaction.append(location(found).prefix(RecordKind.OBJECT_FAILED).toKey(), bytes, end);
    delta.add(Quota.BYTES, Optional.of(end), bytes.length);
    return new EventResult.Rejected(malformed.problem());
  }

  private Optional<Problem> count(long rows, long bytes) {
    UsageCounters.Delta own = limited ? new UsageCounters.Delta() : delta;
    own.add(Quota.OBJECTS, Optional.empty(), rows).add(Quota.BYTES, Optional.empty(), bytes);
    return limited
        ? UsageCounters.count(transaction, found.holder(), found.limits(), own)
        : Optional.empty();
  }

  /// Writes what became of the objects.
  public void finish() {
    BucketLocation location = location(found);
    updates.forEach(
        (object, update) ->
            update
                .finish()
                .ifPresent(
                    record -> {
                      queued = true;
                      VersionTuple tuple = ObjectRegistry.tuple(record);
                      DocumentQueues.main(location)
                          .append(
                              transaction,
                              Queue.shard(object.pk(), settings.shardCount()),
                              PublishTask.of(object.pk(), tuple).encode());
                    }));
    // What events add is counted one by one where it is limited; what else is counted here is there
    // already, and only tells more than before.
    VeridexException.throwIf(
        UsageCounters.count(
            transaction, found.holder(), patches ? found.limits() : UNLIMITED, delta));
  }
}
