package dev.veridex.objects.catalogue;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.Sequencer;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.IntConsumer;

/// The stored records of a catalogue and their keys.
final class CatalogueRecords {
  private static final int NATIVE = 0;
  private static final int SEQUENCELESS = 1;

  private final BucketLocation location;
  private final boolean paired;

  /// @param paired whether events are ordered by versions first: each is looked at together with
  ///   its neighbour
  CatalogueRecords(BucketLocation location, boolean paired) {
    this.location = location;
    this.paired = paired;
  }

  BucketLocation location() {
    return location;
  }

  boolean isPaired() {
    return paired;
  }

  KeyWriter of(RecordKind kind, ObjectKey object) {
    return location.prefix(kind).string(object.bucket()).string(object.key());
  }

  /// The object of a key of a record.
  ///
  /// @param prefix how long the prefix of all keys of its kind is
  static ObjectKey object(byte[] key, int prefix) {
    KeyReader in = new KeyReader(key, prefix);
    return new ObjectKey(in.string(), in.string());
  }

  byte[] object(ObjectKey object) {
    return of(RecordKind.OBJECT, object).toKey();
  }

  byte[] version(ObjectKey object, String versionId) {
    return of(RecordKind.OBJECT_VERSION, object).string(versionId).toKey();
  }

  byte[] present(ObjectKey object, byte[] place) {
    return of(RecordKind.OBJECT_PRESENT, object).bytes(place).toKey();
  }

  byte[] floating(ObjectKey object, String versionId) {
    return of(RecordKind.OBJECT_FLOATING, object).string(versionId).toKey();
  }

  /// The counters of current objects of a kind: how many there are, and how many bytes.
  byte[] count(String bucket, ObjectRecord.Summary summary, boolean bytes) {
    return location
        .prefix(RecordKind.OBJECT_COUNT)
        .string(bucket)
        .string(summary.storageClass())
        .octet(summary.reason().code())
        .octet(bytes ? 1 : 0)
        .toKey();
  }

  byte[] id(UUID id) {
    return location
        .prefix(RecordKind.OBJECT_ID)
        .unsigned(id.getMostSignificantBits())
        .unsigned(id.getLeastSignificantBits())
        .toKey();
  }

  byte[] event(ObjectEvent.Identity identity) {
    return tail(of(RecordKind.OBJECT_EVENT, identity.object()), identity);
  }

  /// What an event was until it was changed by the commit after a revision.
  byte[] past(ObjectEvent.Identity identity, long micros, long sequence) {
    return KeyWriter.after(pastOf(identity)).signed(micros).signed(sequence).toKey();
  }

  byte[] pastOf(ObjectEvent.Identity identity) {
    return tail(of(RecordKind.OBJECT_PAST, identity.object()), identity);
  }

  private byte[] tail(KeyWriter out, ObjectEvent.Identity identity) {
    return switch (identity) {
      case ObjectEvent.Native(_, String version, EventType type, Sequencer sequencer) ->
          paired
              ? sequencer.write(out.octet(NATIVE).string(version)).octet(type.code()).toKey()
              : sequencer.write(out.octet(NATIVE)).octet(type.code()).string(version).toKey();
      case ObjectEvent.Sequenceless(
              _,
              String version,
              EventType type,
              EventReason reason,
              long micros) ->
          out.octet(SEQUENCELESS)
              .string(version)
              .signed(micros)
              .octet(type.code())
              .octet(reason.code())
              .toKey();
    };
  }

  /// The identity after an object's key.
  ObjectEvent.Identity identity(ObjectKey object, KeyReader in) {
    if (in.octet() == NATIVE) {
      if (paired) {
        String version = in.string();
        Sequencer sequencer = Sequencer.read(in);
        return new ObjectEvent.Native(object, version, EventType.of(in.octet()), sequencer);
      }
      Sequencer sequencer = Sequencer.read(in);
      EventType type = EventType.of(in.octet());
      return new ObjectEvent.Native(object, in.string(), type, sequencer);
    }
    String version = in.string();
    long micros = in.signed();
    EventType type = EventType.of(in.octet());
    return new ObjectEvent.Sequenceless(
        object, version, type, EventReason.of(in.octet()).orElseThrow(), micros);
  }

  /// The identity that a row's id stands for.
  Optional<ObjectEvent.Identity> identity(Reader reader, UUID id) {
    return reader.get(id(id)).map(this::identity);
  }

  private ObjectEvent.Identity identity(byte[] bytes) {
    KeyReader in = new KeyReader(bytes);
    return identity(new ObjectKey(in.string(), in.string()), in);
  }

  byte[] encode(ObjectEvent.Identity identity) {
    ObjectKey object = identity.object();
    return tail(new KeyWriter().string(object.bucket()).string(object.key()), identity);
  }

  Optional<StoredEvent> find(Reader reader, ObjectEvent.Identity identity) {
    return reader.get(event(identity)).map(bytes -> StoredEvent.decode(identity, bytes));
  }

  Optional<VersionState> version(Reader reader, ObjectKey object, String versionId) {
    return reader
        .get(version(object, versionId))
        .map(bytes -> VersionState.read(new KeyReader(bytes)));
  }

  /// The events of an object.
  ///
  /// @param each is told of the size of each before it is read, and may refuse to go on
  List<StoredEvent> events(Reader reader, ObjectKey object, IntConsumer each) {
    return events(reader, object, of(RecordKind.OBJECT_EVENT, object).toKey(), each);
  }

