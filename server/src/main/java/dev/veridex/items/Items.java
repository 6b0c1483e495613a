package dev.veridex.items;

import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketAccess;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/// Reads and writes items, for whoever may.
///
/// Everything about one request is decided on one state of the store, in this order: the bucket,
/// its ACL, the rights on the item, the item. A write decides inside its transaction.
public final class Items {
  /// The largest value.
  public static final int MAX_BYTES = 8 << 20;

  /// How many items one page of a list may pass over because the caller may not see them.
  private static final int MAX_PASSED_OVER = 10_000;

  private static final int READ_AT_ONCE = 1000;

  private final Store store;
  private final ResourceAccess access;
  private final ItemVersions versions;
  private final ItemWrites writes;

  public Items(
      Store store,
      BucketLookup lookup,
      BucketAccess access,
      ResourceRights rights,
      ItemVersions versions,
      RandomGenerator random) {
    this.store = store;
    this.access =
        new ResourceAccess(lookup, access, rights, Set.of(ItemVersions.TYPE), Items::noItem);
    this.versions = versions;
    this.writes = new ItemWrites(store, this.access, versions, random);
  }

  /// The target of a request.
  public record Request(ActingCaller actor, Namespace namespace, String bucket, String key) {}

  /// The content of an item to be written.
  ///
  /// @param ttl how long it lives; absent: as the bucket's policy says
  public record Content(
      String contentType,
      SortedMap<String, String> headers,
      byte[] bytes,
      Optional<Duration> ttl) {}

  /// The preconditions of a write.
  ///
  /// @param ifMatch the ids of revisions, one of which is the current one; `*` for any
  /// @param ifNoneMatch those of which none is; `*` if there must be none at all
  public record Conditions(Optional<String> ifMatch, Optional<String> ifNoneMatch) {
    public static final Conditions NONE = new Conditions(Optional.empty(), Optional.empty());

    boolean isEmpty() {
      return ifMatch.isEmpty() && ifNoneMatch.isEmpty();
    }
  }

  /// A revision that was written.
  ///
  /// @param outOfBounds its life is not one that the bucket's policy advises
  public record WriteResult(ItemRevision item, boolean outOfBounds, Revision revision) {}

  /// An item as it was read.
  ///
  /// @param refreshed the revision of the write that prolonged its life, if reading it did
  public record ItemValue(ItemRevision item, byte[] value, Optional<Revision> refreshed) {}

  /// The requested revision of an item.
  public sealed interface Which {
    /// The current one.
    record Current() implements Which {}

    record WithId(UUID id) implements Which {}

    /// The one that was current at a time.
    record At(Instant time) implements Which {}
  }

