package dev.veridex.buckets;

import dev.veridex.acl.RefusedException;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.TtlPolicy;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Caller;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.Accounts;
import dev.veridex.tenancy.AdminChanges;
import dev.veridex.tenancy.IncarnationRecords;
import dev.veridex.tenancy.TtlPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// Finds buckets by name, from memory where it can.
///
/// A copy is good as long as the number of its account's arrangement is the same as when it was
/// made, which takes one read to know. What is not found in memory is looked for once in the store;
/// that something is not there is never remembered.
public final class BucketLookup {
  /// Of all copies that were made, as they are stored; then they are made anew.
  private static final long MAX_BYTES = 16L << 20;

  private final AdminChanges administration;
  private final IncarnationRecords incarnations;
  private final Map<Name, Copy> copies = new ConcurrentHashMap<>();
  private final AtomicLong bytes = new AtomicLong();

  public BucketLookup(AdminChanges administration, IncarnationRecords incarnations) {
    this.administration = administration;
    this.incarnations = incarnations;
  }

  private record Name(Namespace namespace, String bucket) {}

  private record Copy(long arrangement, LocatedBucket found) {}

  /// A bucket, and what it takes to judge and to reach what is in it.
  ///
  /// @param namespaceIncarnation of the scope that it is in
  /// @param inheritedTtl the TTL policy that counts if it has none of its own
  public record LocatedBucket(
      Account account, Bucket bucket, long namespaceIncarnation, TtlPolicy inheritedTtl) {
    /// A bucket, with the policy that its scope has by now.
    static LocatedBucket of(
        Reader reader, IncarnationRecords incarnations, Account account, Bucket bucket) {
      Scope scope = bucket.namespace().scope();
      return new LocatedBucket(
          account,
          bucket,
          incarnations.of(reader, scope),
          TtlPolicies.effective(reader, incarnations, scope).policy());
    }

    /// The TTL policy that counts in it.
    public TtlPolicy ttlPolicy() {
      return bucket.wanted().ttl().orElse(inheritedTtl);
    }

    /// Where its records are on one of its sides.
    public BucketLocation data(Bucket.Side side) {
      return new BucketLocation(
          bucket.namespace().scope(), namespaceIncarnation, bucket.name(), side.number());
    }

    /// The holder of its usage.
    public UsageCounters.Holder holder() {
      return UsageCounters.Holder.of(
          bucket.namespace(),
          account.incarnation(),
          namespaceIncarnation,
          bucket.name(),
          bucket.incarnation());
    }

    public UsageCounters.Limits limits() {
      return new UsageCounters.Limits(account.quotas(), bucket.wanted().quotas());
    }
  }

  /// The bucket of a name, if it is there.
  public Optional<LocatedBucket> find(Reader reader, Namespace namespace, String name) {
    long arrangement = incarnations.arrangement(reader, namespace.account());
    Name key = new Name(namespace, name);
    Copy copy = copies.get(key);
    if (copy != null && copy.arrangement == arrangement) {
      return Optional.of(copy.found);
    }
    Optional<LocatedBucket> found = load(reader, namespace, name);
    // A transaction sees its own writes, which nobody else may ever see.
    if (!(reader instanceof Transaction)) {
      found.ifPresentOrElse(
          bucket -> keep(key, new Copy(arrangement, bucket)), () -> copies.remove(key));
    }
    return found;
  }

  /// A number that changes with everything that an account arranges, its ACLs among it.
  public long arrangement(Reader reader, String account) {
    return incarnations.arrangement(reader, account);
  }

  /// All buckets of a namespace, by name.
  public List<LocatedBucket> all(Reader reader, Namespace namespace) {
    Optional<Account> account = Accounts.find(reader, namespace.account());
    if (account.isEmpty() || administration.missing(reader, namespace).isPresent()) {
      return List.of();
    }
    long incarnation = incarnations.of(reader, namespace.scope());
    byte[] prefix = prefix(namespace, incarnation);
    List<LocatedBucket> all = new ArrayList<>();
    try (Cursor cursor = reader.scan(KeyRange.prefix(prefix), Direction.FORWARD)) {
      while (cursor.next()) {
        String name = new KeyReader(cursor.key(), prefix.length).string();
        Bucket bucket = BucketCodec.decode(namespace, name, cursor.value());
        all.add(LocatedBucket.of(reader, incarnations, account.get(), bucket));
      }
    }
    return all;
  }

  /// Whether the records of a side still belong to a bucket. Whoever writes them without having
  /// looked for the bucket asks in the same transaction: what is written after the clean-up would
  /// stay for ever.
  public boolean isThere(Reader reader, BucketLocation location) {
    return at(reader, location).isPresent();
  }

  /// The bucket that the records at a location still belong to.
  public Optional<LocatedBucket> at(Reader reader, BucketLocation location) {
    return find(reader, Namespace.of(location.scope()), location.bucket())
        .filter(
            found ->
                found.data(found.bucket().side()).equals(location)
                    || found
                        .bucket()
                        .upgrade()
                        .filter(upgrade -> found.data(upgrade.to()).equals(location))
                        .isPresent());
  }

  /// Forgets all copies, as after a start.
  public void forget() {
    bytes.set(0);
    copies.clear();
  }

  private void keep(Name name, Copy copy) {
    long size =
        (long) BucketCodec.encode(copy.found.bucket).length + Accounts.size(copy.found.account);
    if (bytes.addAndGet(size) > MAX_BYTES) {
      forget();
    }
    copies.put(name, copy);
  }

  private Optional<LocatedBucket> load(Reader reader, Namespace namespace, String name) {
    if (!Bucket.isName(name) || administration.missing(reader, namespace).isPresent()) {
      return Optional.empty();
    }
    long incarnation = incarnations.of(reader, namespace.scope());
    return reader
        .get(key(namespace, incarnation, name))
        .map(
            bytes ->
                LocatedBucket.of(
                    reader,
                    incarnations,
                    Accounts.find(reader, namespace.account()).orElseThrow(),
                    BucketCodec.decode(namespace, name, bytes)));
  }

  /// The bucket of a name.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  LocatedBucket require(Reader reader, Caller caller, Namespace namespace, String name) {
    return find(reader, namespace, name).orElseThrow(() -> nothing(reader, caller, namespace));
  }

  /// Why there can be no buckets in a namespace; nothing if there can.
  public Optional<Problem> missingNamespace(Reader reader, Namespace namespace) {
    return administration.missing(reader, namespace);
  }

  /// Why there is no bucket.
  public Problem missing(Reader reader, Namespace namespace) {
    return administration.missing(reader, namespace).orElseGet(BucketLookup::noBucket);
  }

  /// What whoever looks for a bucket hears that is not there.
  ///
  /// @return as if it were refused, if nobody in particular asks: that is what they hear of what is
  ///   there, too
  public VeridexException nothing(Reader reader, Caller caller, Namespace namespace) {
    Problem missing = missing(reader, namespace);
    return caller.isAnonymous() ? new RefusedException(missing) : new VeridexException(missing);
  }

  static Problem noBucket() {
    return Problem.of(ErrorCode.NOT_FOUND, "there is no such bucket");
  }

  static byte[] key(Namespace namespace, long incarnation, String name) {
    return KeyWriter.after(prefix(namespace, incarnation)).string(name).toKey();
  }

  static byte[] prefix(Namespace namespace, long incarnation) {
    return new KeyWriter().scope(RecordKind.BUCKET.code(), namespace.scope(), incarnation).toKey();
  }
}
