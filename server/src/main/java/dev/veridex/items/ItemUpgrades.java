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
import dev.veridex.common.Agent;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.identity.Caller;
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
import java.util.concurrent.atomic.AtomicInteger;

/// Copies the items of a bucket to the new side of an upgrade, and compares both sides.
///
/// Copying an item writes the same records again, however often it is done; a write to an item in
/// the meantime makes the copy's transaction run again. So it may be stopped at any step.
public final class ItemUpgrades implements Agent {
  private static final int ITEMS_AT_A_TIME = 100;
  private static final long BYTES_AT_A_TIME = 16L << 20;
  private static final int REVISIONS_AT_ONCE = 1000;
  private static final int REVISION_OVERHEAD = 1000;

  private final Store store;
  private final TypeUpgrades upgrades;
  private final ResourceAccess access;
  private final ItemVersions versions;
  private byte[] last = new byte[0];

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

  /// Copies some items of the bucket that is next.
  ///
  /// @return whether there was one
  @Override
  public boolean runOnce() {
    AtomicInteger runs = new AtomicInteger();
    return store
        .transact(
            transaction -> {
              Optional<TypeUpgrades.OpenUpgrade> unfilled =
                  upgrades.nextUnfilled(transaction, last);
              unfilled.ifPresent(
                  upgrade -> {
                    // Before it is tried: one that fails does not keep the others waiting.
                    last = TypeUpgrades.mark(upgrade);
                    // Each time that writers were faster, half as many: one will do in the end.
                    int fewer = ITEMS_AT_A_TIME >> Math.min(runs.getAndIncrement(), 10);
                    copySome(transaction, upgrade, Math.max(1, fewer));
                  });
              return unfilled.isPresent();
            })
        .result();
  }

  /// Copies all that there is to copy.
  public boolean runAll() {
    boolean any = runOnce();
    while (any && runOnce()) {}
    return any;
  }

  private void copySome(Transaction transaction, TypeUpgrades.OpenUpgrade unfilled, int most) {
    BucketLookup.LocatedBucket found = unfilled.found();
    CopyBatch copying =
        new CopyBatch(
            transaction, side(found, found.bucket().side()), side(found, unfilled.upgrade().to()));
    Optional<TypeUpgrades.Progress> stopped =
        unfilled
            .progress()
            .flatMap(at -> at.revision().flatMap(id -> copying.item(at.key(), Optional.of(id))));
    if (stopped.isPresent()) {
      upgrades.copied(transaction, unfilled, stopped.get());
      return;
    }
    List<String> next =
        copying.from.items.keys(
            transaction,
            copying.from.location,
            unfilled.progress().map(TypeUpgrades.Progress::key),
            most);
    for (String key : next) {
      stopped = copying.item(key, Optional.empty());
      if (stopped.isPresent()) {
        upgrades.copied(transaction, unfilled, stopped.get());
        return;
      }
    }
    if (next.size() < most) {
      upgrades.filled(transaction, unfilled);
    } else {
      upgrades.copied(
          transaction, unfilled, new TypeUpgrades.Progress(next.getLast(), Optional.empty()));
    }
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
    private Optional<TypeUpgrades.Progress> item(String key, Optional<UUID> before) {
      Optional<UUID> last = before;
      while (true) {
        List<ItemRevision> some =
            from.items.revisions(transaction, from.location, key, last, REVISIONS_AT_ONCE);
        for (ItemRevision revision : some) {
          revision(key, revision);
          last = Optional.of(revision.id());
          if (bytes >= BYTES_AT_A_TIME) {
            return Optional.of(new TypeUpgrades.Progress(key, last));
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
