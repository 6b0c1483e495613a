package dev.veridex.buckets;

import dev.veridex.buckets.Bucket.Side;
import dev.veridex.buckets.Bucket.Upgrade;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.identity.Caller;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.ChangeResult;
import dev.veridex.tenancy.DeletionCleaner;
import dev.veridex.tenancy.IncarnationRecords;
import java.util.Optional;
import java.util.UUID;

/// Upgrades of buckets to another version of their type: begun, finished, given up.
///
/// What it means to copy and to compare is for the type to say; here is only which side counts.
public final class TypeUpgrades {
  private final Buckets buckets;
  private final BucketLookup lookup;
  private final IncarnationRecords incarnations;
  private final BucketTypes types;

  public TypeUpgrades(
      Buckets buckets, BucketLookup lookup, IncarnationRecords incarnations, BucketTypes types) {
    this.buckets = buckets;
    this.lookup = lookup;
    this.incarnations = incarnations;
    this.types = types;
  }

  /// Begins an upgrade: from the commit on, writes go to both sides.
  ///
  /// @param to with or without a version; absent: the newest
  public ChangeResult<Bucket> begin(
      Caller caller, Namespace namespace, String name, Optional<String> to) {
    return buckets.administer(
        caller,
        "bucket.upgrade",
        namespace,
        name,
        Optional.empty(),
        (transaction, found) -> {
          Bucket bucket = found.bucket();
          BucketType target = types.of(to.orElse(bucket.type().name()));
          if (bucket.upgrade().isPresent()) {
            return refused("an upgrade is under way", bucket);
          }
          boolean newer =
              target.name().equals(bucket.type().name())
                  && target.version() > bucket.type().version();
          if (!newer) {
            return refused("an upgrade leads to a newer version of the same type", bucket);
          }
          // Never used before for this name: whatever was, was there in an earlier commit.
          long number = Math.max(1, transaction.revision().sequence());
          Upgrade upgrade = new Upgrade(new Side(target, number), transaction.now(), false);
          Bucket begun = bucket.changed(bucket.side(), bucket.wanted(), Optional.of(upgrade));
          Buckets.write(transaction, begun, found.namespaceIncarnation());
          transaction.put(key(namespace, found.namespaceIncarnation(), name), new byte[0]);
          return new ChangeResult.Done<>(begun, true, transaction.revision());
        });
  }

  /// Makes the new side the one that counts, once somebody has seen that both are equal.
  ///
  /// @param compared the side that was seen to be equal
  public ChangeResult<Bucket> finish(
      Caller caller, Namespace namespace, String name, Side compared) {
    return buckets.administer(
        caller,
        "bucket.upgrade.finish",
        namespace,
        name,
        Optional.empty(),
        (transaction, found) -> {
          Bucket bucket = found.bucket();
          Optional<Upgrade> same =
              bucket.upgrade().filter(upgrade -> upgrade.to().equals(compared));
          if (same.isEmpty()) {
            return refused("no such upgrade is under way", bucket);
          }
          Bucket finished = bucket.changed(compared, bucket.wanted(), Optional.empty());
          Buckets.write(transaction, finished, found.namespaceIncarnation());
          drop(transaction, found, bucket.side());
          return new ChangeResult.Done<>(finished, false, transaction.revision());
        });
  }

  /// Drops the new side.
  public ChangeResult<Bucket> abort(Caller caller, Namespace namespace, String name) {
    return buckets.administer(
        caller,
        "bucket.upgrade.abort",
        namespace,
        name,
        Optional.empty(),
        (transaction, found) -> {
          Bucket bucket = found.bucket();
          if (bucket.upgrade().isEmpty()) {
            return refused("no upgrade is under way", bucket);
          }
          Bucket aborted = bucket.changed(bucket.side(), bucket.wanted(), Optional.empty());
          Buckets.write(transaction, aborted, found.namespaceIncarnation());
          drop(transaction, found, bucket.upgrade().get().to());
          transaction.delete(key(namespace, found.namespaceIncarnation(), name));
          return new ChangeResult.Done<>(aborted, false, transaction.revision());
        });
  }

  /// The progress of a copy.
  ///
  /// @param key the last one that was copied, or was begun
  /// @param revision the last of its revisions that was copied; absent: all of them were
  public record Progress(String key, Optional<UUID> revision) {}

