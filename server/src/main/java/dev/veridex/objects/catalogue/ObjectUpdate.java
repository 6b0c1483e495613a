package dev.veridex.objects.catalogue;

import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.Sequencer;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The changes of one object in a transaction: what events say of it is kept up to date, event by
/// event, however many versions it has.
final class ObjectUpdate {
  private final Transaction transaction;
  private final CatalogueRecords records;
  private final ObjectKey object;
  private final ObjectRecord before;
  private ObjectRecord record;
  private final Set<ObjectEvent.Identity> changed = new HashSet<>();

  ObjectUpdate(
      Transaction transaction,
      CatalogueRecords records,
      ObjectKey object,
      Optional<byte[]> stored) {
    this.transaction = transaction;
    this.records = records;
    this.object = object;
    this.before = stored.map(ObjectRecord::decode).orElseGet(ObjectRecord::none);
    this.record = before;
  }

  /// Whether an event of the store comes after its version's last one that is known.
  boolean isLate(ObjectEvent event) {
    Optional<Sequencer> top =
        version(event.identity().versionId())
            .flatMap(VersionState::top)
            .map(VersionState.Top::sequencer);
    return event
        .sequencer()
        .filter(given -> top.filter(each -> each.compareTo(given) > 0).isPresent())
        .isPresent();
  }

  /// Takes up an event, which is stored already: a new one, or what others were merged into.
  void add(ObjectEvent event) {
    String versionId = event.identity().versionId();
    changed.add(event.identity());
    Optional<VersionState> known = version(versionId);
    VersionState next = known.orElseGet(() -> VersionState.none(versionId)).with(event);
    if (next.isFloating()
        && known
            .filter(each -> each.isFloating() && each.floatsAt() == next.floatsAt())
            .isEmpty()) {
      set(next.based(records.greatest(transaction, object, next.floatsAt())));
    } else {
      set(next);
    }
    event.sequencer().ifPresent(sequencer -> rebase(event, sequencer));
  }

  /// A row was changed by somebody.
  void touch(ObjectEvent.Identity row) {
    changed.add(row);
  }

  /// Whether what is shown of the current row may be another one: a transition shows what others of
  /// its version say.
  private boolean isChanged() {
    return record
        .current(object)
        .map(current -> current.row().identity())
        .filter(
            row ->
                changed.contains(row)
                    || (row instanceof ObjectEvent.Sequenceless loose
                        && loose.reason().isTransition()
                        && changed.stream()
                            .anyMatch(each -> each.versionId().equals(row.versionId()))))
        .isPresent();
  }

  /// Writes what has become of the object.
  ///
  /// @return the new state, if searches have to be told
  Optional<ObjectRecord> finish() {
    Optional<ObjectEvent.Identity> was = before.current(object).map(each -> each.row().identity());
    Optional<ObjectEvent.Identity> is = record.current(object).map(each -> each.row().identity());
    boolean told = !was.equals(is) || isChanged();
    if (told) {
      record =
          record.told(
              transaction.now(),
              new CurrentRows(transaction, records)
                  .of(object, record)
                  .map(ObjectRecord.Summary::of));
      if (!record.summary().equals(before.summary())) {
        before.summary().ifPresent(summary -> count(summary, -1));
        record.summary().ifPresent(summary -> count(summary, 1));
      }
    }
    if (!record.equals(before)) {
      transaction.put(records.object(object), record.encode());
    }
    return told ? Optional.of(record) : Optional.empty();
  }

  private void count(ObjectRecord.Summary summary, int sign) {
    transaction.add(records.count(object.bucket(), summary, false), sign);
    transaction.add(records.count(object.bucket(), summary, true), sign * summary.size());
  }

  private Optional<VersionState> version(String versionId) {
    Optional<VersionState> carried =
        record.versions().stream().filter(each -> each.versionId().equals(versionId)).findAny();
    return record.many() && carried.isEmpty()
        ? records.version(transaction, object, versionId)
        : carried;
  }

  /// Moves the versions that float behind an event of another one.
  private void rebase(ObjectEvent event, Sequencer sequencer) {
    long micros = Expiry.micros(event.time());
    for (VersionState version : floating(micros, sequencer)) {
      set(version.based(sequencer));
    }
  }

