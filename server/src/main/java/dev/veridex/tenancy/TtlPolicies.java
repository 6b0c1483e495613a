package dev.veridex.tenancy;

import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.TtlPolicy;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Token;
import dev.veridex.records.JsonRecord;
import dev.veridex.records.TtlPolicyRecord;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.util.List;
import java.util.Optional;

/// The TTL policies of scopes: what counts for everything in a scope that has no policy of its own.
///
/// They are the one thing that is inherited: an environment without a policy has that of its
/// account.
public final class TtlPolicies {
  private static final String PUT = "ttl.put";
  private static final String DELETE = "ttl.delete";

  private final Store store;
  private final AuditLog audit;
  private final IncarnationRecords incarnations;

  public TtlPolicies(Store store, AuditLog audit, IncarnationRecords incarnations) {
    this.store = store;
    this.audit = audit;
    this.incarnations = incarnations;
  }

  /// The policy that counts in a scope.
  ///
  /// @param source the scope that it was set for; absent: it is the default
  public record Effective(TtlPolicy policy, Optional<Scope> source) {}

  /// Sets the policy of a scope.
  public ChangeResult<TtlPolicy> put(Token caller, Scope scope, TtlPolicy policy) {
    return ChangeResult.of(
        store.transact(
            transaction -> {
              RefusedException.throwIf(refusal(transaction, caller, scope));
              Optional<TtlPolicy> before = own(transaction, incarnations, scope);
              write(transaction, scope, Optional.of(policy));
              audit(transaction, caller, PUT, scope);
              return new ChangeResult.Done<>(policy, before.isEmpty(), transaction.revision());
            }));
  }

  /// Removes the policy of a scope: from then on the next one counts.
  public ChangeResult<TtlPolicy> delete(Token caller, Scope scope) {
    return ChangeResult.of(
        store.transact(
            transaction -> {
              RefusedException.throwIf(refusal(transaction, caller, scope));
              if (own(transaction, incarnations, scope).isEmpty()) {
                return new ChangeResult.Refused<TtlPolicy>(
                    Problem.of(
                            ErrorCode.NOT_FOUND,
                            "This scope has no TTL policy of its own to remove.")
                        .with("scope", scope.text()));
              }
              write(transaction, scope, Optional.empty());
              audit(transaction, caller, DELETE, scope);
              return new ChangeResult.Deleted<>(transaction.revision());
            }));
  }

  /// The policy that counts in a scope.
  public Effective find(Scope scope) {
    try (Snapshot snapshot = store.snapshot()) {
      return effective(snapshot, incarnations, scope);
    }
  }

  private static Optional<Problem> refusal(Reader reader, Token caller, Scope scope) {
    Optional<Account> account =
        scope instanceof Scope.Tenant || scope instanceof Scope.TenantEnvironment
            ? Accounts.find(reader, scope.parts().getFirst())
            : Optional.empty();
    return AdminChanges.mayManage(caller, scope, account);
  }

  /// Sets or removes the policy of a scope, for a change that was allowed.
  public void write(Transaction transaction, Scope scope, Optional<TtlPolicy> policy) {
    byte[] key = key(transaction, incarnations, scope);
    policy.ifPresentOrElse(
        each ->
            transaction.put(key, JsonRecord.bytes(TtlPolicyRecord.put(JsonRecord.object(), each))),
        () -> transaction.delete(key));
    if (scope instanceof Scope.Tenant || scope instanceof Scope.TenantEnvironment) {
      // Whoever keeps a bucket in memory keeps the policy that counts for it.
      incarnations.rearranged(transaction, scope.parts().getFirst());
    }
  }

  private void audit(Transaction transaction, Token caller, String operation, Scope scope) {
    audit.append(
        transaction, AuditEntry.of(transaction.now(), caller, operation, scope, List.of()));
  }

  /// The policy that counts in a scope: its own, or that of the account of an environment, or the
  /// default.
  public static Effective effective(Reader reader, IncarnationRecords incarnations, Scope scope) {
    Optional<TtlPolicy> own = own(reader, incarnations, scope);
    if (own.isPresent()) {
      return new Effective(own.get(), Optional.of(scope));
    }
    return scope instanceof Scope.TenantEnvironment(String tenant, _)
        ? effective(reader, incarnations, new Scope.Tenant(tenant))
        : new Effective(TtlPolicy.STANDARD, Optional.empty());
  }

  /// The policy that was set for exactly this scope.
  public static Optional<TtlPolicy> own(
      Reader reader, IncarnationRecords incarnations, Scope scope) {
    return reader
        .get(key(reader, incarnations, scope))
        .map(JsonRecord::read)
        .map(TtlPolicyRecord::read);
  }

  private static byte[] key(Reader reader, IncarnationRecords incarnations, Scope scope) {
    return new KeyWriter()
        .scope(RecordKind.TTL_POLICY.code(), scope, incarnations.of(reader, scope))
        .toKey();
  }
}
