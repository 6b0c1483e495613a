package dev.veridex.items;

import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.acl.Acl.Action;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.Bucket.Upgrade;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.BucketSettings;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights.Right;
import dev.veridex.buckets.Retention;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.TtlPolicy.Life;
import dev.veridex.common.VeridexException;
import dev.veridex.items.Items.Conditions;
import dev.veridex.items.Items.Content;
import dev.veridex.items.Items.Request;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.records.HttpConditions;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Reader;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// Writes revisions of items: decides, counts and writes in one transaction.
final class ItemWrites {
  private static final System.Logger LOG = System.getLogger(ItemWrites.class.getName());
  private static final int MAX_KEY_BYTES = 1100;

  private final Store store;
  private final ResourceAccess access;
  private final ItemVersions versions;
  private final RandomGenerator random;

  ItemWrites(Store store, ResourceAccess access, ItemVersions versions, RandomGenerator random) {
    this.store = store;
    this.access = access;
    this.versions = versions;
    this.random = random;
  }

  /// Stores a value under a key.
  Items.WriteResult put(Request request, Content content, Conditions conditions) {
    checkKey(request.key());
    return write(
        request,
        Action.WRITE,
        conditions,
        (transaction, found, current) -> {
          boolean exists = current.filter(item -> !item.deleted()).isPresent();
          access.change(
              transaction,
              found,
              request.actor(),
              request.key(),
              exists ? Right.UPDATE : Right.CREATE);
          checkResource(found.bucket(), request.key());
          return revision(transaction, current, content, life(transaction, found, content));
        },
        Optional.of(content.bytes()));
  }

  /// Deletes an item: its newest revision will say that it is gone.
  Items.WriteResult delete(Request request, Conditions conditions) {
    checkKey(request.key());
    return write(
        request,
        Action.DELETE,
        conditions,
        (transaction, found, current) -> {
          boolean exists = current.filter(item -> !item.deleted()).isPresent();
          if (!exists && access.readsBucket(transaction, found, request.actor())) {
            throw new VeridexException(Items.noItem());
          }
          access.change(transaction, found, request.actor(), request.key(), Right.DELETE);
          Content nothing = new Content("", new TreeMap<>(), new byte[0], Optional.empty());
          Optional<Instant> end =
              RevisionRetention.remembersDeletion(ItemSettings.of(found.bucket()).retention())
                  .map(life -> transaction.now().plus(life).truncatedTo(ChronoUnit.MICROS));
          return new Next(item(transaction, current, nothing, end, true), false);
        },
        Optional.empty());
  }

  /// Prolongs the life of an item that was read, if its TTL policy says so and it is due. That it
  /// cannot be is no reason not to answer.
  Items.ItemValue refresh(Request request, Items.ItemValue read) {
    try {
      CommitResult<Optional<ItemRevision>> committed =
          store.transact(transaction -> refresh(transaction, request, read));
      return committed
          .result()
          .map(item -> new Items.ItemValue(item, read.value(), Optional.of(committed.revision())))
          .orElse(read);
    } catch (VeridexException e) {
      LOG.log(WARNING, "the life of an item that was read could not be prolonged", e);
      return read;
    }
  }

  /// The item with its new end, if a read at a time is due to prolong its life.
  static Optional<ItemRevision> refreshed(
      Instant now, BucketLookup.LocatedBucket found, ItemRevision item) {
    Optional<Duration> ttl = item.refreshTtl();
    if (ttl.isEmpty() || item.expiresAt().isEmpty() || item.replacedAt().isPresent()) {
      return Optional.empty();
    }
    return found
        .ttlPolicy()
        .refreshed(now, item.time(), ttl.get(), item.expiresAt().get())
        .map(end -> item.refreshed(end, ttl.get()));
  }

