package dev.veridex.objects;

import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.json.JsonText;
import dev.veridex.objects.catalogue.FailedEvent;
import dev.veridex.objects.catalogue.ObjectCount;
import dev.veridex.objects.catalogue.ObjectRow;
import dev.veridex.objects.catalogue.ObjectScan;
import dev.veridex.objects.catalogue.ObjectSelection;
import dev.veridex.objects.catalogue.ScanBudget;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.UUID;
import java.util.function.LongConsumer;

/// Reads catalogues, for whoever may: what was just acknowledged is there.
///
/// A list costs a bounded amount of work. Where that is used up before its end, it says so, and
/// goes on with the next page.
public final class ObjectReader {
  /// A sorted list has to look at all rows before it can show the first. The most rows that explain
  /// another one.
  private static final int MAX_WHY = 1000;

  private static final long SORTED_UNITS = 400_000;

  /// What a check of a right counts as.
  private static final int CHECKED = 5;

  /// What a byte of JSON takes in memory.
  private static final int WEIGHT = 8;

  private final Store store;
  private final ResourceAccess access;
  private final Duration pastRetention;

  public ObjectReader(Store store, ResourceAccess access, Duration pastRetention) {
    this.store = store;
    this.access = access;
    this.pastRetention = pastRetention;
  }

  /// A catalogue that somebody asks for.
  public record Request(ActingCaller actor, Namespace namespace, String bucket) {}

  /// The position in a list of rows.
  ///
  /// @param incarnation of the bucket: a list of one that is gone does not go on in another
  /// @param total as it was counted for the first page
  public record Position(long incarnation, byte[] after, Total total) {}

  /// A page of rows.
  ///
  /// @param next where to go on; absent at the end
  /// @param complete whether it holds as many rows as were asked for, or all there are
  /// @param total how many rows there are on all pages
  public record RowPage(
      List<ObjectRow> rows, Optional<Position> next, boolean complete, Total total) {}

  /// A number of rows, and whether it is all of them or only as many as were counted.
  public record Total(long rows, boolean exact) {}

  /// Finds the bucket, and what of it the caller may see.
  private ReadableCatalogue open(Snapshot snapshot, Request request, LongConsumer room) {
    BucketLookup.LocatedBucket found =
        access.find(snapshot, request.actor, request.namespace, request.bucket);
    access.bucket(snapshot, found, request.actor, Action.READ);
    return new ReadableCatalogue(
        snapshot, found, request.actor, access.reader(found, request.actor).isPresent(), room);
  }

  /// A catalogue, as somebody may read it.
  ///
  /// @param trimmed whether rights on single objects count
  private record ReadableCatalogue(
      Snapshot snapshot,
      BucketLookup.LocatedBucket found,
      ActingCaller actor,
      boolean trimmed,
      LongConsumer room) {
    private long incarnation() {
      return found.bucket().incarnation();
    }
  }

  /// Lets a caller pass who may read the bucket.
  public void mayRead(Request request) {
    try (Snapshot snapshot = store.snapshot()) {
      ReadableCatalogue _ = open(snapshot, request, _ -> {});
    }
  }

