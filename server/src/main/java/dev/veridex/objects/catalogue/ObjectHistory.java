package dev.veridex.objects.catalogue;

import dev.veridex.common.Expiry;
import dev.veridex.objects.event.EventPlace;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectFacts;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.Sequencer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// All events of an object and what follows from them: their order, the state of each version, the
/// current row. [ObjectUpdate] comes to the same, event by event.
public final class ObjectHistory {
  private final ObjectKey object;
  private final SortedMap<String, List<Placed>> versions = new TreeMap<>();
  private final ObjectRecord record;

  /// An event in its place.
  record Placed(StoredEvent event, EventPlace place) {
    private static final Comparator<Placed> ORDER =
        Comparator.comparing(Placed::place)
            .thenComparing(each -> each.event.event().identity().type());

    ObjectEvent.Identity identity() {
      return event.event().identity();
    }
  }

  /// @param events in whatever order
  public ObjectHistory(ObjectKey object, Collection<StoredEvent> events) {
    this.object = object;
    List<ObjectEvent> natives =
        events.stream()
            .map(StoredEvent::event)
            .filter(event -> event.sequencer().isPresent())
            .toList();
    Map<String, List<StoredEvent>> byVersion = new TreeMap<>();
    events.forEach(
        event ->
            byVersion
                .computeIfAbsent(event.event().identity().versionId(), _ -> new ArrayList<>())
                .add(event));
    List<VersionState> states = new ArrayList<>();
    byVersion.forEach(
        (versionId, own) -> {
          VersionState state = VersionState.none(versionId);
          for (StoredEvent event : own) {
            state = state.with(event.event());
          }
          if (state.isFloating()) {
            state = state.based(greatest(natives, state.floatsAt()));
          }
          states.add(state);
          versions.put(versionId, placed(own, state, natives));
        });
    this.record = ObjectRecord.none().with(states);
  }

  private static Sequencer greatest(Collection<ObjectEvent> natives, long micros) {
    return natives.stream()
        .filter(event -> Expiry.micros(event.time()) <= micros)
        .flatMap(event -> event.sequencer().stream())
        .max(Comparator.naturalOrder())
        .orElse(Sequencer.NONE);
  }

  private static List<Placed> placed(
      List<StoredEvent> own, VersionState state, List<ObjectEvent> natives) {
    List<ObjectEvent> ownNatives =
        own.stream()
            .map(StoredEvent::event)
            .filter(event -> event.sequencer().isPresent())
            .toList();
    List<Placed> placed = new ArrayList<>();
    Map<Sequencer, Long> ranks = new TreeMap<>();
    own.stream()
        .sorted(StoredEvent.BY_TIME)
        .forEach(
            event ->
                placed.add(
                    switch (event.event().identity()) {
                      case ObjectEvent.Native same ->
                          new Placed(event, new EventPlace(same.sequencer(), 0));
                      case ObjectEvent.Sequenceless loose -> {
                        Sequencer base = base(loose, state, ownNatives, natives);
                        yield new Placed(
                            event, new EventPlace(base, ranks.merge(base, 1L, Long::sum)));
                      }
                    }));
    placed.sort(Placed.ORDER);
    return placed;
  }

  private static Sequencer base(
      ObjectEvent.Sequenceless loose,
      VersionState state,
      List<ObjectEvent> own,
      List<ObjectEvent> natives) {
    if (loose.reason().isTransition()) {
      return greatest(
          own.stream().filter(event -> event.identity().type() == EventType.CREATED).toList(),
          loose.micros());
    }
    return greatest(state.floats(loose.micros()) ? natives : own, loose.micros());
  }

  /// What decides about the object.
  ObjectRecord record() {
    return record;
  }

  /// Its rows, in their order.
  public List<ObjectRow> rows(boolean paired) {
    Optional<ObjectEvent.Identity> current =
        record.current(object).map(leader -> leader.row().identity());
    List<Row> rows = new ArrayList<>();
    for (List<Placed> placed : versions.values()) {
      for (int i = 0; i < placed.size(); i++) {
        Placed each = placed.get(i);
        boolean ended =
            paired
                && each.identity().type() == EventType.CREATED
                && i + 1 < placed.size()
                && placed.get(i + 1).identity().type() == EventType.DELETED;
        boolean alone = paired && each.identity().type() == EventType.DELETED;
        rows.add(
            new Row(
                each,
                new ObjectRow(
                    each.event,
                    facts(each, placed.subList(0, i)),
                    alone ? Optional.empty() : Optional.of(each.place.text()),
                    current.filter(each.identity()::equals).isPresent(),
                    ended
                        ? Optional.of(deletion(placed.get(i + 1)))
                        : alone ? Optional.of(deletion(each)) : Optional.empty())));
        i += ended ? 1 : 0;
      }
    }
    return rows.stream()
        .sorted(
            Comparator.comparing(Row::placed, Placed.ORDER)
                .thenComparing(row -> row.placed.identity().versionId()))
        .map(Row::row)
        .toList();
  }

  private record Row(Placed placed, ObjectRow row) {}

  private static ObjectRow.Deletion deletion(Placed placed) {
    return new ObjectRow.Deletion(placed.event.event().time(), placed.place.text());
  }

  /// A transition tells where the bytes lie; what they are was told by those that it stands on.
  private static ObjectFacts facts(Placed placed, List<Placed> before) {
    ObjectFacts facts = placed.event.event().details().facts();
    if (!(placed.identity() instanceof ObjectEvent.Sequenceless loose)
        || !loose.reason().isTransition()) {
      return facts;
    }
    for (Placed each : before.reversed()) {
      if (each.event.event().isCreation() && each.place.base().equals(placed.place.base())) {
        facts = facts.or(each.event.event().details().facts());
      }
    }
    return facts;
  }
}