  /// The versions that float and come behind a sequencer of a time.
  private List<VersionState> floating(long micros, Sequencer sequencer) {
    if (!record.many()) {
      return record.versions().stream()
          .filter(VersionState::isFloating)
          .filter(version -> moves(version.floatsAt(), version.base(), micros, sequencer))
          .toList();
    }
    List<VersionState> floating = new ArrayList<>();
    if (record.floating() > 0) {
      byte[] prefix = records.of(RecordKind.OBJECT_FLOATING, object).toKey();
      try (Cursor cursor = transaction.scan(KeyRange.prefix(prefix), Direction.FORWARD)) {
        while (cursor.next()) {
          KeyReader value = new KeyReader(cursor.value());
          if (moves(value.signed(), Sequencer.read(value), micros, sequencer)) {
            String versionId = new KeyReader(cursor.key(), prefix.length).string();
            records.version(transaction, object, versionId).ifPresent(floating::add);
          }
        }
      }
    }
    return floating;
  }

  private static boolean moves(long floatsAt, Sequencer base, long micros, Sequencer sequencer) {
    return micros <= floatsAt && base.compareTo(sequencer) < 0;
  }

  private void set(VersionState version) {
    if (!record.many()) {
      List<VersionState> versions = new ArrayList<>(record.versions());
      versions.removeIf(each -> each.versionId().equals(version.versionId()));
      versions.add(version);
      record = with(versions, false, 0);
      if (versions.size() > ObjectRecord.FEW) {
        part(versions);
      }
      return;
    }
    Optional<VersionState> known = records.version(transaction, object, version.versionId());
    Optional<VersionState.TopRow> was = known.flatMap(this::present);
    Optional<VersionState.TopRow> is = present(version);
    long floating = record.floating() + write(known, version, was, is);
    record = with(leading(version, was, is), true, floating);
  }

  private Optional<VersionState.TopRow> present(VersionState version) {
    return version.row(object).filter(VersionState.TopRow::isPresent);
  }

  private ObjectRecord with(List<VersionState> versions, boolean many, long floating) {
    return record.with(versions, many, floating);
  }

  /// Gives the versions records of their own.
  private void part(List<VersionState> versions) {
    Optional<ObjectRecord.Leader> leader = record.leader(object);
    long floating = 0;
    for (VersionState version : versions) {
      floating += write(Optional.empty(), version, Optional.empty(), present(version));
    }
    record = with(leader.map(each -> List.of(each.version())).orElse(List.of()), true, floating);
  }

  /// @return how many more float
  private int write(
      Optional<VersionState> known,
      VersionState version,
      Optional<VersionState.TopRow> was,
      Optional<VersionState.TopRow> is) {
    KeyWriter out = new KeyWriter();
    version.write(out);
    transaction.put(records.version(object, version.versionId()), out.toKey());
    if (was.isEmpty() || is.isEmpty() || !Arrays.equals(was.get().place(), is.get().place())) {
      was.ifPresent(row -> transaction.delete(records.present(object, row.place())));
      is.ifPresent(row -> transaction.put(records.present(object, row.place()), new byte[0]));
    }
    boolean floated = known.filter(VersionState::isFloating).isPresent();
    byte[] floating = records.floating(object, version.versionId());
    if (version.isFloating()) {
      // What decides whether it moves, so that most need not be read.
      KeyWriter place = new KeyWriter().signed(version.floatsAt());
      transaction.put(floating, version.base().write(place).toKey());
      return floated ? 0 : 1;
    }
    if (floated && !version.isFloating()) {
      transaction.delete(floating);
      return -1;
    }
    return 0;
  }

  /// The leading version after another one has changed.
  private List<VersionState> leading(
      VersionState version, Optional<VersionState.TopRow> was, Optional<VersionState.TopRow> is) {
    Optional<ObjectRecord.Leader> leader = record.leader(object);
    boolean leads =
        leader.filter(each -> each.version().versionId().equals(version.versionId())).isPresent();
    boolean ahead =
        is.isPresent()
            && (leader.isEmpty()
                || Arrays.compareUnsigned(
                        is.get().place(),
                        leads ? was.orElseThrow().place() : leader.get().row().place())
                    >= 0);
    if (ahead) {
      return List.of(version);
    }
    return leads ? last(was.orElseThrow().place()) : record.versions();
  }

  /// The last version that is present, by the order of those that are.
  ///
  /// @param left the place that the last one has left: nothing lies behind it but what others left
  ///   before, which would be looked at again with each that goes
  private List<VersionState> last(byte[] left) {
    byte[] prefix = records.of(RecordKind.OBJECT_PRESENT, object).toKey();
    KeyRange before = KeyRange.between(prefix, records.present(object, left));
    try (Cursor cursor = transaction.scan(before, Direction.REVERSE)) {
      if (!cursor.next()) {
        return List.of();
      }
      byte[] place = new KeyReader(cursor.key(), prefix.length).bytes();
      return records
          .version(transaction, object, VersionState.versionAt(place))
          .map(List::of)
          .orElseThrow();
    }
  }
}
