package dev.veridex.buckets;

import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.Bucket.Side;
import dev.veridex.buckets.BucketLookup.LocatedBucket;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.records.HttpConditions;
import dev.veridex.records.JsonRecord;
import dev.veridex.records.RecordPages;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.Accounts;
import dev.veridex.tenancy.AdminChanges;
import dev.veridex.tenancy.ChangeResult;
import dev.veridex.tenancy.DeletionCleaner;
import dev.veridex.tenancy.IncarnationRecords;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Buckets: made, changed, looked at, listed, deleted.
public final class Buckets {
  private final Store store;
  private final AdminChanges administration;
  private final IncarnationRecords incarnations;
  private final BucketLookup lookup;
  private final BucketAccess access;
  private final BucketTypes types;
  private final ObjectSettings.Mode objectMode;
  private final DeletionCleaner cleaner;

  public Buckets(
      Store store,
      AdminChanges administration,
      IncarnationRecords incarnations,
      BucketLookup lookup,
      BucketAccess access,
      BucketTypes types,
      ObjectSettings.Mode objectMode,
      DeletionCleaner cleaner) {
    this.store = store;
    this.administration = administration;
    this.incarnations = incarnations;
    this.lookup = lookup;
    this.access = access;
    this.types = types;
    this.objectMode = objectMode;
    this.cleaner = cleaner;
  }

  /// Makes a bucket, or changes it.
  ///
  /// @param type with or without a version
  public ChangeResult<Bucket> put(
      Caller caller,
      Namespace namespace,
      String name,
      String type,
      Bucket.Definition wanted,
      Optional<String> ifMatch,
      Optional<String> ifNoneMatch) {
    BucketType wantedType = types.of(type);
    Token token = known(caller);
    return administration.change(
        token,
        "bucket.put",
        namespace,
        List.of(name),
        reader -> mayPut(reader, caller, namespace, name, wantedType),
        transaction -> {
          Optional<LocatedBucket> before = lookup.find(transaction, namespace, name);
          Optional<Problem> refusal =
              BucketRules.badName(name)
                  .or(
                      () ->
                          HttpConditions.mismatch(
                              before.map(found -> found.bucket().etag()), ifMatch, ifNoneMatch))
                  .or(
                      () ->
                          wanted.quotas().containsKey(Quota.BUCKETS)
                              ? Optional.of(
                                  Problem.of(ErrorCode.BAD_REQUEST, "a bucket holds no buckets")
                                      .at("/quotas/buckets"))
                              : Optional.empty())
                  .or(() -> BucketRules.badPrefix(wanted.settings().resourcePrefix()))
                  .or(() -> BucketRules.badField(wanted.settings()))
                  .or(() -> BucketRules.forgets(wanted))
                  .or(
                      () ->
                          before.flatMap(
                              found -> BucketRules.otherType(found.bucket(), type, wantedType)));
          if (refusal.isPresent()) {
            return new ChangeResult.Refused<>(refusal.get());
          }
          return before
              .map(found -> change(transaction, found, wanted))
              .orElseGet(() -> create(transaction, token, namespace, name, wantedType, wanted));
        });
  }

  ChangeResult<Bucket> change(
      Transaction transaction, LocatedBucket found, Bucket.Definition wanted) {
    Bucket bucket = found.bucket();
    // Whoever changes something else does not mean to leave it without an owner.
    BucketSettings settled = bucket.wanted().settings();
    Optional<Problem> contradiction = wanted.settings().contradicts(settled);
    if (contradiction.isPresent()) {
      return new ChangeResult.Refused<>(contradiction.get());
    }
    Bucket.Definition owned =
        wanted
            .ownedBy(wanted.owner().or(bucket.wanted()::owner))
            .settling(
                BucketRules.settled(
                    wanted.settings().withShards(settled.shards()), settled, objectMode));
    Bucket changed = bucket.changed(bucket.side(), owned, bucket.upgrade());
    Optional<Problem> large = JsonRecord.tooLarge(BucketCodec.encode(changed));
    if (large.isPresent()) {
      return new ChangeResult.Refused<>(large.get());
    }
    write(transaction, changed, found.namespaceIncarnation());
    return new ChangeResult.Done<>(changed, false, transaction.revision());
  }

