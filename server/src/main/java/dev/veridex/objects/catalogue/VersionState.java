package dev.veridex.objects.catalogue;

import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.Sequencer;
import java.util.Comparator;
import java.util.Optional;

/// The state of a version of an object: the greatest of its events of each kind, which decide about
/// it. It is the same in whatever order they come.
///
/// An event with a sequencer of the store stands where that says. One without comes after the
/// greatest sequencer of its version that is not later by time, and by time among its like. Where
/// the version has no sequencer at all, and there is a delete marker, it *floats*: it comes after
/// the greatest sequencer of the whole object that is not later.
///
/// A transition tells where the bytes of an object lie. It may be the top row of a version that is
/// there, and never brings back one that is not, nor moves a version before others.
///
/// @param top the greatest event with a sequencer
/// @param plain the last event without one that is no transition
/// @param transition the last transition without one
/// @param floatsFrom the time in microseconds of the first delete marker without one
/// @param base after which sequencer it comes, if it floats
record VersionState(
    String versionId,
    Optional<Top> top,
    Optional<Loose> plain,
    Optional<Loose> transition,
    Optional<Long> floatsFrom,
    Sequencer base) {
  private static final int CREATED = 1;
  private static final int DELETED = 2;
  private static final int MARKER = 4;

  private static final Comparator<Loose> BY_TIME =
      Comparator.comparingLong(Loose::micros)
          .thenComparing(Loose::type)
          .thenComparing(Loose::reason);

  /// The events with the greatest sequencer: one, or a creation and a deletion, which is later.
  ///
  /// @param created the time of the creation, in microseconds
  /// @param deleted the time of the deletion
  record Top(Sequencer sequencer, Optional<Long> created, Optional<Long> deleted, boolean marker) {
    EventType type() {
      return deleted.isPresent() ? EventType.DELETED : EventType.CREATED;
    }

    /// The time of the later one.
    long micros() {
      return deleted.or(() -> created).orElseThrow();
    }

    /// From when on events without a sequencer come after it.
    ///
    /// @param transition whether they come after creations alone
    private Optional<Long> since(boolean transition) {
      return transition
          ? created
          : Optional.of(Math.min(created.orElse(Long.MAX_VALUE), deleted.orElse(Long.MAX_VALUE)));
    }

    private Top merged(Top other) {
      return new Top(
          sequencer,
          earlier(created, other.created),
          earlier(deleted, other.deleted),
          marker || other.marker);
    }

    private static Optional<Long> earlier(Optional<Long> one, Optional<Long> other) {
      return one.isPresent() && other.isPresent()
          ? Optional.of(Math.min(one.get(), other.get()))
          : one.or(() -> other);
    }
  }

  /// The last event without one.
  ///
  /// @param latest whether a listing said that this is the latest version
  record Loose(long micros, EventType type, EventReason reason, boolean marker, boolean latest) {}

  /// The row that says whether a version is there.
  ///
  /// @param place of the version among those of the object: the greatest one leads
  record TopRow(ObjectEvent.Identity identity, EventType type, boolean marker, byte[] place) {
    /// Whether the version is present: there, or a delete marker.
    boolean isPresent() {
      return type == EventType.CREATED || marker;
    }
  }

  /// A version of which nothing is known.
  static VersionState none(String versionId) {
    return new VersionState(
        versionId,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Sequencer.NONE);
  }

  /// The state with one more event, or with what was merged into one.
  VersionState with(ObjectEvent event) {
    long micros = Expiry.micros(event.time());
    EventType type = event.identity().type();
    ObjectEvent.Details details = event.details();
    return switch (event.identity()) {
      case ObjectEvent.Native(_, _, _, Sequencer sequencer) ->
          new VersionState(
              versionId,
              Optional.of(
                  greater(
                      type == EventType.CREATED
                          ? new Top(sequencer, Optional.of(micros), Optional.empty(), false)
                          : new Top(
                              sequencer, Optional.empty(), Optional.of(micros), details.marker()))),
              plain,
              transition,
              floatsFrom,
              base);
      case ObjectEvent.Sequenceless(_, _, _, EventReason reason, _) -> {
        Loose loose = new Loose(micros, type, reason, details.marker(), details.latest());
        yield reason.isTransition()
            ? new VersionState(
                versionId, top, plain, Optional.of(later(transition, loose)), floatsFrom, base)
            : new VersionState(
                versionId,
                top,
                Optional.of(later(plain, loose)),
                transition,
                details.marker() || details.latest() ? first(micros) : floatsFrom,
                base);
      }
    };
  }

  private Top greater(Top other) {
    if (top.isEmpty()) {
      return other;
    }
    int order = top.get().sequencer.compareTo(other.sequencer);
    return order == 0 ? top.get().merged(other) : order > 0 ? top.get() : other;
  }

  private static Loose later(Optional<Loose> known, Loose other) {
    if (known.isEmpty()) {
      return other;
    }
    int order = BY_TIME.compare(known.get(), other);
    return order == 0
        ? new Loose(
            other.micros,
            other.type,
            other.reason,
            known.get().marker || other.marker,
            known.get().latest || other.latest)
        : order > 0 ? known.get() : other;
  }

  private Optional<Long> first(long micros) {
    return Optional.of(floatsFrom.map(known -> Math.min(known, micros)).orElse(micros));
  }

  /// Whether its place depends on the sequencers of other versions.
  boolean isFloating() {
    return plain.filter(loose -> floats(loose.micros)).isPresent();
  }

  /// Whether an event without a sequencer that is no transition depends on the sequencers of other
  /// versions.
  boolean floats(long micros) {
    return top.isEmpty() && floatsFrom.filter(from -> from <= micros).isPresent();
  }

  /// Until when the sequencers of other versions count, in microseconds.
  long floatsAt() {
    return plain.orElseThrow().micros;
  }

  /// The same with another base.
  VersionState based(Sequencer sequencer) {
    return new VersionState(versionId, top, plain, transition, floatsFrom, sequencer);
  }

  /// Whether an event without a sequencer comes after the version's last one, if there is one, and
  /// not after an earlier one.
  boolean isLast(long micros, boolean transition) {
    return top.isEmpty()
        || top.get().since(transition).filter(since -> since <= micros).isPresent();
  }

  /// Its top row; of nothing there is none.
  Optional<TopRow> row(ObjectKey object) {
    if (top.isEmpty() && plain.isEmpty()) {
      return transition.map(loose -> of(object, loose, place(Sequencer.NONE, loose)));
    }
    Optional<Loose> after = plain.filter(loose -> isLast(loose.micros, false));
    Sequencer under = top.map(Top::sequencer).orElse(isFloating() ? base : Sequencer.NONE);
    TopRow said =
        after
            .map(loose -> of(object, loose, place(under, loose)))
            .orElseGet(() -> of(object, top.orElseThrow()));
    // One that floats has left transitions behind, which do not.
    boolean ahead = isFloating() && !base.equals(Sequencer.NONE);
    return Optional.of(
        transition
            .filter(_ -> said.type == EventType.CREATED && !ahead)
            .filter(loose -> isLast(loose.micros, true))
            .filter(loose -> after.map(each -> BY_TIME.compare(each, loose) < 0).orElse(true))
            .map(loose -> of(object, loose, said.place))
            .orElse(said));
  }

  private TopRow of(ObjectKey object, Top row) {
    byte[] place =
        row.sequencer
            .write(new KeyWriter())
            .octet(0)
            .signed(row.micros())
            .string(versionId)
            .toKey();
    return new TopRow(
        new ObjectEvent.Native(object, versionId, row.type(), row.sequencer),
        row.type(),
        row.marker,
        place);
  }

  private TopRow of(ObjectKey object, Loose row, byte[] place) {
    return new TopRow(
        new ObjectEvent.Sequenceless(object, versionId, row.type, row.reason, row.micros),
        row.type,
        row.marker,
        place);
  }

  private byte[] place(Sequencer under, Loose row) {
    return under
        .write(new KeyWriter())
        .octet(1)
        .signed(row.micros)
        .octet(row.type.code())
        .octet(row.reason.code())
        .octet(row.latest ? 1 : 0)
        .string(versionId)
        .toKey();
  }

  /// The version whose place it is.
  static String versionAt(byte[] place) {
    KeyReader in = new KeyReader(place);
    Sequencer.read(in);
    boolean loose = in.octet() == 1;
    in.signed();
    if (loose) {
      in.octet();
      in.octet();
      in.octet();
    }
    return in.string();
  }

  void write(KeyWriter out) {
    out.string(versionId).octet(top.isPresent() ? 1 : 0);
    top.ifPresent(
        row -> {
          row.sequencer
              .write(out)
              .octet(
                  (row.created.isPresent() ? CREATED : 0)
                      | (row.deleted.isPresent() ? DELETED : 0)
                      | (row.marker ? MARKER : 0));
          row.created.ifPresent(out::signed);
          row.deleted.ifPresent(out::signed);
        });
    write(out, plain);
    write(out, transition);
    out.octet(floatsFrom.isPresent() ? 1 : 0);
    floatsFrom.ifPresent(out::signed);
    if (isFloating()) {
      base.write(out);
    }
  }

  private static KeyWriter flags(KeyWriter out, EventType type, boolean marker, boolean latest) {
    return out.octet(type.code() | (marker ? 2 : 0) | (latest ? 4 : 0));
  }

  private static void write(KeyWriter out, Optional<Loose> loose) {
    out.octet(loose.isPresent() ? 1 : 0);
    loose.ifPresent(
        row ->
            flags(out, row.type, row.marker, row.latest)
                .octet(row.reason.code())
                .signed(row.micros));
  }

  static VersionState read(KeyReader in) {
    String versionId = in.string();
    Optional<Top> top = Optional.empty();
    if (in.octet() == 1) {
      Sequencer sequencer = Sequencer.read(in);
      int flags = in.octet();
      top =
          Optional.of(
              new Top(
                  sequencer,
                  (flags & CREATED) != 0 ? Optional.of(in.signed()) : Optional.empty(),
                  (flags & DELETED) != 0 ? Optional.of(in.signed()) : Optional.empty(),
                  (flags & MARKER) != 0));
    }
    Optional<Loose> plain = readLoose(in);
    Optional<Loose> transition = readLoose(in);
    Optional<Long> floatsFrom = in.octet() == 1 ? Optional.of(in.signed()) : Optional.empty();
    VersionState read =
        new VersionState(versionId, top, plain, transition, floatsFrom, Sequencer.NONE);
    return read.isFloating() ? read.based(Sequencer.read(in)) : read;
  }

  private static Optional<Loose> readLoose(KeyReader in) {
    if (in.octet() == 0) {
      return Optional.empty();
    }
    int flags = in.octet();
    EventReason reason = EventReason.of(in.octet()).orElseThrow();
    return Optional.of(
        new Loose(in.signed(), type(flags), reason, marker(flags), (flags & 4) != 0));
  }

  private static EventType type(int flags) {
    return EventType.of(flags & 1);
  }

  private static boolean marker(int flags) {
    return (flags & 2) != 0;
  }
}