  /// An upgrade whose new side still has to be filled.
  public record OpenUpgrade(
      BucketLookup.LocatedBucket found, Upgrade upgrade, Optional<Progress> progress) {
    private byte[] key() {
      return TypeUpgrades.key(
          found.bucket().namespace(), found.namespaceIncarnation(), found.bucket().name());
    }
  }

  /// The upgrade whose new side still has to be filled that comes after another one.
  ///
  /// @param last what [#mark] said of the one before; empty: the very first
  public Optional<OpenUpgrade> nextUnfilled(Transaction transaction, byte[] last) {
    KeyRange all = KeyRange.prefix(new KeyWriter().octet(RecordKind.UPGRADE.code()).toKey());
    KeyRange after = new KeyRange(KeyRange.successor(last), all.to());
    Optional<OpenUpgrade> next =
        last.length == 0 ? Optional.empty() : firstUnfilled(transaction, after);
    return next.or(() -> firstUnfilled(transaction, all));
  }

  /// Marks where an upgrade is among the others.
  public static byte[] mark(OpenUpgrade unfilled) {
    return unfilled.key();
  }

  private Optional<OpenUpgrade> firstUnfilled(Transaction transaction, KeyRange range) {
    try (Cursor cursor = transaction.scan(range, Direction.FORWARD)) {
      while (cursor.next()) {
        KeyReader key = new KeyReader(cursor.key());
        KeyReader.ScopePrefix scope = key.scope();
        Optional<OpenUpgrade> unfilled = unfilled(transaction, scope, key.string(), cursor.value());
        if (unfilled.isPresent()) {
          return unfilled;
        }
        // Its bucket is gone, and nobody else will take this away.
        transaction.delete(cursor.key());
      }
    }
    return Optional.empty();
  }

  private Optional<OpenUpgrade> unfilled(
      Reader reader, KeyReader.ScopePrefix scope, String name, byte[] progress) {
    if (incarnations.of(reader, scope.scope()) != scope.incarnation()) {
      return Optional.empty();
    }
    return lookup
        .find(reader, Namespace.of(scope.scope()), name)
        .flatMap(
            found ->
                found
                    .bucket()
                    .upgrade()
                    .filter(upgrade -> !upgrade.filled())
                    .map(upgrade -> new OpenUpgrade(found, upgrade, decode(progress))));
  }

  private static Optional<Progress> decode(byte[] bytes) {
    if (bytes.length == 0) {
      return Optional.empty();
    }
    KeyReader reader = new KeyReader(bytes);
    String key = reader.string();
    return Optional.of(
        new Progress(
            key,
            reader.atEnd()
                ? Optional.empty()
                : Optional.of(new UUID(reader.unsigned(), reader.unsigned()))));
  }

  /// Notes how far the copy has come, in the transaction that copied.
  public void copied(Transaction transaction, OpenUpgrade unfilled, Progress progress) {
    KeyWriter value = new KeyWriter().string(progress.key);
    progress.revision.ifPresent(
        id -> value.unsigned(id.getMostSignificantBits()).unsigned(id.getLeastSignificantBits()));
    transaction.put(unfilled.key(), value.toKey());
  }

  /// Notes that everything was copied.
  public void filled(Transaction transaction, OpenUpgrade unfilled) {
    BucketLookup.LocatedBucket found = unfilled.found;
    Bucket bucket = found.bucket();
    Upgrade upgrade = unfilled.upgrade;
    Buckets.write(
        transaction,
        bucket.changed(
            bucket.side(),
            bucket.wanted(),
            Optional.of(new Upgrade(upgrade.to(), upgrade.startedAt(), true))),
        found.namespaceIncarnation());
    incarnations.rearranged(transaction, bucket.namespace().account());
    transaction.delete(unfilled.key());
  }

  private static void drop(Transaction transaction, BucketLookup.LocatedBucket found, Side side) {
    DeletionCleaner.orderSide(
        transaction,
        found.bucket().namespace(),
        found.namespaceIncarnation(),
        found.bucket().name(),
        side.number());
  }

  private static ChangeResult<Bucket> refused(String detail, Bucket bucket) {
    return new ChangeResult.Refused<>(
        Problem.of(ErrorCode.CONFLICT, detail).with("type", bucket.type().text()));
  }

  private static byte[] key(Namespace namespace, long namespaceIncarnation, String name) {
    return new KeyWriter()
        .scope(RecordKind.UPGRADE.code(), namespace.scope(), namespaceIncarnation)
        .string(name)
        .toKey();
  }
}
