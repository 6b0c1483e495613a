package dev.veridex.buckets;

import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.common.Namespace;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Caller;
import dev.veridex.quota.Quota;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.Accounts;
import dev.veridex.tenancy.AdminChanges;
import java.util.Map;
import java.util.Optional;

/// The usage and quotas of accounts and buckets.
public final class UsageReport {
  private final Store store;
  private final AdminChanges administration;
  private final BucketLookup lookup;
  private final BucketAccess access;

  public UsageReport(
      Store store, AdminChanges administration, BucketLookup lookup, BucketAccess access) {
    this.store = store;
    this.administration = administration;
    this.lookup = lookup;
    this.access = access;
  }

  /// The usage of a bucket, for whoever may administer it.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`, `FORBIDDEN`
  public Usages of(Caller caller, Namespace namespace, String name) {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found = lookup.require(snapshot, caller, namespace, name);
      access.require(snapshot, found, caller, Action.ADMIN);
      return new Usages(
          UsageCounters.ofBucket(snapshot, found.holder()), found.bucket().wanted().quotas());
    }
  }

  /// The usage of an account, all its environments included, for its owner and administrators.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`, `FORBIDDEN`
  public Usages of(Caller caller, Namespace namespace) {
    try (Snapshot snapshot = store.snapshot()) {
      Optional<Account> account = Accounts.find(snapshot, namespace.account());
      RefusedException.throwIf(
          AdminChanges.mayManage(Buckets.known(caller), namespace.accountScope(), account));
      VeridexException.throwIf(administration.missing(snapshot, namespace));
      Account found = account.orElseThrow();
      return new Usages(
          UsageCounters.ofAccount(snapshot, found.name(), found.incarnation()), found.quotas());
    }
  }

  /// The usage of an account or bucket, and its quota.
  public record Usages(Map<Quota, Long> used, Map<Quota, Long> quotas) {}
}
