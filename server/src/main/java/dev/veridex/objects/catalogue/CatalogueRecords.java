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
import java.util.function.Predicate;

/// The stored records of a catalogue and their keys.
final class CatalogueRecords {
  private static final int NATIVE = 0;
  private static final int SEQUENCELESS = 1;

  private final BucketLocation location;

  CatalogueRecords(BucketLocation location) {
    this.location = location;
  }

  BucketLocation location() {
    return location;
  }

  KeyWriter of(RecordKind kind, ObjectKey object) {
    return location.prefix(kind).string(object.bucket()).string(object.key());
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

  private static byte[] tail(KeyWriter out, ObjectEvent.Identity identity) {
    return switch (identity) {
      case ObjectEvent.Native(_, String version, EventType type, Sequencer sequencer) ->
          sequencer.write(out.octet(NATIVE)).octet(type.code()).string(version).toKey();
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
  static ObjectEvent.Identity identity(ObjectKey object, KeyReader in) {
    if (in.octet() == NATIVE) {
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
    return reader.get(id(id)).map(CatalogueRecords::identity);
  }

  private static ObjectEvent.Identity identity(byte[] bytes) {
    KeyReader in = new KeyReader(bytes);
    return identity(new ObjectKey(in.string(), in.string()), in);
  }

  static byte[] encode(ObjectEvent.Identity identity) {
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

  /// The events of an object, those with sequencers first, in their order.
  ///
  /// @param limit of how many are read
  List<StoredEvent> events(Reader reader, ObjectKey object, int limit) {
    byte[] prefix = of(RecordKind.OBJECT_EVENT, object).toKey();
    List<StoredEvent> events = new ArrayList<>();
    try (Cursor cursor = reader.scan(KeyRange.prefix(prefix), Direction.FORWARD)) {
      while (events.size() < limit && cursor.next()) {
        events.add(
            StoredEvent.decode(
                identity(object, new KeyReader(cursor.key(), prefix.length)), cursor.value()));
      }
    }
    return events;
  }

  /// The last event with a sequencer that fulfils a condition.
  Optional<StoredEvent> last(Reader reader, ObjectKey object, Predicate<StoredEvent> wanted) {
    byte[] prefix = of(RecordKind.OBJECT_EVENT, object).toKey();
    KeyRange natives = KeyRange.prefix(KeyWriter.after(prefix).octet(NATIVE).toKey());
    return last(reader, object, prefix, natives, wanted);
  }

  /// The events without a sequencer of a version before one of them, the last first.
  List<StoredEvent> before(
      Reader reader, ObjectEvent.Sequenceless event, int limit, Predicate<StoredEvent> goOn) {
    ObjectKey object = event.object();
    byte[] prefix = of(RecordKind.OBJECT_EVENT, object).toKey();
    byte[] from = KeyWriter.after(prefix).octet(SEQUENCELESS).string(event.versionId()).toKey();
    List<StoredEvent> events = new ArrayList<>();
    Optional<StoredEvent> _ =
        last(
            reader,
            object,
            prefix,
            KeyRange.between(from, event(event)),
            each -> {
              boolean on = goOn.test(each);
              if (on) {
                events.add(each);
              }
              return !on || events.size() == limit;
            });
    return events;
  }

  private static Optional<StoredEvent> last(
      Reader reader,
      ObjectKey object,
      byte[] prefix,
      KeyRange range,
      Predicate<StoredEvent> wanted) {
    try (Cursor cursor = reader.scan(range, Direction.REVERSE)) {
      while (cursor.next()) {
        StoredEvent event =
            StoredEvent.decode(
                identity(object, new KeyReader(cursor.key(), prefix.length)), cursor.value());
        if (wanted.test(event)) {
          return Optional.of(event);
        }
      }
    }
    return Optional.empty();
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
