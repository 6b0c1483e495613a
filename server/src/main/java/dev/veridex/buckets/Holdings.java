package dev.veridex.buckets;

import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Account;
import dev.veridex.accounts.Accounts;
import dev.veridex.accounts.Acl.Action;
import dev.veridex.accounts.Administration;
import dev.veridex.accounts.Caller;
import dev.veridex.accounts.Place;
import dev.veridex.accounts.Quota;
import dev.veridex.accounts.Usage;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.Map;
import java.util.Optional;

/// What accounts and buckets hold of what they may hold, for those who may know.
public final class Holdings {
  private final Store store;
  private final Administration administration;
  private final Directory directory;
  private final Access access;

  public Holdings(Store store, Administration administration, Directory directory, Access access) {
    this.store = store;
    this.administration = administration;
    this.directory = directory;
    this.access = access;
  }

  /// What a bucket holds, for whoever may administer it.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`, `FORBIDDEN`
  public Usages of(Caller caller, Place place, String name) {
    try (Snapshot snapshot = store.snapshot()) {
      Directory.Found found = directory.require(snapshot, caller, place, name);
      access.require(snapshot, found, caller, Action.ADMIN);
      return new Usages(Usage.ofBucket(snapshot, found.holder()), found.bucket().wanted().quotas());
    }
  }

  /// What an account holds, all its environments included, for its owner and administrators.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`, `FORBIDDEN`
  public Usages of(Caller caller, Place place) {
    try (Snapshot snapshot = store.snapshot()) {
      Optional<Account> account = Accounts.find(snapshot, place.account());
      AccessRefused.throwIf(
          Administration.mayManage(Buckets.known(caller), place.accountScope(), account));
      VeridexException.throwIf(administration.missing(snapshot, place));
      Account found = account.orElseThrow();
      return new Usages(
          Usage.ofAccount(snapshot, found.name(), found.incarnation()), found.quotas());
    }
  }

  /// What something holds, and what it may hold.
  public record Usages(Map<Quota, Long> used, Map<Quota, Long> quotas) {}
}
