package dev.veridex.buckets;

import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Account;
import dev.veridex.accounts.Accounts;
import dev.veridex.accounts.Acl.Action;
import dev.veridex.accounts.Administration;
import dev.veridex.accounts.Caller;
import dev.veridex.accounts.Change;
import dev.veridex.accounts.Cleaner;
import dev.veridex.accounts.Etags;
import dev.veridex.accounts.Json;
import dev.veridex.accounts.Listing;
import dev.veridex.accounts.Place;
import dev.veridex.accounts.Quota;
import dev.veridex.accounts.StoredIncarnations;
import dev.veridex.accounts.Token;
import dev.veridex.accounts.Usage;
import dev.veridex.buckets.Bucket.Side;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.Space;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
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
  private final Administration administration;
  private final StoredIncarnations incarnations;
  private final Directory directory;
  private final Access access;
  private final BucketTypes types;

  public Buckets(
      Store store,
      Administration administration,
      StoredIncarnations incarnations,
      Directory directory,
      Access access,
      BucketTypes types) {
    this.store = store;
    this.administration = administration;
    this.incarnations = incarnations;
    this.directory = directory;
    this.access = access;
    this.types = types;
  }

  /// Makes a bucket, or changes it.
  ///
  /// @param type with or without a version
  public Change<Bucket> put(
      Caller caller,
      Place place,
      String name,
      String type,
      Bucket.Wanted wanted,
      Optional<String> ifMatch,
      Optional<String> ifNoneMatch) {
    BucketType wantedType = types.of(type);
    Token token = known(caller);
    return administration.change(
        token,
        "bucket.put",
        place,
        List.of(name),
        reader -> mayPut(reader, caller, place, name, wantedType),
        transaction -> {
          Optional<Directory.Found> before = directory.find(transaction, place, name);
          Optional<Problem> refusal =
              badName(name)
                  .or(
                      () ->
                          Etags.mismatch(
                              before.map(found -> found.bucket().etag()), ifMatch, ifNoneMatch))
                  .or(
                      () ->
                          wanted.quotas().containsKey(Quota.BUCKETS)
                              ? Optional.of(
                                  Problem.of(ErrorCode.BAD_REQUEST, "a bucket holds no buckets")
                                      .at("/quotas/buckets"))
                              : Optional.empty())
                  .or(() -> badPrefix(wanted.settings().resourcePrefix()))
                  .or(() -> badField(wanted.settings()))
                  .or(() -> before.flatMap(found -> otherType(found.bucket(), type, wantedType)));
          if (refusal.isPresent()) {
            return new Change.Refused<>(refusal.get());
          }
          return before
              .map(found -> change(transaction, found, wanted))
              .orElseGet(() -> create(transaction, token, place, name, wantedType, wanted));
        });
  }

  Change<Bucket> change(Transaction transaction, Directory.Found found, Bucket.Wanted wanted) {
    Bucket bucket = found.bucket();
    // Whoever changes something else does not mean to leave it without an owner.
    BucketSettings settled = bucket.wanted().settings();
    Optional<Problem> contradiction = wanted.settings().contradicts(settled);
    if (contradiction.isPresent()) {
      return new Change.Refused<>(contradiction.get());
    }
    Bucket.Wanted owned =
        wanted
            .ownedBy(wanted.owner().or(bucket.wanted()::owner))
            .settling(wanted.settings().withShards(settled.shards()));
    Bucket changed = bucket.changed(bucket.side(), owned, bucket.upgrade());
    Optional<Problem> large = Json.tooLarge(BucketCodec.encode(changed));
    if (large.isPresent()) {
      return new Change.Refused<>(large.get());
    }
    write(transaction, changed, found.placeIncarnation());
    return new Change.Done<>(changed, false, transaction.revision());
  }

  Change<Bucket> create(
      Transaction transaction,
      Token creator,
      Place place,
      String name,
      BucketType type,
      Bucket.Wanted wanted) {
    Account account = Accounts.find(transaction, place.account()).orElseThrow();
    long placeIncarnation = incarnations.of(transaction, place.scope());
    long incarnation = incarnation(transaction, place, placeIncarnation, name);
    Bucket bucket =
        new Bucket(
            place,
            name,
            incarnation,
            1,
            new Side(type, incarnation),
            wanted.ownedBy(wanted.owner().or(creator::subject)),
            Optional.empty(),
            transaction.now());
    Directory.Found found = new Directory.Found(account, bucket, placeIncarnation);
    Optional<Problem> large = Json.tooLarge(BucketCodec.encode(bucket));
    if (large.isPresent()) {
      return new Change.Refused<>(large.get());
    }
    Optional<Problem> exceeded =
        Usage.count(
            transaction,
            found.holder(),
            new Usage.Limits(account.quotas(), Map.of()),
            new Usage.Delta().add(Quota.BUCKETS, Optional.empty(), 1));
    if (exceeded.isPresent()) {
      return new Change.Refused<>(exceeded.get());
    }
    write(transaction, bucket, placeIncarnation);
    return new Change.Done<>(bucket, true, transaction.revision());
  }

  /// 0 for the first bucket of a name in a place that was never deleted. Every other gets the
  /// number of the commit that it saw: whatever had the name before was made by an earlier one.
  private long incarnation(
      Transaction transaction, Place place, long placeIncarnation, String name) {
    boolean first =
        placeIncarnation == 0 && transaction.get(usedName(place, placeIncarnation, name)).isEmpty();
    return first ? 0 : Math.max(1, transaction.revision().sequence());
  }

  /// Deletes a bucket: with the commit, what is in it is out of reach.
  public Change<Bucket> delete(Caller caller, Place place, String name, Optional<String> ifMatch) {
    return administer(
        caller,
        "bucket.delete",
        place,
        name,
        ifMatch,
        (transaction, found) -> {
          Bucket bucket = found.bucket();
          long incarnation = found.placeIncarnation();
          transaction.delete(Directory.key(place, incarnation, name));
          transaction.put(usedName(place, incarnation, name), new byte[0]);
          Cleaner.orderSide(transaction, place, incarnation, name, bucket.side().number());
          bucket
              .upgrade()
              .ifPresent(
                  upgrade ->
                      Cleaner.orderSide(
                          transaction, place, incarnation, name, upgrade.to().number()));
          Cleaner.orderUsage(transaction, place, incarnation, name, bucket.incarnation());
          return new Change.Deleted<>(transaction.revision());
        });
  }

  /// Does something to a bucket that takes its administrator.
  public <T> Change<T> administer(
      Caller caller,
      String operation,
      Place place,
      String name,
      Optional<String> ifMatch,
      BiFunction<Transaction, Directory.Found, Change<T>> work) {
    return administration.change(
        known(caller),
        operation,
        place,
        List.of(name),
        reader ->
            directory
                .find(reader, place, name)
                .map(found -> access.refusal(reader, found, caller, Action.ADMIN))
                .orElseGet(() -> Optional.of(directory.missing(reader, place))),
        transaction -> {
          Directory.Found found = directory.find(transaction, place, name).orElseThrow();
          return Etags.mismatch(Optional.of(found.bucket().etag()), ifMatch, Optional.empty())
              .<Change<T>>map(Change.Refused::new)
              .orElseGet(() -> work.apply(transaction, found));
        });
  }

  static void write(Transaction transaction, Bucket bucket, long placeIncarnation) {
    transaction.put(
        Directory.key(bucket.place(), placeIncarnation, bucket.name()), BucketCodec.encode(bucket));
  }

  /// Visits every bucket that can be reached.
  public static void each(Reader reader, Consumer<Directory.Found> visit) {
    StoredIncarnations current = new StoredIncarnations();
    KeyRange all = KeyRange.prefix(new KeyWriter().octet(Space.BUCKET.code()).toKey());
    try (Cursor cursor = reader.scan(all, Direction.FORWARD)) {
      while (cursor.next()) {
        KeyReader key = new KeyReader(cursor.key());
        KeyReader.ScopePrefix scope = key.scope();
        if (current.of(reader, scope.scope()) == scope.incarnation()) {
          Place place = Place.of(scope.scope());
          Bucket bucket = BucketCodec.decode(place, key.string(), cursor.value());
          Accounts.find(reader, place.account())
              .map(account -> new Directory.Found(account, bucket, scope.incarnation()))
              .ifPresent(visit);
        }
      }
    }
  }

  /// A bucket as a caller may see it.
  ///
  /// @param settings whether its settings may be shown, too
  public record Shown(Bucket bucket, boolean settings) {}

  /// The bucket of a name, for whoever may read or administer it.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  public Shown find(Caller caller, Place place, String name) {
    try (Snapshot snapshot = store.snapshot()) {
      Directory.Found found = directory.require(snapshot, caller, place, name);
      return shown(snapshot, found, caller)
          .orElseThrow(() -> new AccessRefused(Directory.noBucket()));
    }
  }

  /// The buckets of a place that a caller may read or administer, by name.
  ///
  /// @param cursor of the page before
  /// @param which those that are wanted
  public Page<Shown> list(
      Caller caller, Place place, Optional<String> cursor, int limit, Predicate<Bucket> which) {
    try (Snapshot snapshot = store.snapshot()) {
      Optional<Problem> missing = administration.missing(snapshot, place);
      if (missing.isPresent()) {
        throw directory.nothing(snapshot, caller, place);
      }
      Account account = Accounts.find(snapshot, place.account()).orElseThrow();
      long incarnation = incarnations.of(snapshot, place.scope());
      byte[] prefix = Directory.prefix(place, incarnation);
      Page<Shown> page =
          Listing.page(
              snapshot,
              prefix,
              cursor,
              limit,
              (key, value) ->
                  Optional.of(
                          BucketCodec.decode(
                              place, new KeyReader(key, prefix.length).string(), value))
                      .filter(which)
                      .map(bucket -> new Directory.Found(account, bucket, incarnation))
                      .flatMap(found -> shown(snapshot, found, caller)),
              shown -> shown.bucket().name());
      if (caller.isAnonymous() && page.items().isEmpty()) {
        // As it is where there is no account.
        throw new AccessRefused(Directory.noBucket());
      }
      return page;
    }
  }

  private Optional<Shown> shown(Reader reader, Directory.Found found, Caller caller) {
    boolean administers = access.allows(reader, found, caller, Action.ADMIN);
    return administers || access.allows(reader, found, caller, Action.READ)
        ? Optional.of(new Shown(found.bucket(), administers))
        : Optional.empty();
  }

  /// Whoever brings no token changes nothing.
  static Token known(Caller caller) {
    return caller.token().orElseThrow(() -> new AccessRefused(Directory.noBucket()));
  }

  private Optional<Problem> mayPut(
      Reader reader, Caller caller, Place place, String name, BucketType type) {
    return mayPut(reader, caller, place, name, List.of(type.name()));
  }

  /// Lets a caller pass who may make or change a bucket of some type.
  public void mayPut(Caller caller, Place place, String name) {
    known(caller);
    try (Snapshot snapshot = store.snapshot()) {
      AccessRefused.throwIf(mayPut(snapshot, caller, place, name, types.names()));
    }
  }

  /// Lets a caller pass who may administer a bucket.
  public void mayAdminister(Caller caller, Place place, String name) {
    try (Snapshot snapshot = store.snapshot()) {
      Directory.Found found = directory.require(snapshot, caller, place, name);
      access.require(snapshot, found, caller, Action.ADMIN);
    }
  }

  private Optional<Problem> mayPut(
      Reader reader, Caller caller, Place place, String name, Collection<String> someType) {
    Optional<Account> account = Accounts.find(reader, place.account());
    Optional<Directory.Found> before = directory.find(reader, place, name);
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
                                                reader, owning, place.scope(), caller, type)))
                        // That there is no account is what the next question finds.
                        .orElse(true));
    return may
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                ErrorCode.FORBIDDEN,
                "this takes the bucket's administrator, or somebody who may make buckets"));
  }

  private static Optional<Problem> badName(String name) {
    return Bucket.isName(name)
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                    ErrorCode.INVALID_NAME,
                    "a bucket's name has up to 64 of a-z, 0-9, underscore and dash")
                .with("parameter", "bucket"));
  }

  private static Optional<Problem> badPrefix(String prefix) {
    boolean good =
        prefix.length() <= BucketSettings.MAX_PREFIX && !BucketSettings.isReserved(prefix);
    return good
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                    ErrorCode.BAD_KEY,
                    "a prefix has up to 256 characters and does not begin with bucket: or s3://")
                .at("/settings/resourcePrefix"));
  }

  private static Optional<Problem> badField(BucketSettings settings) {
    return settings instanceof DocumentSettings documents
        ? documents
            .resourceField()
            .filter(name -> name.isEmpty() || name.startsWith("_"))
            .map(
                _ ->
                    Problem.of(ErrorCode.INVALID_NAME, "no field can have this name")
                        .at("/settings/resourceField"))
        : Optional.empty();
  }

  private static Optional<Problem> otherType(Bucket bucket, String given, BucketType wanted) {
    boolean same = bucket.type().equals(wanted) || bucket.type().name().equals(given);
    return same
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.CONFLICT, "a bucket keeps its type; another version is an upgrade")
                .at("/type")
                .with("type", bucket.type().text()));
  }

  private static byte[] usedName(Place place, long placeIncarnation, String name) {
    return new KeyWriter()
        .scope(Space.BUCKET_NAME.code(), place.scope(), placeIncarnation)
        .string(name)
        .toKey();
  }
}