  /// Lets a caller pass who may write to a bucket, before what is to be written is there.
  public void mayWrite(ActingCaller actor, Namespace namespace, String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      access.bucket(snapshot, access.find(snapshot, actor, namespace, bucket), actor, Action.WRITE);
    }
  }

  /// Stores a value under a key.
  public WriteResult put(Request request, Content content, Conditions conditions) {
    return writes.put(request, content, conditions);
  }

  /// Deletes an item: its newest revision will say that it is gone.
  public WriteResult delete(Request request, Conditions conditions) {
    return writes.delete(request, conditions);
  }

  /// An item with its bytes.
  ///
  /// @param room is asked for before they are read, and may refuse
  public ItemValue read(Request request, Which which, LongConsumer room) {
    return readDue(request, which, room).value;
  }

  /// A value, and whether reading it is due to prolong its life.
  private record DueValue(ItemValue value, boolean due) {}

  private DueValue readDue(Request request, Which which, LongConsumer room) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found =
          access.find(snapshot, request.actor, request.namespace, request.bucket);
      readable(snapshot, found, request);
      ItemRevision item =
          revision(snapshot, found, request.key, which)
              .filter(there -> !there.deleted())
              .orElseThrow(() -> new VeridexException(noItem()));
      room.accept(item.bytes());
      Bucket.Side side = found.bucket().side();
      return versions
          .of(side)
          .value(snapshot, found.data(side), request.key, item.id())
          .map(value -> new ItemValue(item, value, Optional.empty()))
          .map(
              value ->
                  new DueValue(
                      value, ItemWrites.refreshed(snapshot.now(), found, item).isPresent()))
          .orElseThrow(() -> new VeridexException(noItem()));
    }
  }

  /// An item with its bytes, for somebody who uses it: where the TTL policy says so, that prolongs
  /// its life.
  ///
  /// @param room is asked for before they are read, and may refuse
  public ItemValue use(Request request, Which which, LongConsumer room) {
    DueValue read = readDue(request, which, room);
    return read.due && which instanceof Which.Current()
        ? writes.refresh(request, read.value)
        : read.value;
  }

  private void readable(Reader reader, BucketLookup.LocatedBucket found, Request request) {
    access.bucket(reader, found, request.actor, Action.READ);
    if (!access.mayRead(reader, found, request.actor, request.key)) {
      throw new RefusedException(noItem());
    }
  }

  private Optional<ItemRevision> revision(
      Reader reader, BucketLookup.LocatedBucket found, String key, Which which) {
    Bucket.Side side = found.bucket().side();
    ItemStore items = versions.of(side);
    BucketLocation location = found.data(side);
    return switch (which) {
      case Which.Current() -> items.current(reader, location, key);
      case Which.WithId(UUID id) -> items.revision(reader, location, key, id);
      case Which.At(Instant time) -> items.at(reader, location, key, time);
    };
  }

  /// The revisions of an item, newest first.
  ///
  /// @param cursor of the page before
  public Page<ItemRevision> revisions(Request request, Optional<UUID> cursor, int limit) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found =
          access.find(snapshot, request.actor, request.namespace, request.bucket);
      readable(snapshot, found, request);
      Bucket.Side side = found.bucket().side();
      List<ItemRevision> revisions =
          versions.of(side).revisions(snapshot, found.data(side), request.key, cursor, limit + 1);
      if (revisions.isEmpty() && cursor.isEmpty()) {
        throw new VeridexException(noItem());
      }
      return revisions.size() <= limit
          ? Page.last(revisions)
          : Page.until(
              revisions.subList(0, limit),
              revisions.get(limit - 1).id().toString(),
              Page.End.LIMIT);
    }
  }

  /// The position in a list of items.
  ///
  /// @param incarnation of the bucket: a list of one that is gone does not go on in another
  public record Position(long incarnation, String after) {}

  /// A page of a list of items, and where it goes on.
  public record ItemPage(List<ItemStore.KeyedRevision> items, Optional<Position> next) {}

  /// The items whose keys begin with a prefix and that the caller may see, by key.
  ///
  /// A page may be short, or empty, and still not be the last.
  public ItemPage list(
      ActingCaller actor,
      Namespace namespace,
      String bucket,
      String prefix,
      Optional<Position> from,
      int limit) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found = access.find(snapshot, actor, namespace, bucket);
      access.bucket(snapshot, found, actor, Action.READ);
      long incarnation = found.bucket().incarnation();
      if (from.filter(position -> position.incarnation != incarnation).isPresent()) {
        throw new VeridexException(
            Problem.of(ErrorCode.BAD_REQUEST, "the list that this cursor goes on with is gone")
                .with("parameter", "cursor"));
      }
      Bucket.Side side = found.bucket().side();
      ItemStore items = versions.of(side);
      List<ItemStore.KeyedRevision> shown = new ArrayList<>();
      Optional<String> after = from.map(Position::after);
      int passedOver = 0;
      while (true) {
        List<ItemStore.KeyedRevision> next =
            items.list(
                snapshot, found.data(side), prefix, after, Math.min(READ_AT_ONCE, limit + 1));
        for (ItemStore.KeyedRevision item : next) {
          boolean visible =
              !item.current().deleted() && access.mayRead(snapshot, found, actor, item.key());
          boolean full = visible && shown.size() == limit;
          if (full || passedOver > MAX_PASSED_OVER) {
            return new ItemPage(shown, after.map(key -> new Position(incarnation, key)));
          }
          after = Optional.of(item.key());
          if (visible) {
            shown.add(item);
          } else {
            passedOver++;
          }
        }
        if (next.size() < Math.min(READ_AT_ONCE, limit + 1)) {
          return new ItemPage(shown, Optional.empty());
        }
      }
    }
  }

  static Problem noItem() {
    return Problem.of(ErrorCode.NOT_FOUND, "there is no such item, or no such revision of it");
  }
}
