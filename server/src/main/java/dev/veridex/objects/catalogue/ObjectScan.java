package dev.veridex.objects.catalogue;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/// Reads the rows of a catalogue, by bucket and key of the object store; those of one object in
/// their own order.
public final class ObjectScan {
  private static final int AT_ONCE = 100;
  private static final int LOADED = 3;

  /// No key of an object store comes after it.
  private static final String LAST_KEY = Character.toString(Character.MAX_CODE_POINT);

  private final Reader reader;
  private final CatalogueRecords records;
  private final ScanBudget budget;

  private final ObjectRows rows;

  public ObjectScan(Reader reader, BucketLookup.LocatedBucket found, ScanBudget budget) {
    this.reader = reader;
    this.records =
        new CatalogueRecords(
            EventBatch.location(found), ObjectSettings.of(found.bucket()).isPaired());
    this.budget = budget;
    this.rows = new ObjectRows(reader, records, budget);
  }

  /// Takes rows as they are found.
  @FunctionalInterface
  public interface RowVisitor {
    /// Takes a row.
    ///
    /// @param position to go on after
    /// @return whether to go on
    boolean visit(ObjectRow row, byte[] position);
  }

  /// The reason why a scan ended.
  public sealed interface End {
    /// There is nothing more.
    record Exhausted() implements End {}

    /// The visitor wanted no more.
    record Stopped() implements End {}

    /// It had cost as much as it may.
    ///
    /// @param position to go on after
    record UsedUp(byte[] position) implements End {}
  }

  /// Takes current objects as they are found, without reading their events.
  @FunctionalInterface
  public interface SizeVisitor {
    /// Takes an object.
    void visit(ObjectKey object, long bytes, String storageClass, EventReason reason);
  }

  /// Looks at the current objects of a selection that is made by names alone.
  ///
  /// @return whether it came to the end
  public boolean sizes(ObjectSelection selection, SizeVisitor visitor) {
    KeyRange all = KeyRange.prefix(prefix().toKey());
    Optional<String> bucket = selection.bucket().or(() -> firstBucket(all));
    boolean complete = true;
    while (complete && bucket.isPresent()) {
      String name = bucket.get();
      budget.use(1);
      complete = sizes(name, selection, visitor) && !budget.isUsedUp();
      bucket = selection.bucket().isPresent() ? Optional.empty() : firstBucket(behind(name, all));
    }
    return complete;
  }