  private List<StoredEvent> events(Reader reader, ObjectKey object, byte[] from, IntConsumer each) {
    int prefix = of(RecordKind.OBJECT_EVENT, object).toKey().length;
    List<StoredEvent> events = new ArrayList<>();
    try (Cursor cursor = reader.scan(KeyRange.prefix(from), Direction.FORWARD)) {
      while (cursor.next()) {
        each.accept(cursor.value().length);
        events.add(decode(object, cursor, prefix));
      }
    }
    return events;
  }

  private StoredEvent decode(ObjectKey object, Cursor cursor, int prefix) {
    return StoredEvent.decode(
        identity(object, new KeyReader(cursor.key(), prefix)), cursor.value());
  }

  /// Whether the events of an object are stored in the order of their places: each has a sequencer
  /// of the store, and pairs are none of our business.
  boolean isStoredInOrder(Reader reader, ObjectKey object) {
    if (paired) {
      return false;
    }
    byte[] others = of(RecordKind.OBJECT_EVENT, object).octet(SEQUENCELESS).toKey();
    try (Cursor cursor = reader.scan(KeyRange.prefix(others), Direction.FORWARD)) {
      return !cursor.next();
    }
  }

  /// Visits events with sequencers of an object until somebody has seen enough.
  ///
  /// @param after an event to go on after, forwards
  /// @param visit is also told how many bytes an event takes as it is stored
  /// @return whether that was all
  boolean eachNative(
      Reader reader,
      ObjectKey object,
      Optional<ObjectEvent.Identity> after,
      Direction direction,
      EventVisitor visit) {
    int prefix = of(RecordKind.OBJECT_EVENT, object).toKey().length;
    KeyRange all = KeyRange.prefix(natives(object).toKey());
    KeyRange rest =
        after.map(each -> new KeyRange(KeyRange.successor(event(each)), all.to())).orElse(all);
    try (Cursor cursor = reader.scan(rest, direction)) {
      while (cursor.next()) {
        if (!visit.visit(decode(object, cursor, prefix), cursor.value().length)) {
          return false;
        }
      }
    }
    return true;
  }

  /// Takes events as they are found.
  @FunctionalInterface
  interface EventVisitor {
    /// Takes an event.
    ///
    /// @return whether to go on
    boolean visit(StoredEvent event, int bytes);
  }

  private KeyWriter natives(ObjectKey object) {
    return of(RecordKind.OBJECT_EVENT, object).octet(NATIVE);
  }

  /// The greatest sequencer of an object of an event that is not later than a time.
  Sequencer greatest(Reader reader, ObjectKey object, long micros) {
    int prefix = of(RecordKind.OBJECT_EVENT, object).toKey().length;
    Sequencer greatest = Sequencer.NONE;
    try (Cursor cursor = reader.scan(KeyRange.prefix(natives(object).toKey()), Direction.REVERSE)) {
      while (cursor.next()) {
        ObjectEvent event = decode(object, cursor, prefix).event();
        Sequencer sequencer = event.sequencer().orElseThrow();
        if (Expiry.micros(event.time()) <= micros && sequencer.compareTo(greatest) > 0) {
          greatest = sequencer;
          if (!paired) {
            return greatest;
          }
        }
      }
    }
    return greatest;
  }

  /// The events without a sequencer of a version, by time.
  List<StoredEvent> sequenceless(Reader reader, ObjectKey object, String versionId) {
    return events(
        reader,
        object,
        of(RecordKind.OBJECT_EVENT, object).octet(SEQUENCELESS).string(versionId).toKey(),
        _ -> {});
  }

  /// The events of a version, in paired mode.
  List<StoredEvent> ofVersion(Reader reader, ObjectKey object, String versionId) {
    List<StoredEvent> events =
        events(reader, object, natives(object).string(versionId).toKey(), _ -> {});
    events.addAll(sequenceless(reader, object, versionId));
    return events;
  }

  /// The event with a sequencer next to another one of its version, in paired mode.
  Optional<StoredEvent> neighbour(Reader reader, ObjectEvent.Native event, Direction direction) {
    ObjectKey object = event.object();
    int prefix = of(RecordKind.OBJECT_EVENT, object).toKey().length;
    KeyRange version = KeyRange.prefix(natives(object).string(event.versionId()).toKey());
    byte[] own = event(event);
    KeyRange range =
        direction == Direction.FORWARD
            ? new KeyRange(KeyRange.successor(own), version.to())
            : KeyRange.between(version.from(), own);
    try (Cursor cursor = reader.scan(range, direction)) {
      return cursor.next() ? Optional.of(decode(object, cursor, prefix)) : Optional.empty();
    }
  }

  /// What an event was at a time of acceptance; absent if it had not been accepted.
  Optional<StoredEvent> asOf(Reader reader, StoredEvent event, long micros) {
    if (Expiry.micros(event.acceptedAt()) > micros) {
      return Optional.empty();
    }
    ObjectEvent.Identity identity = event.event().identity();
    byte[] prefix = pastOf(identity);
    KeyRange later =
        new KeyRange(
            KeyWriter.after(prefix).signed(micros + 1).toKey(), KeyRange.prefix(prefix).to());
    try (Cursor cursor = reader.scan(later, Direction.FORWARD)) {
      return Optional.of(cursor.next() ? StoredEvent.decode(identity, cursor.value()) : event);
    }
  }
}
