package dev.veridex.items;

import dev.veridex.acl.Acl.Action;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.Bucket.Upgrade;
import dev.veridex.buckets.BucketAccess;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.buckets.TypeUpgrades;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.identity.Caller;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.JobKind;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.ChangeResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.node.ObjectNode;

/// Copies the items of a bucket to the new side of an upgrade, and compares both sides.
///
/// Copying an item writes the same records again, however often it is done; a write to an item in
/// the meantime makes the copy's transaction run again. So it may be stopped at any step.
public final class ItemUpgrades implements JobKind.Stepwise {
  private static final int ITEMS_AT_A_TIME = 100;
  private static final long BYTES_AT_A_TIME = 16L << 20;
  private static final int REVISIONS_AT_ONCE = 1000;
  private static final int REVISION_OVERHEAD = 1000;

  private final Store store;
  private final TypeUpgrades upgrades;
  private final ResourceAccess access;
  private final ItemVersions versions;

  public ItemUpgrades(
      Store store,
      TypeUpgrades upgrades,
      BucketLookup lookup,
      BucketAccess access,
      ItemVersions versions) {
    this.store = store;
    this.upgrades = upgrades;
    this.access =
        new ResourceAccess(
            lookup,
            access,
            ResourceRights.NOTHING_STATED,
            Set.of(ItemVersions.TYPE),
            Items::noItem);
    this.versions = versions;
  }

  /// A side of a bucket, and the store that keeps it.
  private record BucketSide(ItemStore items, BucketLocation location) {}

  private BucketSide side(BucketLookup.LocatedBucket found, Bucket.Side side) {
    return new BucketSide(versions.of(side), found.data(side));
  }

  @Override
  public String name() {
    return TypeUpgrades.KIND;
  }

  /// The progress of a copy.
  ///
  /// @param key the last one that was copied, or was begun
  /// @param revision the last of its revisions that was copied; absent: all of them were
  private record CopyPosition(String key, Optional<UUID> revision) {
    static Optional<CopyPosition> read(ObjectNode position) {
      return JsonRecord.text(position, "key")
          .map(
              key ->
                  new CopyPosition(
                      key, JsonRecord.text(position, "revision").map(UUID::fromString)));
    }

    ObjectNode written() {
      ObjectNode position = JsonRecord.object().put("key", key);
      revision.ifPresent(id -> position.put("revision", id.toString()));
      return position;
    }
  }

  @Override
  public Step step(Transaction transaction, Job job, int attempt) {
    Optional<TypeUpgrades.OpenUpgrade> unfilled = upgrades.unfilled(transaction, job);
    if (unfilled.isEmpty()) {
      return Step.of(job.work(), /* isLast= */ true);
    }
    // Each time that writers were faster, half as many: one will do in the end.
    int most = Math.max(1, ITEMS_AT_A_TIME >> Math.min(attempt, 10));
    return copySome(transaction, unfilled.get(), job, most);
  }

  private Step copySome(
      Transaction transaction, TypeUpgrades.OpenUpgrade unfilled, Job job, int most) {
    BucketLookup.LocatedBucket found = unfilled.found();
    CopyBatch copying =
        new CopyBatch(
            transaction, side(found, found.bucket().side()), side(found, unfilled.upgrade().to()));
    Optional<CopyPosition> begun = CopyPosition.read(job.work().position());
    Optional<CopyPosition> stopped =
        begun.flatMap(at -> at.revision().flatMap(id -> copying.item(at.key(), Optional.of(id))));
    if (stopped.isPresent()) {
      return step(job, 0, stopped.get());
    }
    List<String> next =
        copying.from.items.keys(
            transaction, copying.from.location, begun.map(CopyPosition::key), most);
    for (int i = 0; i < next.size(); i++) {
      stopped = copying.item(next.get(i), Optional.empty());
      if (stopped.isPresent()) {
        return step(job, i + 1, stopped.get());
      }
    }
    if (next.size() == most) {
      return step(job, most, new CopyPosition(next.getLast(), Optional.empty()));
    }
    upgrades.filled(transaction, unfilled);
    return Step.of(work(job, next.size(), job.work().position()), /* isLast= */ true);
  }

  private static Step step(Job job, int items, CopyPosition position) {
    return Step.of(work(job, items, position.written()), /* isLast= */ false);
  }

  private static Job.Work work(Job job, int items, ObjectNode position) {
    long done = job.work().done() + items;
    return new Job.Work(done, job.work().total(), position, JsonRecord.object().put("items", done));
  }

  /// Copies in one transaction, until that is large enough.
  private static final class CopyBatch {
    private final Transaction transaction;
    private final BucketSide from;
    private final BucketSide to;
    private long bytes;