  private Optional<ItemRevision> refresh(
      Transaction transaction, Request request, Items.ItemValue read) {
    BucketLookup.LocatedBucket found =
        access.find(transaction, request.actor(), request.namespace(), request.bucket());
    Bucket bucket = found.bucket();
    Optional<ItemRevision> current =
        versions
            .of(bucket.side())
            .current(transaction, found.data(bucket.side()), request.key())
            .filter(item -> item.id().equals(read.item().id()));
    Optional<ItemRevision> next =
        current.flatMap(item -> refreshed(transaction.now(), found, item));
    if (current.isEmpty() || next.isEmpty()) {
      return Optional.empty();
    }
    ItemRevision item = next.get();
    UsageCounters.Delta delta = new UsageCounters.Delta();
    delta.add(Quota.ITEMS, current.get().expiresAt(), -1);
    delta.add(Quota.ITEMS, item.expiresAt(), 1);
    delta.add(Quota.BYTES, current.get().expiresAt(), -item.held());
    delta.add(Quota.BYTES, item.expiresAt(), item.held());
    VeridexException.throwIf(
        UsageCounters.count(transaction, found.holder(), found.limits(), delta));
    Optional<byte[]> value = Optional.of(read.value());
    versions
        .of(bucket.side())
        .putCurrent(transaction, found.data(bucket.side()), request.key(), item, value);
    bucket
        .upgrade()
        .map(Upgrade::to)
        .ifPresent(
            side ->
                versions
                    .of(side)
                    .putCurrent(transaction, found.data(side), request.key(), item, value));
    return next;
  }

  private record Next(ItemRevision item, boolean outOfBounds) {}

  private interface Decision {
    /// Decides the next revision.
    ///
    /// @throws VeridexException if there must not be one
    Next decide(
        Transaction transaction, BucketLookup.LocatedBucket found, Optional<ItemRevision> current);
  }

  private Items.WriteResult write(
      Request request,
      Action action,
      Conditions conditions,
      Decision decision,
      Optional<byte[]> value) {
    CommitResult<Next> committed =
        store.transact(
            transaction -> {
              BucketLookup.LocatedBucket found =
                  access.find(transaction, request.actor(), request.namespace(), request.bucket());
              access.bucket(transaction, found, request.actor(), action);
              Bucket bucket = found.bucket();
              BucketLocation location = found.data(bucket.side());
              ItemStore items = versions.of(bucket.side());
              Optional<ItemRevision> current = items.current(transaction, location, request.key());
              check(transaction, found, request, conditions, current);
              Next next = decision.decide(transaction, found, current);
              List<RevisionRetention.EndOfLife> endings =
                  endings(transaction, found, request.key(), current, next.item);
              count(transaction, found, current, next.item, endings);
              write(
                  transaction, items, location, request.key(), current, next.item, value, endings);
              bucket
                  .upgrade()
                  .map(Upgrade::to)
                  .ifPresent(
                      side ->
                          write(
                              transaction,
                              versions.of(side),
                              found.data(side),
                              request.key(),
                              current,
                              next.item,
                              value,
                              endings));
              return next;
            });
    return new Items.WriteResult(
        committed.result().item, committed.result().outOfBounds, committed.revision());
  }

  private List<RevisionRetention.EndOfLife> endings(
      Transaction transaction,
      BucketLookup.LocatedBucket found,
      String key,
      Optional<ItemRevision> current,
      ItemRevision next) {
    Retention retention = ItemSettings.of(found.bucket()).retention();
    int looksAt = RevisionRetention.looksAt(retention);
    if (looksAt == 0) {
      return List.of();
    }
    BucketLocation location = found.data(found.bucket().side());
    List<ItemRevision> past = new ArrayList<>();
    current.map(item -> item.replaced(next.time())).ifPresent(past::add);
    List<ItemRevision> before =
        versions
            .of(found.bucket().side())
            .revisions(transaction, location, key, Optional.empty(), looksAt + 1);
    before.stream().filter(item -> item.replacedAt().isPresent()).forEach(past::add);
    return RevisionRetention.of(
        retention, next.time(), past.subList(0, Math.min(past.size(), looksAt)));
  }

