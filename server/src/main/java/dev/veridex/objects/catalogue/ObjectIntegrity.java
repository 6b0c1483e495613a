package dev.veridex.objects.catalogue;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ContentIntegrity.Contents;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.common.KeyReader;
import dev.veridex.common.RecordKind;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Compares what is kept of each object with what its events say.
public final class ObjectIntegrity implements Contents {
  @Override
  public void look(
      Reader reader,
      BucketLookup.LocatedBucket found,
      UsageCounters.Delta held,
      Consumer<String> drift,
      Runnable looked) {
    Run run = new Run(reader, found, held, drift, looked);
    run.objects();
    run.kept();
    run.counts();
  }

  private static final class Run {
    private final Reader reader;
    private final BucketLookup.LocatedBucket found;
    private final CatalogueRecords records;
    private final UsageCounters.Delta held;
    private final Consumer<String> drift;
    private final Runnable looked;
    private final Map<String, Long> counts = new HashMap<>();
    private long objects;

    private Run(
        Reader reader,
        BucketLookup.LocatedBucket found,
        UsageCounters.Delta held,
        Consumer<String> drift,
        Runnable looked) {
      this.reader = reader;
      this.found = found;
      this.records =
          new CatalogueRecords(
              EventBatch.location(found), ObjectSettings.of(found.bucket()).isPaired());
      this.held = held;
      this.drift = drift;
      this.looked = looked;
    }

    private void tell(String what) {
      drift.accept(
          "%s, %s: %s"
              .formatted(found.bucket().namespace().scope().text(), found.bucket().name(), what));
    }

    private KeyRange all(RecordKind kind) {
      return KeyRange.prefix(records.location().prefix(kind).toKey());
    }

    /// Looks at the events of all objects, which lie together.
    private void objects() {
      KeyRange all = all(RecordKind.OBJECT_EVENT);
      List<StoredEvent> events = new ArrayList<>();
      Optional<ObjectKey> last = Optional.empty();
      try (Cursor cursor = reader.scan(all, Direction.FORWARD)) {
        while (cursor.next()) {
          KeyReader key = new KeyReader(cursor.key(), all.from().length);
          ObjectKey object = new ObjectKey(key.string(), key.string());
          if (last.filter(object::equals).isEmpty()) {
            last.ifPresent(each -> object(each, events));
            events.clear();
            last = Optional.of(object);
          }
          held.add(Quota.BYTES, Optional.empty(), cursor.value().length);
          events.add(StoredEvent.decode(records.identity(object, key), cursor.value()));
        }
      }
      last.ifPresent(each -> object(each, events));
      long known = 0;
      try (Cursor cursor = reader.scan(all(RecordKind.OBJECT), Direction.FORWARD)) {
        while (cursor.next()) {
          known++;
        }
      }
      if (known != objects) {
        tell("there are %d objects with events, and %d are known".formatted(objects, known));
      }
    }

    /// Counts what is kept for a while.
    private void kept() {
      for (RecordKind kind : List.of(RecordKind.OBJECT_PAST, RecordKind.OBJECT_FAILED)) {
        try (Cursor cursor = reader.scan(all(kind), Direction.FORWARD)) {
          while (cursor.next()) {
            held.add(Quota.BYTES, cursor.entry().expiresAt(), cursor.value().length);
          }
        }
      }
    }

    private void object(ObjectKey object, List<StoredEvent> events) {
      objects++;
      looked.run();
      ObjectHistory history = new ObjectHistory(object, events);
      List<ObjectRow> rows = history.rows(records.isPaired());
      held.add(Quota.OBJECTS, Optional.empty(), rows.size());
      Optional<ObjectRow> current = rows.stream().filter(ObjectRow::isCurrent).findAny();
      ObjectRecord known =
          reader
              .get(records.object(object))
              .map(ObjectRecord::decode)
              .orElseGet(ObjectRecord::none);
      Optional<ObjectRecord.Summary> summary = current.map(ObjectRecord.Summary::of);
      summary.ifPresent(
          each -> {
            counts.merge(hex(records.count(object.bucket(), each, false)), 1L, Long::sum);
            counts.merge(hex(records.count(object.bucket(), each, true)), each.size(), Long::sum);
          });
      if (!known.summary().equals(summary)
          || !new CurrentRows(reader, records).of(object, known).equals(current)) {
        tell("the current row of an object is not what its events say");
      } else if (!states(object, known).equals(Set.copyOf(history.record().versions()))) {
        tell("the versions of an object are not what its events say");
      } else if (known.many() && !presentOf(object).equals(present(object, history))) {
        tell("the present versions of an object are not what its events say");
      }
      for (StoredEvent event : events) {
        ObjectEvent.Identity identity = event.event().identity();
        if (records.identity(reader, identity.id()).filter(identity::equals).isEmpty()) {
          tell("the id of a row leads nowhere");
        }
      }
    }

    private Set<VersionState> states(ObjectKey object, ObjectRecord known) {
      if (!known.many()) {
        return Set.copyOf(known.versions());
      }
      return read(RecordKind.OBJECT_VERSION, object).stream()
          .map(bytes -> VersionState.read(new KeyReader(bytes)))
          .collect(Collectors.toSet());
    }

    private List<byte[]> read(RecordKind kind, ObjectKey object) {
      List<byte[]> values = new ArrayList<>();
      KeyRange range = KeyRange.prefix(records.of(kind, object).toKey());
      try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
        while (cursor.next()) {
          values.add(cursor.value());
        }
      }
      return values;
    }

    private Set<String> presentOf(ObjectKey object) {
      Set<String> present = new TreeSet<>();
      KeyRange range = KeyRange.prefix(records.of(RecordKind.OBJECT_PRESENT, object).toKey());
      try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
        while (cursor.next()) {
          present.add(hex(cursor.key()));
        }
      }
      return present;
    }

    private Set<String> present(ObjectKey object, ObjectHistory history) {
      return history.record().versions().stream()
          .flatMap(version -> version.row(object).stream())
          .filter(VersionState.TopRow::isPresent)
          .map(row -> hex(records.present(object, row.place())))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String hex(byte[] key) {
      return HexFormat.of().formatHex(key);
    }

    private void counts() {
      for (Reader.Counter counter : reader.counters(all(RecordKind.OBJECT_COUNT))) {
        if (counter.sum() != counts.getOrDefault(hex(counter.key()), 0L)) {
          tell(
              "%d current objects or bytes of a kind are counted, and there are %d"
                  .formatted(counter.sum(), counts.getOrDefault(hex(counter.key()), 0L)));
        }
        counts.remove(hex(counter.key()));
      }
      if (counts.values().stream().anyMatch(sum -> sum != 0)) {
        tell("current objects are not counted");
      }
    }
  }
}
