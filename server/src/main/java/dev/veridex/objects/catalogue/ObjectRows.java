package dev.veridex.objects.catalogue;

import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.objects.event.EventPlace;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.store.Direction;
import dev.veridex.store.Reader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// The rows of single objects: all of them, the last ones, one by its id, the one that was current
/// at a time.
final class ObjectRows {
  private static final int LOADED = 3;

  /// An event of so many bytes costs about as much as the name of an object.
  private static final int BYTES_PER_UNIT = 600;

  private final Reader reader;
  private final CatalogueRecords records;
  private final ScanBudget budget;

  /// The row after which the budget was used up, within the rows of an object.
  private Optional<byte[]> usedUpAfter = Optional.empty();

  ObjectRows(Reader reader, CatalogueRecords records, ScanBudget budget) {
    this.reader = reader;
    this.records = records;
    this.budget = budget;
  }

  /// The position after which the budget was used up within the rows of an object, if it was.
  Optional<byte[]> usedUpAfter() {
    return usedUpAfter;
  }

  /// The position of an object, or of a row of it, in a list.
  static byte[] position(ObjectKey object, Optional<UUID> row) {
    KeyWriter out = new KeyWriter().string(object.bucket()).string(object.key());
    row.ifPresent(
        id -> out.unsigned(id.getMostSignificantBits()).unsigned(id.getLeastSignificantBits()));
    return out.toKey();
  }

  /// Visits the rows of an object.
  ///
  /// @return whether to go on
  boolean visitAll(
      CurrentRows.KnownObject known,
      ObjectSelection selection,
      Optional<byte[]> after,
      ObjectScan.RowVisitor visitor) {
    ObjectKey object = known.object();
    if (records.isStoredInOrder(reader, object)) {
      return visitStored(known, selection, after, visitor);
    }
    List<ObjectRow> rows = history(object).rows(records.isPaired());
    int from =
        after
            .filter(position -> Arrays.equals(position, position(object, lastId(position))))
            .flatMap(ObjectRows::lastId)
            .map(id -> rows.stream().map(ObjectRow::id).toList().indexOf(id) + 1)
            .orElse(0);
    return rows.subList(from, rows.size()).stream()
        .filter(selection.rows())
        .allMatch(row -> visitor.visit(row, position(object, Optional.of(row.id()))));
  }

  /// Visits the rows of an object whose events are stored in their order: a page costs what is on
  /// it, however many there are.
  private boolean visitStored(
      CurrentRows.KnownObject known,
      ObjectSelection selection,
      Optional<byte[]> after,
      ObjectScan.RowVisitor visitor) {
    ObjectKey object = known.object();
    Optional<ObjectEvent.Identity> current = currentOf(known);
    Optional<ObjectEvent.Identity> from =
        after
            .filter(position -> Arrays.equals(position, position(object, lastId(position))))
            .flatMap(ObjectRows::lastId)
            .flatMap(id -> records.identity(reader, id));
    return records.eachNative(
        reader,
        object,
        from,
        Direction.FORWARD,
        (event, bytes) -> {
          budget.use(1 + bytes / BYTES_PER_UNIT);
          ObjectRow row = stored(event, current);
          byte[] position = position(object, Optional.of(row.id()));
          if (selection.rows().test(row) && !visitor.visit(row, position)) {
            return false;
          }
          usedUpAfter = budget.isUsedUp() ? Optional.of(position) : Optional.empty();
          return usedUpAfter.isEmpty();
        });
  }

  private static Optional<ObjectEvent.Identity> currentOf(CurrentRows.KnownObject known) {
    return known.record().current(known.object()).map(leader -> leader.row().identity());
  }

  /// The row of an event that has a sequencer of the store.
  private static ObjectRow stored(StoredEvent event, Optional<ObjectEvent.Identity> current) {
    ObjectEvent.Identity identity = event.event().identity();
    EventPlace place = new EventPlace(event.event().sequencer().orElseThrow(), 0);
    return new ObjectRow(
        event,
        event.event().details().facts(),
        Optional.of(place.text()),
        current.filter(identity::equals).isPresent(),
        Optional.empty());
  }

