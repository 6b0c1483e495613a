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
import java.util.NavigableMap;
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
    NavigableMap<Long, Sequencer> all = greatest(natives(events));
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
            state = state.based(until(all, state.floatsAt()));
          }
          states.add(state);
          versions.put(versionId, placed(own, state, all));
        });
    this.record = ObjectRecord.none().with(states);
  }

  /// The greatest sequencers of events by time: of all that are not later.
  private static NavigableMap<Long, Sequencer> greatest(Collection<ObjectEvent> natives) {
    NavigableMap<Long, Sequencer> greatest = new TreeMap<>();
    for (ObjectEvent event : natives) {
      greatest.merge(
          Expiry.micros(event.time()),
          event.sequencer().orElseThrow(),
          (one, other) -> one.compareTo(other) > 0 ? one : other);
    }
    Sequencer so = Sequencer.NONE;
    for (Map.Entry<Long, Sequencer> each : greatest.entrySet()) {
      so = so.compareTo(each.getValue()) > 0 ? so : each.getValue();
      each.setValue(so);
    }
    return greatest;
  }

  private static Sequencer until(NavigableMap<Long, Sequencer> greatest, long micros) {
    Map.Entry<Long, Sequencer> last = greatest.floorEntry(micros);
    return last == null ? Sequencer.NONE : last.getValue();
  }

  private static List<Placed> placed(
      List<StoredEvent> own, VersionState state, NavigableMap<Long, Sequencer> all) {
    List<ObjectEvent> natives = natives(own);
    Bases bases =
        new Bases(
            all,
            greatest(natives),
            greatest(natives.stream().filter(ObjectEvent::isCreation).toList()));
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
                        Sequencer base = bases.of(loose, state);
                        yield new Placed(
                            event, new EventPlace(base, ranks.merge(base, 1L, Long::sum)));
                      }
                    }));
    placed.sort(Placed.ORDER);
    return placed;
  }

  private static List<ObjectEvent> natives(Collection<StoredEvent> events) {
    return events.stream()
        .map(StoredEvent::event)
        .filter(event -> event.sequencer().isPresent())
        .toList();
  }

  /// The greatest sequencers by time of an object, of a version, and of its creations.
  private record Bases(
      NavigableMap<Long, Sequencer> all,
      NavigableMap<Long, Sequencer> own,
      NavigableMap<Long, Sequencer> created) {
    private Sequencer of(ObjectEvent.Sequenceless loose, VersionState state) {
      return until(
          loose.reason().isTransition() ? created : state.floats(loose.micros()) ? all : own,
          loose.micros());
    }
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
      List<ObjectFacts> facts = facts(placed);
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
                    facts.get(i),
                    alone ? Optional.empty() : Optional.of(each.place.text()),
                    current.filter(each.identity()::equals).isPresent(),
                    ended
                        ? Optional.of(deletion(placed.get(i + 1), true))
                        : alone ? Optional.of(deletion(each, false)) : Optional.empty())));
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

  /// @param paired whether the row is named after another event
  private static ObjectRow.Deletion deletion(Placed placed, boolean paired) {
    return new ObjectRow.Deletion(
        placed.event.event().time(),
        placed.place.text(),
        Optional.of(placed.event).filter(_ -> paired));
  }

  /// A transition tells where the bytes lie; what they are was told by those that it stands on.
  private static List<ObjectFacts> facts(List<Placed> placed) {
    List<ObjectFacts> all = new ArrayList<>(placed.size());
    Sequencer base = Sequencer.NONE;
    ObjectFacts under = ObjectFacts.NONE;
    for (Placed each : placed) {
      if (!each.place.base().equals(base)) {
        base = each.place.base();
        under = ObjectFacts.NONE;
      }
      ObjectFacts own = each.event.event().details().facts();
      ObjectFacts filled = own.or(under);
      all.add(
          each.identity() instanceof ObjectEvent.Sequenceless loose && loose.reason().isTransition()
              ? filled
              : own);
      under = each.event.event().isCreation() ? filled : under;
    }
    return all;
  }
}
