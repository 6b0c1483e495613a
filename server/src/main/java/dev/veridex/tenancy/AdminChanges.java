package dev.veridex.tenancy;

import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.Reader;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Changes in an account or an environment that take its owner or an administrator: each is
/// decided, done and written into the audit log in one transaction.
public final class AdminChanges {
  private final Store store;
  private final AuditLog audit;
  private final IncarnationRecords incarnations;

  public AdminChanges(Store store, AuditLog audit, IncarnationRecords incarnations) {
    this.store = store;
    this.audit = audit;
    this.incarnations = incarnations;
  }

  /// Does something in a namespace, if the caller may and the namespace is there.
  ///
  /// @throws RefusedException if the caller may not
  /// @param key what it is done to, for the audit log
  public <T> ChangeResult<T> change(
      Token caller,
      String operation,
      Namespace namespace,
      List<String> key,
      Function<Transaction, ChangeResult<T>> work) {
    return change(
        caller,
        operation,
        namespace,
        key,
        reader -> mayManage(caller, namespace.scope(), Accounts.find(reader, namespace.account())),
        work);
  }

  /// As above, for those who may for another reason.
  ///
  /// @param refusal why the caller may not
  public <T> ChangeResult<T> change(
      Token caller,
      String operation,
      Namespace namespace,
      List<String> key,
      Function<Reader, Optional<Problem>> refusal,
      Function<Transaction, ChangeResult<T>> work) {
    return ChangeResult.of(
        store.transact(
            transaction -> {
              // Nothing is written: whoever keeps the log of refusals hears of it.
              RefusedException.throwIf(refusal.apply(transaction));
              ChangeResult<T> change =
                  missing(transaction, namespace)
                      .<ChangeResult<T>>map(ChangeResult.Refused::new)
                      .orElseGet(() -> work.apply(transaction));
              if (!(change instanceof ChangeResult.Refused<T>)) {
                incarnations.rearranged(transaction, namespace.account());
                audit.append(
                    transaction,
                    AuditEntry.of(transaction.now(), caller, operation, namespace.scope(), key));
              }
              return change;
            }));
  }

  /// The owner and whoever administers the scope.
  public static Optional<Problem> mayManage(Token caller, Scope scope, Optional<Account> account) {
    if (!caller.reaches(scope)) {
      return Optional.of(Problem.of(ErrorCode.SCOPE_DENIED, "the token does not reach this scope"));
    }
    return Caller.of(caller).is(account.flatMap(Account::owner)) || caller.administers(scope)
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.FORBIDDEN, "this takes the account's owner or an administrator"));
  }

  /// Why there is nothing in a namespace: it is not there, or just being removed.
  public Optional<Problem> missing(Reader reader, Namespace namespace) {
    return Accounts.missing(reader, namespace.account(), Accounts.find(reader, namespace.account()))
        .or(
            () ->
                namespace
                    .environment()
                    .filter(name -> !isEnvironment(reader, namespace.account(), name))
                    .map(_ -> Environments.notFound()));
  }

  /// A number that changes with everything that an account arranges, its environments among it, and
  /// never comes back.
  public long arrangement(Reader reader, String account) {
    return incarnations.arrangement(reader, account);
  }

  /// The number that tells a scope from one of the same name that was deleted.
  public long incarnation(Reader reader, Scope scope) {
    return incarnations.of(reader, scope);
  }

  private boolean isEnvironment(Reader reader, String account, String name) {
    return reader.get(Environments.key(reader, incarnations, account, name)).isPresent();
  }
}