    private CopyBatch(Transaction transaction, BucketSide from, BucketSide to) {
      this.transaction = transaction;
      this.from = from;
      this.to = to;
    }

    /// Copies the revisions of an item, newest first.
    ///
    /// @param before only those older than this one
    /// @return where it had to stop; nothing if it got to the end
    private Optional<CopyPosition> item(String key, Optional<UUID> before) {
      Optional<UUID> last = before;
      while (true) {
        List<ItemRevision> some =
            from.items.revisions(transaction, from.location, key, last, REVISIONS_AT_ONCE);
        for (ItemRevision revision : some) {
          revision(key, revision);
          last = Optional.of(revision.id());
          if (bytes >= BYTES_AT_A_TIME) {
            return Optional.of(new CopyPosition(key, last));
          }
        }
        if (some.size() < REVISIONS_AT_ONCE) {
          return Optional.empty();
        }
      }
    }

    private void revision(String key, ItemRevision revision) {
      Optional<byte[]> value = from.items.value(transaction, from.location, key, revision.id());
      if (revision.replacedAt().isEmpty()) {
        to.items.putCurrent(transaction, to.location, key, revision, value);
      } else {
        to.items.putPast(transaction, to.location, key, revision, value);
      }
      bytes += revision.held() + REVISION_OVERHEAD;
    }
  }

  private static List<ItemRevision> revisions(Reader reader, BucketSide side, String key) {
    List<ItemRevision> all = new ArrayList<>();
    List<ItemRevision> some;
    do {
      Optional<UUID> before = all.isEmpty() ? Optional.empty() : Optional.of(all.getLast().id());
      some = side.items.revisions(reader, side.location, key, before, REVISIONS_AT_ONCE);
      all.addAll(some);
    } while (some.size() == REVISIONS_AT_ONCE);
    return all;
  }

  /// Compares both sides, and makes the new one the one that counts if they are equal.
  ///
  /// They are compared on one state of the store. Since then every write went to both of them, so
  /// what was equal then is equal when the sides are changed.
  public ChangeResult<Bucket> finish(Caller caller, Namespace namespace, String name) {
    try (Snapshot snapshot = store.snapshot()) {
      ActingCaller actor = new ActingCaller(caller, Optional.empty());
      BucketLookup.LocatedBucket found = access.find(snapshot, actor, namespace, name);
      access.bucket(snapshot, found, actor, Action.ADMIN);
      Optional<Upgrade> upgrade = found.bucket().upgrade();
      if (upgrade.filter(Upgrade::filled).isEmpty()) {
        return new ChangeResult.Refused<>(
            Problem.of(
                ErrorCode.CONFLICT,
                upgrade.isEmpty()
                    ? "no upgrade is under way"
                    : "the upgrade has not copied everything yet"));
      }
      Bucket.Side to = upgrade.orElseThrow().to();
      Optional<String> difference =
          difference(snapshot, side(found, found.bucket().side()), side(found, to));
      return difference
          .<ChangeResult<Bucket>>map(
              key ->
                  new ChangeResult.Refused<>(
                      Problem.of(
                              ErrorCode.UPGRADE_DIFFERS,
                              "the two sides of the upgrade are not equal; give it up and begin anew")
                          .with("key", key)))
          .orElseGet(() -> upgrades.finish(caller, namespace, name, to));
    }
  }

  /// The first key under which two sides differ.
  private static Optional<String> difference(Reader reader, BucketSide one, BucketSide other) {
    Optional<String> after = Optional.empty();
    while (true) {
      List<String> ones = one.items.keys(reader, one.location, after, ITEMS_AT_A_TIME);
      List<String> others = other.items.keys(reader, other.location, after, ITEMS_AT_A_TIME);
      for (int i = 0; i < Math.max(ones.size(), others.size()); i++) {
        if (i >= ones.size() || i >= others.size() || !ones.get(i).equals(others.get(i))) {
          return Optional.of((i < ones.size() ? ones : others).get(i));
        }
        if (!isEqual(reader, one, other, ones.get(i))) {
          return Optional.of(ones.get(i));
        }
      }
      if (ones.size() < ITEMS_AT_A_TIME) {
        return Optional.empty();
      }
      after = Optional.of(ones.getLast());
    }
  }

  private static boolean isEqual(Reader reader, BucketSide one, BucketSide other, String key) {
    List<ItemRevision> revisions = revisions(reader, one, key);
    return revisions.equals(revisions(reader, other, key))
        && revisions.stream()
            .allMatch(
                revision ->
                    Arrays.equals(
                        value(reader, one, key, revision), value(reader, other, key, revision)));
  }

  private static byte[] value(Reader reader, BucketSide side, String key, ItemRevision revision) {
    return side.items.value(reader, side.location, key, revision.id()).orElse(new byte[0]);
  }
}
