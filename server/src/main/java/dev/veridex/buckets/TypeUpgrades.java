package dev.veridex.buckets;

import dev.veridex.buckets.Bucket.Side;
import dev.veridex.buckets.Bucket.Upgrade;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.identity.Caller;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.Jobs;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.ChangeResult;
import dev.veridex.tenancy.DeletionCleaner;
import dev.veridex.tenancy.IncarnationRecords;
import java.util.Optional;

/// Upgrades of buckets to another version of their type: begun, finished, given up.
///
/// What it means to copy and to compare is for the type to say; here is only which side counts.
public final class TypeUpgrades {
  /// The kind of the jobs that fill new sides.
  public static final String KIND = "bucket.upgrade";

  private final Buckets buckets;
  private final BucketLookup lookup;
  private final IncarnationRecords incarnations;
  private final BucketTypes types;
  private final DeletionCleaner cleaner;
  private final Jobs jobs;

  public TypeUpgrades(
      Buckets buckets,
      BucketLookup lookup,
      IncarnationRecords incarnations,
      BucketTypes types,
      DeletionCleaner cleaner,
      Jobs jobs) {
    this.buckets = buckets;
    this.lookup = lookup;
    this.incarnations = incarnations;
    this.types = types;
    this.cleaner = cleaner;
    this.jobs = jobs;
  }

  /// Begins an upgrade: from the commit on, writes go to both sides.
  ///
  /// @param to with or without a version; absent: the newest
  public ChangeResult<Bucket> begin(
      Caller caller, Namespace namespace, String name, Optional<String> to) {
    return buckets.administer(
        caller,
        KIND,
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
          jobs.order(
              transaction,
              new Jobs.JobStart(
                  KIND,
                  namespace.scope(),
                  JsonRecord.object().put("bucket", name).put("side", number),
                  Optional.empty()),
              found.namespaceIncarnation(),
              Buckets.known(caller).id());
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
          drop(transaction, found, bucket.side(), caller);
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
          drop(transaction, found, bucket.upgrade().get().to(), caller);
          return new ChangeResult.Done<>(aborted, false, transaction.revision());
        });
  }

  /// An upgrade whose new side still has to be filled.
  public record OpenUpgrade(BucketLookup.LocatedBucket found, Upgrade upgrade) {}

  /// The upgrade that a job is about, if its new side still has to be filled.
  public Optional<OpenUpgrade> unfilled(Reader reader, Job job) {
    if (incarnations.of(reader, job.scope()) != job.origin().incarnation()) {
      return Optional.empty();
    }
    long side = job.request().get("side").asLong();
    return lookup
        .find(reader, Namespace.of(job.scope()), job.request().get("bucket").asString())
        .flatMap(
            found ->
                found
                    .bucket()
                    .upgrade()
                    .filter(upgrade -> !upgrade.filled() && upgrade.to().number() == side)
                    .map(upgrade -> new OpenUpgrade(found, upgrade)));
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
  }

  private void drop(
      Transaction transaction, BucketLookup.LocatedBucket found, Side side, Caller caller) {
    cleaner.orderSide(
        transaction,
        found.bucket().namespace(),
        found.namespaceIncarnation(),
        found.bucket().name(),
        side.number(),
        Buckets.known(caller).id());
  }

  private static ChangeResult<Bucket> refused(String detail, Bucket bucket) {
    return new ChangeResult.Refused<>(
        Problem.of(ErrorCode.CONFLICT, detail).with("type", bucket.type().text()));
  }
}
