package dev.veridex.objects.catalogue;

import dev.veridex.common.Expiry;
import dev.veridex.objects.event.EventPlace;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectFacts;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.Sequencer;
import dev.veridex.store.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads the current rows of objects: from what is known of an object, and the few events that its
/// current row stands on, however many there are.
final class CurrentRows {
  private final Reader reader;
  private final CatalogueRecords records;

  CurrentRows(Reader reader, CatalogueRecords records) {
    this.reader = reader;
    this.records = records;
  }

  /// An object, and what is known of it.
  record KnownObject(ObjectKey object, ObjectRecord record) {}

  /// The current rows of those objects that have one.
  Map<ObjectKey, ObjectRow> of(List<KnownObject> known) {
    List<byte[]> keys = new ArrayList<>();
    List<KnownObject> current = new ArrayList<>();
    for (KnownObject each : known) {
      each.record
          .current(each.object)
          .ifPresent(
              leader -> {
                keys.add(records.event(leader.row().identity()));
                current.add(each);
              });
    }
    List<Optional<byte[]>> found = reader.getAll(keys);
    Map<ObjectKey, ObjectRow> rows = new HashMap<>();
    for (int i = 0; i < current.size(); i++) {
      KnownObject each = current.get(i);
      ObjectRecord.Leader leader = each.record.current(each.object).orElseThrow();
      rows.put(
          each.object,
          row(leader, StoredEvent.decode(leader.row().identity(), found.get(i).orElseThrow())));
    }
    return rows;
  }

  /// The current row of an object, if there is one.
  Optional<ObjectRow> of(ObjectKey object, ObjectRecord record) {
    return Optional.ofNullable(of(List.of(new KnownObject(object, record))).get(object));
  }

  private ObjectRow row(ObjectRecord.Leader leader, StoredEvent event) {
    return switch (event.event().identity()) {
      case ObjectEvent.Native same ->
          new ObjectRow(
              event,
              event.event().details().facts(),
              Optional.of(same.sequencer().text()),
              true,
              Optional.empty());
      case ObjectEvent.Sequenceless loose -> generated(leader.version(), event, loose);
    };
  }

  /// The row of an event without a sequencer: its rank is counted among those that come after the
  /// same sequencer, which is its version's last one.
  private ObjectRow generated(
      VersionState version, StoredEvent event, ObjectEvent.Sequenceless own) {
    Sequencer base = base(version, own);
    List<StoredEvent> before =
        records.sequenceless(reader, own.object(), own.versionId()).stream()
            .filter(each -> StoredEvent.BY_TIME.compare(each, event) < 0)
            .filter(each -> standsOn(version, each))
            .filter(
                each ->
                    base(version, (ObjectEvent.Sequenceless) each.event().identity()).equals(base))
            .toList();
    ObjectFacts facts = event.event().details().facts();
    if (own.reason().isTransition()) {
      for (StoredEvent each : before.reversed()) {
        facts = each.event().isCreation() ? facts.or(each.event().details().facts()) : facts;
      }
      facts = facts.or(under(version, own));
    }
    return new ObjectRow(
        event,
        facts,
        Optional.of(new EventPlace(base, before.size() + 1L).text()),
        true,
        Optional.empty());
  }

  /// What the last event with a sequencer says.
  private ObjectFacts under(VersionState version, ObjectEvent.Sequenceless own) {
    return version
        .top()
        .flatMap(
            top ->
                records.find(
                    reader,
                    new ObjectEvent.Native(
                        own.object(), own.versionId(), EventType.CREATED, top.sequencer())))
        .map(each -> each.event().details().facts())
        .orElse(ObjectFacts.NONE);
  }

  /// The sequencer that an event comes after, if it comes after its version's last one.
  private Sequencer base(VersionState version, ObjectEvent.Sequenceless event) {
    if (version.top().isPresent()) {
      return version.top().get().sequencer();
    }
    return !event.reason().isTransition() && version.floats(event.micros())
        ? records.greatest(reader, event.object(), event.micros())
        : Sequencer.NONE;
  }

  /// Whether an event comes after its version's last sequencer, and not after an earlier one.
  private static boolean standsOn(VersionState version, StoredEvent event) {
    return version.isLast(
        Expiry.micros(event.event().time()), event.event().details().reason().isTransition());
  }
}
