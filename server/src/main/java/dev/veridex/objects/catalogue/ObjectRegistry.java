package dev.veridex.objects.catalogue;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.RecordKind;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registry;
import dev.veridex.documents.registry.RegistryRow;
import dev.veridex.index.Schema;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The registry of a catalogue: an object is a document under its address, which is there as long
/// as the object has a current row. The version of a state is how often searches were told of the
/// object: one that is current again is newer, and never older.
public final class ObjectRegistry implements Registry {
  /// There is one schema, which takes up the names of attributes as they come.
  static final long EPOCH = 1;

  /// The schema of a catalogue in which nothing was ever stored.
  public static final Schema FIRST_SCHEMA = ObjectDocument.SCHEMA;

  private static final byte[] NO_HASH = new byte[RegistryRow.HASH_BYTES];
  private static final int COMPARED_BYTES = 6;

  private final CatalogueRecords records;
  private final Epochs.Store epochs;

  public ObjectRegistry(BucketLookup.LocatedBucket found, Epochs.Store epochs) {
    this.records =
        new CatalogueRecords(
            EventBatch.location(found), ObjectSettings.of(found.bucket()).isPaired());
    this.epochs = epochs;
  }

  /// The place of a state among those of its object.
  static VersionTuple tuple(ObjectRecord record) {
    return new VersionTuple(EPOCH, record.counter(), Expiry.micros(record.acceptedAt()));
  }

  @Override
  public List<DocumentRows> find(Reader reader, List<String> pks, Collection<Long> numbers) {
    List<Optional<ObjectRecord>> known = known(reader, pks);
    List<DocumentRows> found = new ArrayList<>(pks.size());
    for (int i = 0; i < pks.size(); i++) {
      found.add(rows(pks.get(i), known.get(i)));
    }
    return found;
  }

  /// What is known of objects by their addresses.
  private List<Optional<ObjectRecord>> known(Reader reader, List<String> pks) {
    List<Optional<ObjectKey>> objects = pks.stream().map(ObjectKey::ofPk).toList();
    List<Optional<byte[]>> values =
        reader.getAll(objects.stream().flatMap(Optional::stream).map(records::object).toList());
    List<Optional<ObjectRecord>> known = new ArrayList<>();
    int next = 0;
    for (Optional<ObjectKey> object : objects) {
      known.add(
          object.isPresent() ? values.get(next++).map(ObjectRecord::decode) : Optional.empty());
    }
    return known;
  }

  private static DocumentRows rows(String pk, Optional<ObjectRecord> known) {
    DocumentRows rows = new DocumentRows(pk, new TreeMap<>());
    known
        .filter(record -> record.counter() > 0)
        .ifPresent(
            record ->
                rows.rows()
                    .put(
                        EPOCH,
                        new RegistryRow(
                            tuple(record),
                            record.summary().isEmpty(),
                            NO_HASH,
                            0,
                            0,
                            record.acceptedAt(),
                            Optional.empty())));
    return rows;
  }

  @Override
  public List<Optional<Body>> bodies(Reader reader, List<BodyId> wanted) {
    List<Optional<ObjectRecord>> known = known(reader, wanted.stream().map(BodyId::pk).toList());
    List<CurrentRows.KnownObject> objects = new ArrayList<>();
    for (int i = 0; i < wanted.size(); i++) {
      ObjectKey object = ObjectKey.ofPk(wanted.get(i).pk()).orElse(null);
      ObjectRecord record = known.get(i).orElse(null);
      if (object != null && record != null) {
        objects.add(new CurrentRows.KnownObject(object, record));
      }
    }
    Map<ObjectKey, ObjectRow> rows = new CurrentRows(reader, records).of(objects);
    Schema schema = schema(reader, epochs, records.location());
    return wanted.stream()
        .map(
            id ->
                ObjectKey.ofPk(id.pk())
                    .flatMap(object -> Optional.ofNullable(rows.get(object)))
                    .<Body>map(row -> () -> ObjectDocument.of(row, schema)))
        .toList();
  }

  /// The schema of a catalogue.
  static Schema schema(Reader reader, Epochs.Store epochs, BucketLocation location) {
    Epochs.Epoch epoch = epochs.read(reader, location).serving();
    return epoch.schemaVersion() == 0 ? ObjectDocument.SCHEMA : epoch.schema();
  }

  private KeyRange all() {
    return KeyRange.prefix(records.location().prefix(RecordKind.OBJECT).toKey());
  }

  @Override
  public WalkPage walk(Reader reader, byte[] after, int limit) {
    KeyRange all = all();
    KeyRange range = after.length == 0 ? all : new KeyRange(KeyRange.successor(after), all.to());
    int prefix = all.from().length;
    List<DocumentRows> found = new ArrayList<>();
    byte[] last = after;
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      while (cursor.next()) {
        if (found.size() == limit) {
          return new WalkPage(found, Optional.of(last));
        }
        last = cursor.key();
        found.add(
            rows(
                CatalogueRecords.object(last, prefix).pk(),
                Optional.of(ObjectRecord.decode(cursor.value()))));
      }
    }
    return new WalkPage(found, Optional.empty());
  }

  /// Objects are ordered by their names: where one lies between the first and the last is told by
  /// the bytes in which these differ.
  @Override
  public double fraction(Reader reader, byte[] position) {
    Optional<byte[]> first = end(reader, Direction.FORWARD);
    Optional<byte[]> last = end(reader, Direction.REVERSE);
    if (position.length == 0 || first.isEmpty() || last.isEmpty()) {
      return 0;
    }
    int same = Math.max(0, Arrays.mismatch(first.get(), last.get()));
    double from = number(first.get(), same);
    double to = number(last.get(), same);
    return to <= from ? 1 : Math.clamp((number(position, same) - from) / (to - from), 0, 1);
  }

  private Optional<byte[]> end(Reader reader, Direction direction) {
    try (Cursor cursor = reader.scan(all(), direction)) {
      return cursor.next() ? Optional.of(cursor.key()) : Optional.empty();
    }
  }

  private static double number(byte[] key, int from) {
    long number = 0;
    for (int i = 0; i < COMPARED_BYTES; i++) {
      int at = from + i;
      number = number << Byte.SIZE | (at < key.length ? new KeyReader(key, at).octet() : 0);
    }
    return number;
  }
}