  ChangeResult<Bucket> create(
      Transaction transaction,
      Token creator,
      Namespace namespace,
      String name,
      BucketType type,
      Bucket.Definition wanted) {
    Account account = Accounts.find(transaction, namespace.account()).orElseThrow();
    long namespaceIncarnation = incarnations.of(transaction, namespace.scope());
    long incarnation = incarnation(transaction, namespace, namespaceIncarnation, name);
    Bucket bucket =
        new Bucket(
            namespace,
            name,
            incarnation,
            1,
            new Side(type, incarnation),
            wanted
                .ownedBy(wanted.owner().or(creator::subject))
                .settling(BucketRules.settled(wanted.settings(), wanted.settings(), objectMode)),
            Optional.empty(),
            transaction.now());
    LocatedBucket found = LocatedBucket.of(transaction, incarnations, account, bucket);
    Optional<Problem> large = JsonRecord.tooLarge(BucketCodec.encode(bucket));
    if (large.isPresent()) {
      return new ChangeResult.Refused<>(large.get());
    }
    Optional<Problem> exceeded =
        UsageCounters.count(
            transaction,
            found.holder(),
            new UsageCounters.Limits(account.quotas(), Map.of()),
            new UsageCounters.Delta().add(Quota.BUCKETS, Optional.empty(), 1));
    if (exceeded.isPresent()) {
      return new ChangeResult.Refused<>(exceeded.get());
    }
    write(transaction, bucket, namespaceIncarnation);
    return new ChangeResult.Done<>(bucket, true, transaction.revision());
  }

  /// 0 for the first bucket of a name in a namespace that was never deleted. Every other gets the
  /// number of the commit that it saw: whatever had the name before was made by an earlier one.
  private long incarnation(
      Transaction transaction, Namespace namespace, long namespaceIncarnation, String name) {
    boolean first =
        namespaceIncarnation == 0
            && transaction.get(usedName(namespace, namespaceIncarnation, name)).isEmpty();
    return first ? 0 : Math.max(1, transaction.revision().sequence());
  }

  /// Deletes a bucket: with the commit, what is in it is out of reach.
  public ChangeResult<Bucket> delete(
      Caller caller, Namespace namespace, String name, Optional<String> ifMatch) {
    return administer(
        caller,
        "bucket.delete",
        namespace,
        name,
        ifMatch,
        (transaction, found) -> {
          Bucket bucket = found.bucket();
          long incarnation = found.namespaceIncarnation();
          String by = known(caller).id();
          transaction.delete(BucketLookup.key(namespace, incarnation, name));
          transaction.put(usedName(namespace, incarnation, name), new byte[0]);
          cleaner.orderSide(transaction, namespace, incarnation, name, bucket.side().number(), by);
          bucket
              .upgrade()
              .ifPresent(
                  upgrade ->
                      cleaner.orderSide(
                          transaction, namespace, incarnation, name, upgrade.to().number(), by));
          cleaner.orderUsage(transaction, namespace, incarnation, name, bucket.incarnation(), by);
          return new ChangeResult.Deleted<>(transaction.revision());
        });
  }

  /// Does something to a bucket that takes its administrator.
  public <T> ChangeResult<T> administer(
      Caller caller,
      String operation,
      Namespace namespace,
      String name,
      Optional<String> ifMatch,
      BiFunction<Transaction, LocatedBucket, ChangeResult<T>> work) {
    return administration.change(
        known(caller),
        operation,
        namespace,
        List.of(name),
        reader ->
            lookup
                .find(reader, namespace, name)
                .map(found -> access.refusal(reader, found, caller, Action.ADMIN))
                .orElseGet(() -> Optional.of(lookup.missing(reader, namespace))),
        transaction -> {
          LocatedBucket found = lookup.find(transaction, namespace, name).orElseThrow();
          return HttpConditions.mismatch(
                  Optional.of(found.bucket().etag()), ifMatch, Optional.empty())
              .<ChangeResult<T>>map(ChangeResult.Refused::new)
              .orElseGet(() -> work.apply(transaction, found));
        });
  }

  static void write(Transaction transaction, Bucket bucket, long namespaceIncarnation) {
    transaction.put(
        BucketLookup.key(bucket.namespace(), namespaceIncarnation, bucket.name()),
        BucketCodec.encode(bucket));
  }

  /// Visits every bucket that can be reached.
  public static void each(Reader reader, Consumer<LocatedBucket> visit) {
    IncarnationRecords current = new IncarnationRecords();
    KeyRange all = KeyRange.prefix(new KeyWriter().octet(RecordKind.BUCKET.code()).toKey());
    try (Cursor cursor = reader.scan(all, Direction.FORWARD)) {
      while (cursor.next()) {
        KeyReader key = new KeyReader(cursor.key());
        KeyReader.ScopePrefix scope = key.scope();
        if (current.of(reader, scope.scope()) == scope.incarnation()) {
          Namespace namespace = Namespace.of(scope.scope());
          Bucket bucket = BucketCodec.decode(namespace, key.string(), cursor.value());
          Accounts.find(reader, namespace.account())
              .map(account -> LocatedBucket.of(reader, current, account, bucket))
              .ifPresent(visit);
        }
      }
    }
  }