  /// Writes the new revision, and moves those that make room for it.
  private static void write(
      Transaction transaction,
      ItemStore items,
      BucketLocation location,
      String key,
      Optional<ItemRevision> current,
      ItemRevision next,
      Optional<byte[]> value,
      List<RevisionRetention.EndOfLife> endings) {
    current.ifPresent(
        item ->
            items.putPast(
                transaction, location, key, item.replaced(next.time()), Optional.empty()));
    items.putCurrent(transaction, location, key, next, value);
    for (RevisionRetention.EndOfLife ending : endings) {
      ItemRevision item = ending.revision();
      if (ending.end().isAfter(transaction.now())) {
        items.putPast(
            transaction,
            location,
            key,
            item.until(ending.end()),
            items.value(transaction, location, key, item.id()));
      } else {
        items.removePast(transaction, location, key, item.id());
      }
    }
  }

  private static void count(
      Transaction transaction,
      BucketLookup.LocatedBucket found,
      Optional<ItemRevision> current,
      ItemRevision next,
      List<RevisionRetention.EndOfLife> endings) {
    UsageCounters.Delta delta = new UsageCounters.Delta();
    current
        .filter(item -> !item.deleted())
        .ifPresent(item -> delta.add(Quota.ITEMS, item.expiresAt(), -1));
    if (!next.deleted()) {
      delta.add(Quota.ITEMS, next.expiresAt(), 1);
      delta.add(Quota.BYTES, next.expiresAt(), next.held());
    }
    for (RevisionRetention.EndOfLife ending : endings) {
      ItemRevision item = ending.revision();
      delta.add(Quota.BYTES, item.expiresAt(), -item.held());
      if (ending.end().isAfter(transaction.now())) {
        delta.add(Quota.BYTES, Optional.of(ending.end()), item.held());
      }
    }
    VeridexException.throwIf(
        UsageCounters.count(transaction, found.holder(), found.limits(), delta));
  }

  /// A condition asks what is there, so whoever may not read may not ask.
  private void check(
      Reader reader,
      BucketLookup.LocatedBucket found,
      Request request,
      Conditions conditions,
      Optional<ItemRevision> current) {
    if (conditions.isEmpty()) {
      return;
    }
    access.bucket(reader, found, request.actor(), Action.READ);
    Optional<String> etag =
        current
            .filter(item -> !item.deleted())
            .filter(_ -> access.mayRead(reader, found, request.actor(), request.key()))
            .map(item -> item.id().toString());
    VeridexException.throwIf(
        HttpConditions.mismatch(etag, conditions.ifMatch(), conditions.ifNoneMatch()));
  }

  private Next revision(
      Transaction transaction, Optional<ItemRevision> current, Content content, Life life) {
    return switch (life) {
      case Life.Forever() ->
          new Next(item(transaction, current, content, Optional.empty(), false), false);
      case Life.Until(Instant expiresAt, boolean outOfBounds) ->
          new Next(item(transaction, current, content, Optional.of(expiresAt), false), outOfBounds);
      case Life.Refused(Problem problem) ->
          throw new VeridexException(problem.with("parameter", "ttl"));
    };
  }

  private static Life life(
      Transaction transaction, BucketLookup.LocatedBucket found, Content content) {
    return found.ttlPolicy().settle(transaction.now(), content.ttl(), Optional.empty());
  }

  private ItemRevision item(
      Transaction transaction,
      Optional<ItemRevision> current,
      Content content,
      Optional<Instant> expiresAt,
      boolean deleted) {
    Instant now = transaction.now().truncatedTo(ChronoUnit.MICROS);
    return new ItemRevision(
        UuidV7.next(now, current.map(ItemRevision::id), random),
        now,
        deleted,
        content.contentType(),
        content.headers(),
        content.bytes().length,
        expiresAt,
        Optional.empty());
  }

  private static void checkKey(String key) {
    int bytes = key.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > MAX_KEY_BYTES || !KeyWriter.isWellFormed(key)) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_KEY, "an item's key has 1 to 1100 bytes of UTF-8")
              .with("parameter", "key"));
    }
  }

  /// Ids of resources that begin like this stand for other things.
  private static void checkResource(Bucket bucket, String key) {
    String resource = bucket.wanted().settings().resourcePrefix() + key;
    if (BucketSettings.isReserved(resource)) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_KEY, "a resource's id does not begin with bucket: or s3://")
              .with("parameter", "key"));
    }
  }
}