  /// Lets a caller pass who may write to the bucket.
  public void mayWrite(Request request) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found =
          access.find(snapshot, request.actor, request.namespace, request.bucket);
      access.bucket(snapshot, found, request.actor, Action.WRITE);
    }
  }

  private boolean mayRead(ReadableCatalogue readable, ObjectKey object, ScanBudget budget) {
    budget.use(readable.trimmed ? CHECKED : 0);
    return !readable.trimmed
        || access.mayRead(readable.snapshot, readable.found, readable.actor, object.pk());
  }

  /// A page of a list.
  ///
  /// @param after the position to go on after
  /// @param room sets memory aside, or refuses
  public RowPage list(
      Request request, ObjectQuery query, Optional<Position> after, int limit, LongConsumer room) {
    try (Snapshot snapshot = store.snapshot()) {
      ReadableCatalogue readable = open(snapshot, request, room);
      requireKept(snapshot, query);
      if (after.filter(each -> each.incarnation != readable.incarnation()).isPresent()) {
        throw new VeridexException(
            Problem.of(ErrorCode.BAD_REQUEST, "The list that this cursor goes on with is gone.")
                .with("parameter", "cursor"));
      }
      return query
          .order()
          .map(order -> sorted(readable, query, order, after, limit))
          .orElseGet(() -> inKeyOrder(readable, query, after, limit));
    }
  }

  private RowPage inKeyOrder(
      ReadableCatalogue readable, ObjectQuery query, Optional<Position> after, int limit) {
    List<ObjectRow> rows = new ArrayList<>();
    List<byte[]> positions = new ArrayList<>();
    long[] seen = {0};
    ScanBudget budget = budget(readable, ScanBudget.USUAL);
    boolean counted = isCounted(readable, query);
    ObjectScan.End end =
        new ObjectScan(readable.snapshot, readable.found, budget)
            .run(
                query.selection(object -> mayRead(readable, object, budget)),
                after.map(Position::after),
                (row, position) -> {
                  seen[0]++;
                  if (rows.size() < limit) {
                    reserve(readable, row);
                    rows.add(row);
                    positions.add(position);
                    return true;
                  }
                  // On the first page the rest is counted, as far as that goes.
                  return after.isEmpty() && !counted;
                });
    boolean more = seen[0] > rows.size();
    Optional<byte[]> next =
        more
            ? Optional.of(positions.getLast())
            : end instanceof ObjectScan.End.UsedUp(byte[] position)
                ? Optional.of(position)
                : Optional.empty();
    Total total =
        counted
            ? new Total(counted(readable, query), true)
            : after
                .map(Position::total)
                .orElseGet(() -> new Total(seen[0], end instanceof ObjectScan.End.Exhausted));
    return new RowPage(
        rows,
        next.map(position -> new Position(readable.incarnation(), position, total)),
        more || next.isEmpty(),
        total);
  }

  /// Attributes may be large.
  private static void reserve(ReadableCatalogue readable, ObjectRow row) {
    row.attributes()
        .ifPresent(node -> readable.room.accept((long) WEIGHT * JsonText.write(node).length));
  }

  private RowPage sorted(
      ReadableCatalogue readable,
      ObjectQuery query,
      ObjectOrder order,
      Optional<Position> after,
      int limit) {
    record Placed(byte[] position, ObjectRow row) {}
    PriorityQueue<Placed> best =
        new PriorityQueue<>((one, other) -> Arrays.compareUnsigned(other.position, one.position));
    long[] seen = {0};
    boolean[] more = {false};
    ScanBudget budget = budget(readable, SORTED_UNITS);
    ObjectScan.End end =
        new ObjectScan(readable.snapshot, readable.found, budget)
            .run(
                query.selection(object -> mayRead(readable, object, budget)),
                Optional.empty(),
                (row, _) -> {
                  seen[0]++;
                  byte[] position = order.place(row);
                  if (after
                      .filter(last -> Arrays.compareUnsigned(position, last.after) <= 0)
                      .isEmpty()) {
                    best.add(new Placed(position, row));
                    if (best.size() > limit) {
                      best.poll();
                      more[0] = true;
                    }
                  }
                  return true;
                });
    List<Placed> sorted = new ArrayList<>(best);
    sorted.sort((one, other) -> Arrays.compareUnsigned(one.position, other.position));
    boolean all = end instanceof ObjectScan.End.Exhausted;
    Total total = new Total(seen[0], all);
    return new RowPage(
        sorted.stream().map(Placed::row).toList(),
        more[0]
            ? Optional.of(new Position(readable.incarnation(), sorted.getLast().position, total))
            : Optional.empty(),
        all,
        total);
  }

  private static ScanBudget budget(ReadableCatalogue readable, long units) {
    return new ScanBudget(units, readable.room);
  }

  private static ObjectScan scan(ReadableCatalogue readable, ScanBudget budget) {
    return new ObjectScan(readable.snapshot, readable.found, budget);
  }

  /// Whether the rows of a query are counted all the time.
  private static boolean isCounted(ReadableCatalogue readable, ObjectQuery query) {
    return !readable.trimmed
        && query.filter().isBucketAlone()
        && query.state() instanceof ObjectSelection.State.Current;
  }

  private static long counted(ReadableCatalogue readable, ObjectQuery query) {
    return scan(readable, budget(readable, 0)).counts(query.filter().bucket()).stream()
        .filter(count -> !count.bytes())
        .mapToLong(ObjectCount::sum)
        .sum();
  }

  /// What was before a time is known for a while only.
  private void requireKept(Snapshot snapshot, ObjectQuery query) {
    if (query.state() instanceof ObjectSelection.State.AcceptedBy(var time)
        && (time.isBefore(snapshot.now().minus(pastRetention)) || time.isAfter(snapshot.now()))) {
      throw new VeridexException(
          Problem.of(
                  time.isAfter(snapshot.now()) ? ErrorCode.BAD_REQUEST : ErrorCode.REVISION_TOO_OLD,
                  "%s does not lie within the last %d days, for which it is known what was."
                      .formatted(time, pastRetention.toDays()))
              .with("parameter", "at"));
    }
  }

  /// How many rows a query finds.
  public Total count(Request request, ObjectQuery query, LongConsumer room) {
    try (Snapshot snapshot = store.snapshot()) {
      ReadableCatalogue readable = open(snapshot, request, room);
      requireKept(snapshot, query);
      if (isCounted(readable, query)) {
        return new Total(counted(readable, query), true);
      }
      long[] seen = {0};
      ScanBudget budget = budget(readable, ScanBudget.USUAL);
      if (query.isOnNames()) {
        boolean complete =
            scan(readable, budget)
                .sizes(
                    query.selection(object -> mayRead(readable, object, budget)),
                    (_, _, _, _) -> seen[0]++);
        return new Total(seen[0], complete);
      }
      ObjectScan.End end =
          scan(readable, budget)
              .run(
                  query.selection(object -> mayRead(readable, object, budget)),
                  Optional.empty(),
                  (_, _) -> {
                    seen[0]++;
                    return true;
                  });
      return new Total(seen[0], end instanceof ObjectScan.End.Exhausted);
    }
  }

  /// What current objects amount to.
  ///
  /// @param delimiter what ends a prefix; absent: prefixes are not told apart
  public ObjectStats stats(
      Request request, ObjectQuery query, Optional<String> delimiter, LongConsumer room) {
    try (Snapshot snapshot = store.snapshot()) {
      ReadableCatalogue readable = open(snapshot, request, room);
      requireKept(snapshot, query);
      ObjectStats stats = new ObjectStats();
      if (isCounted(readable, query) && delimiter.isEmpty()) {
        scan(readable, budget(readable, 0)).counts(query.filter().bucket()).forEach(stats::add);
        return stats;
      }
      int prefix = query.filter().keyPrefix().length();
      ScanBudget budget = budget(readable, ScanBudget.USUAL);
      if (query.isOnNames()) {
        stats.complete(
            scan(readable, budget)
                .sizes(
                    query.selection(object -> mayRead(readable, object, budget)),
                    (object, bytes, storageClass, reason) ->
                        stats.add(object, bytes, storageClass, reason, prefix, delimiter)));
        return stats;
      }
      ObjectScan.End end =
          scan(readable, budget)
              .run(
                  query.selection(object -> mayRead(readable, object, budget)),
                  Optional.empty(),
                  (row, _) -> {
                    stats.add(row, prefix, delimiter);
                    return true;
                  });
      stats.complete(end instanceof ObjectScan.End.Exhausted);
      return stats;
    }
  }

  /// A row, and the last ones of its object, which tell why it is current or is not.
  public record ExplainedRow(ObjectRow row, Optional<List<ObjectRow>> why) {}

  /// The row of an id.
  ///
  /// @param id absent: it cannot be one
  /// @param explained whether the last rows of its object are wanted, too
  /// @throws VeridexException `NOT_FOUND`
  public ExplainedRow find(
      Request request, Optional<UUID> id, boolean explained, LongConsumer room) {
    try (Snapshot snapshot = store.snapshot()) {
      ReadableCatalogue readable = open(snapshot, request, room);
      ScanBudget budget = budget(readable, ScanBudget.USUAL);
      ObjectScan scan = scan(readable, budget);
      ObjectRow row = id.flatMap(scan::row).orElseThrow(() -> new VeridexException(nothing()));
      if (!mayRead(readable, row.object(), budget)) {
        throw new RefusedException(nothing());
      }
      return new ExplainedRow(
          row, explained ? Optional.of(scan.last(row.object(), MAX_WHY)) : Optional.empty());
    }
  }

  /// The messages that could not be read, the newest first, for whoever administers the bucket.
  public List<FailedEvent> failed(Request request, Optional<Long> before, int limit) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found =
          access.find(snapshot, request.actor, request.namespace, request.bucket);
      access.bucket(snapshot, found, request.actor, Action.ADMIN);
      return new ObjectScan(snapshot, found, new ScanBudget(0, _ -> {})).failed(before, limit);
    }
  }

  /// The refusal of a row that is not there, or that the caller may not read.
  public static Problem nothing() {
    return Problem.of(ErrorCode.NOT_FOUND, "There is no such object.");
  }
}