  /// The row in whose position a position is.
  private static Optional<UUID> lastId(byte[] position) {
    KeyReader in = new KeyReader(position);
    in.string();
    in.string();
    return in.atEnd() ? Optional.empty() : Optional.of(new UUID(in.unsigned(), in.unsigned()));
  }

  /// All events of an object.
  private ObjectHistory history(ObjectKey object) {
    return new ObjectHistory(object, records.events(reader, object, budget::keep));
  }

  private Optional<ObjectRow> current(ObjectHistory history) {
    return history.rows(records.isPaired()).stream().filter(ObjectRow::isCurrent).findAny();
  }

  /// The row that was current at a time of acceptance.
  Optional<ObjectRow> accepted(CurrentRows.KnownObject known, Instant time) {
    ObjectKey object = known.object();
    // A generated sequencer may have become another one, although searches were not told.
    boolean isNative =
        known
            .record()
            .current(object)
            .filter(leader -> leader.row().identity() instanceof ObjectEvent.Native)
            .isPresent();
    if (isNative && !known.record().acceptedAt().isAfter(time)) {
      budget.use(LOADED);
      return new CurrentRows(reader, records).of(object, known.record());
    }
    long micros = Expiry.micros(time);
    List<StoredEvent> then =
        records.events(reader, object, budget::keep).stream()
            .flatMap(event -> records.asOf(reader, event, micros).stream())
            .toList();
    return current(new ObjectHistory(object, then));
  }

  /// The row that was current at a time of the object store, as far as is known.
  Optional<ObjectRow> happened(ObjectKey object, Instant time) {
    List<StoredEvent> then =
        records.events(reader, object, budget::keep).stream()
            .filter(event -> !event.event().time().isAfter(time))
            .toList();
    return current(new ObjectHistory(object, then));
  }

  private List<ObjectRow> rows(ObjectKey object) {
    return history(object).rows(records.isPaired());
  }

  /// The last rows of an object, in their order: they decide which is current.
  ///
  /// @param most of them
  List<ObjectRow> last(ObjectKey object, int most) {
    if (!records.isStoredInOrder(reader, object)) {
      List<ObjectRow> rows = rows(object);
      return rows.subList(Math.max(0, rows.size() - most), rows.size());
    }
    Optional<ObjectEvent.Identity> current =
        reader
            .get(records.object(object))
            .map(bytes -> new CurrentRows.KnownObject(object, ObjectRecord.decode(bytes)))
            .flatMap(ObjectRows::currentOf);
    List<ObjectRow> rows = new ArrayList<>();
    boolean _ =
        records.eachNative(
            reader,
            object,
            Optional.empty(),
            Direction.REVERSE,
            (event, bytes) -> {
              budget.keep(bytes);
              rows.add(stored(event, current));
              return rows.size() < most;
            });
    return rows.reversed();
  }

  /// The row of an id.
  Optional<ObjectRow> row(UUID id) {
    Optional<ObjectEvent.Identity> identity = records.identity(reader, id);
    if (identity.isEmpty()) {
      return Optional.empty();
    }
    ObjectKey object = identity.get().object();
    Optional<ObjectRow> current =
        reader
            .get(records.object(object))
            .map(ObjectRecord::decode)
            .flatMap(record -> new CurrentRows(reader, records).of(object, record))
            .filter(row -> row.id().equals(id));
    if (current.isPresent()) {
      return current;
    }
    if (records.isStoredInOrder(reader, object)) {
      return records.find(reader, identity.get()).map(event -> stored(event, Optional.empty()));
    }
    // The second event of a pair has no row of its own.
    return rows(object).stream().filter(row -> row.id().equals(id)).findAny();
  }
}