  /// A bucket as a caller may see it.
  ///
  /// @param settings whether its settings may be shown, too
  public record BucketView(Bucket bucket, boolean settings) {}

  /// The bucket of a name, for whoever may read or administer it.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  public BucketView find(Caller caller, Namespace namespace, String name) {
    try (Snapshot snapshot = store.snapshot()) {
      LocatedBucket found = lookup.require(snapshot, caller, namespace, name);
      return shown(snapshot, found, caller)
          .orElseThrow(() -> new RefusedException(BucketLookup.noBucket()));
    }
  }

  /// The buckets of a namespace that a caller may read or administer, by name.
  ///
  /// @param cursor of the page before
  /// @param which those that are wanted
  public Page<BucketView> list(
      Caller caller,
      Namespace namespace,
      Optional<String> cursor,
      int limit,
      Predicate<Bucket> which) {
    try (Snapshot snapshot = store.snapshot()) {
      Optional<Problem> missing = administration.missing(snapshot, namespace);
      if (missing.isPresent()) {
        throw lookup.nothing(snapshot, caller, namespace);
      }
      Account account = Accounts.find(snapshot, namespace.account()).orElseThrow();
      long incarnation = incarnations.of(snapshot, namespace.scope());
      byte[] prefix = BucketLookup.prefix(namespace, incarnation);
      Page<BucketView> page =
          RecordPages.page(
              snapshot,
              prefix,
              cursor,
              limit,
              (key, value) ->
                  Optional.of(
                          BucketCodec.decode(
                              namespace, new KeyReader(key, prefix.length).string(), value))
                      .filter(which)
                      .map(each -> LocatedBucket.of(snapshot, incarnations, account, each))
                      .flatMap(found -> shown(snapshot, found, caller)),
              shown -> shown.bucket().name());
      if (caller.isAnonymous() && page.items().isEmpty()) {
        // As it is where there is no account.
        throw new RefusedException(BucketLookup.noBucket());
      }
      return page;
    }
  }

  private Optional<BucketView> shown(Reader reader, LocatedBucket found, Caller caller) {
    boolean administers = access.allows(reader, found, caller, Action.ADMIN);
    return administers || access.allows(reader, found, caller, Action.READ)
        ? Optional.of(new BucketView(found.bucket(), administers))
        : Optional.empty();
  }

  /// Whoever brings no token changes nothing.
  static Token known(Caller caller) {
    return caller.token().orElseThrow(() -> new RefusedException(BucketLookup.noBucket()));
  }

  private Optional<Problem> mayPut(
      Reader reader, Caller caller, Namespace namespace, String name, BucketType type) {
    return mayPut(reader, caller, namespace, name, List.of(type.name()));
  }

  /// Lets a caller pass who may make or change a bucket of some type.
  public void mayPut(Caller caller, Namespace namespace, String name) {
    known(caller);
    try (Snapshot snapshot = store.snapshot()) {
      RefusedException.throwIf(mayPut(snapshot, caller, namespace, name, types.names()));
    }
  }

  /// Lets a caller pass who may administer a bucket.
  public void mayAdminister(Caller caller, Namespace namespace, String name) {
    try (Snapshot snapshot = store.snapshot()) {
      LocatedBucket found = lookup.require(snapshot, caller, namespace, name);
      access.require(snapshot, found, caller, Action.ADMIN);
    }
  }

  private Optional<Problem> mayPut(
      Reader reader, Caller caller, Namespace namespace, String name, Collection<String> someType) {
    Optional<Account> account = Accounts.find(reader, namespace.account());
    Optional<LocatedBucket> before = lookup.find(reader, namespace, name);
    boolean may =
        before
            .map(found -> access.allows(reader, found, caller, Action.ADMIN))
            .orElseGet(
                () ->
                    account
                        .map(
                            owning ->
                                someType.stream()
                                    .anyMatch(
                                        type ->
                                            access.mayCreate(
                                                reader, owning, namespace.scope(), caller, type)))
                        // That there is no account is what the next question finds.
                        .orElse(true));
    return may
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                ErrorCode.FORBIDDEN,
                "this takes the bucket's administrator, or somebody who may make buckets"));
  }

  private static byte[] usedName(Namespace namespace, long namespaceIncarnation, String name) {
    return new KeyWriter()
        .scope(RecordKind.BUCKET_NAME.code(), namespace.scope(), namespaceIncarnation)
        .string(name)
        .toKey();
  }
}