  private boolean sizes(String bucket, ObjectSelection selection, SizeVisitor visitor) {
    int prefix = prefix().toKey().length;
    KeyRange range = KeyRange.prefix(beginning(bucket, selection));
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      while (cursor.next()) {
        if (budget.isUsedUp()) {
          return false;
        }
        budget.use(1);
        ObjectKey object = CatalogueRecords.object(cursor.key(), prefix);
        Optional<ObjectRecord.Summary> summary = ObjectRecord.summary(cursor.value());
        if (summary.isPresent() && selection.objects().test(object)) {
          ObjectRecord.Summary row = summary.get();
          visitor.visit(object, row.size(), row.storageClass(), row.reason());
        }
      }
    }
    return true;
  }

  /// What is left of a range after all that is in a bucket of the object store.
  private KeyRange behind(String bucket, KeyRange all) {
    return new KeyRange(
        KeyRange.prefix(prefix().string(bucket).toKey()).to().orElseThrow(), all.to());
  }

  /// Looks at the rows of a selection.
  ///
  /// @param after a position to go on after; absent at the beginning
  public End run(ObjectSelection selection, Optional<byte[]> after, RowVisitor visitor) {
    KeyRange all = KeyRange.prefix(prefix().toKey());
    if (selection.bucket().isPresent() || selection.prefix().isEmpty()) {
      KeyRange range =
          selection
              .bucket()
              .map(bucket -> KeyRange.prefix(beginning(bucket, selection)))
              .orElse(all);
      return run(range, selection, after, visitor);
    }
    Optional<String> bucket = after.map(position -> object(position).bucket());
    Optional<byte[]> from = after;
    if (bucket.isEmpty()) {
      bucket = firstBucket(all);
    }
    while (bucket.isPresent()) {
      String name = bucket.get();
      End end = run(KeyRange.prefix(beginning(name, selection)), selection, from, visitor);
      if (!(end instanceof End.Exhausted)) {
        return end;
      }
      budget.use(1);
      if (budget.isUsedUp()) {
        return new End.UsedUp(ObjectRows.position(new ObjectKey(name, LAST_KEY), Optional.empty()));
      }
      from = Optional.empty();
      bucket = firstBucket(behind(name, all));
    }
    return new End.Exhausted();
  }

  private KeyWriter prefix() {
    return records.location().prefix(RecordKind.OBJECT);
  }

  /// The beginning of the keys of records whose objects have a prefix, or one key.
  private byte[] beginning(String bucket, ObjectSelection selection) {
    byte[] whole = prefix().string(bucket).string(selection.prefix()).toKey();
    int end = selection.whole() ? 0 : new KeyWriter().string("").toKey().length;
    return Arrays.copyOf(whole, whole.length - end);
  }

  private Optional<String> firstBucket(KeyRange range) {
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      return cursor.next()
          ? Optional.of(CatalogueRecords.object(cursor.key(), prefix().toKey().length).bucket())
          : Optional.empty();
    }
  }

  private static ObjectKey object(byte[] position) {
    return CatalogueRecords.object(position, 0);
  }

  private End run(
      KeyRange range, ObjectSelection selection, Optional<byte[]> after, RowVisitor visitor) {
    int prefix = prefix().toKey().length;
    KeyRange rest = after.map(position -> rest(range, position)).orElse(range);
    List<CurrentRows.KnownObject> some = new ArrayList<>();
    byte[] position = after.orElse(new byte[0]);
    try (Cursor cursor = reader.scan(rest, Direction.FORWARD)) {
      while (cursor.next()) {
        ObjectKey object = CatalogueRecords.object(cursor.key(), prefix);
        budget.use(1);
        if (selection.objects().test(object)) {
          some.add(new CurrentRows.KnownObject(object, ObjectRecord.decode(cursor.value())));
        }
        position = ObjectRows.position(object, Optional.empty());
        if (some.size() == AT_ONCE || budget.isUsedUp()) {
          if (!visit(some, selection, after, visitor)) {
            return stopped();
          }
          some.clear();
          if (budget.isUsedUp()) {
            return new End.UsedUp(position);
          }
        }
      }
    }
    return visit(some, selection, after, visitor) ? new End.Exhausted() : stopped();
  }

  private End stopped() {
    return rows.usedUpAfter().<End>map(End.UsedUp::new).orElseGet(End.Stopped::new);
  }

  /// What is left of a range after a position. The position may lie within the rows of an object.
  private KeyRange rest(KeyRange range, byte[] position) {
    KeyReader in = new KeyReader(position);
    ObjectKey object = new ObjectKey(in.string(), in.string());
    byte[] own = records.object(object);
    byte[] from = in.atEnd() ? KeyRange.successor(own) : own;
    return Arrays.compareUnsigned(from, range.from()) > 0 ? new KeyRange(from, range.to()) : range;
  }

  private boolean visit(
      List<CurrentRows.KnownObject> some,
      ObjectSelection selection,
      Optional<byte[]> after,
      RowVisitor visitor) {
    return switch (selection.state()) {
      case ObjectSelection.State.Current _ -> {
        Map<ObjectKey, ObjectRow> current = new CurrentRows(reader, records).of(some);
        budget.use((long) LOADED * current.size());
        yield some.stream()
            .flatMap(each -> Stream.ofNullable(current.get(each.object())))
            .filter(selection.rows())
            .allMatch(
                row -> visitor.visit(row, ObjectRows.position(row.object(), Optional.empty())));
      }
      case ObjectSelection.State.History _ ->
          some.stream().allMatch(each -> rows.visitAll(each, selection, after, visitor));
      case ObjectSelection.State.AcceptedBy(Instant time) ->
          some.stream()
              .flatMap(each -> rows.accepted(each, time).stream())
              .filter(selection.rows())
              .allMatch(
                  row -> visitor.visit(row, ObjectRows.position(row.object(), Optional.empty())));
      case ObjectSelection.State.HappenedBy(Instant time) ->
          some.stream()
              .flatMap(each -> rows.happened(each.object(), time).stream())
              .filter(selection.rows())
              .allMatch(
                  row -> visitor.visit(row, ObjectRows.position(row.object(), Optional.empty())));
    };
  }

  /// The last rows of an object, in their order: they decide which is current.
  ///
  /// @param most of them
  public List<ObjectRow> last(ObjectKey object, int most) {
    return rows.last(object, most);
  }

  /// The row of an id.
  public Optional<ObjectRow> row(UUID id) {
    return rows.row(id);
  }

  /// How many current objects there are, and how many bytes, by bucket of the store, storage class
  /// and reason.
  public List<ObjectCount> counts(Optional<String> bucket) {
    KeyWriter prefix = records.location().prefix(RecordKind.OBJECT_COUNT);
    int skipped = prefix.toKey().length;
    bucket.ifPresent(prefix::string);
    List<ObjectCount> counts = new ArrayList<>();
    for (Reader.Counter counter : reader.counters(KeyRange.prefix(prefix.toKey()))) {
      counts.add(ObjectCount.read(counter, skipped));
    }
    return counts;
  }

  /// The messages that could not be read, the newest first.
  ///
  /// @param before the number of one that is newer; absent for the newest
  public List<FailedEvent> failed(Optional<Long> before, int limit) {
    BucketLocation location = records.location();
    KeyRange all = KeyRange.prefix(location.prefix(RecordKind.OBJECT_FAILED).toKey());
    KeyRange range =
        before
            .map(
                idx ->
                    KeyRange.between(
                        all.from(),
                        location.prefix(RecordKind.OBJECT_FAILED).unsigned(idx).toKey()))
            .orElse(all);
    List<FailedEvent> failed = new ArrayList<>();
    try (Cursor cursor = reader.scan(range, Direction.REVERSE)) {
      while (failed.size() < limit && cursor.next()) {
        long idx = new KeyReader(cursor.key(), all.from().length).unsigned();
        failed.add(FailedEvent.decode(idx, cursor.value()));
      }
    }
    return failed;
  }
}
