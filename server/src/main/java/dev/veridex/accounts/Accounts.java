package dev.veridex.accounts;

import dev.veridex.accounts.AuditEntry.Outcome;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Accounts and their environments: made, read, changed, listed and deleted.
///
/// Who may is decided inside the transaction that does it, from the account as it is then.
public final class Accounts {
  private static final String PUT = "account.put";
  private static final String DELETE = "account.delete";

  private final Store store;
  private final AuditLog audit;
  private final StoredIncarnations incarnations;

  public Accounts(Store store, AuditLog audit, StoredIncarnations incarnations) {
    this.store = store;
    this.audit = audit;
    this.incarnations = incarnations;
  }

  /// Makes an account, or changes it.
  ///
  /// @param ifMatch the etag that it must have; `*` for any, as long as there is one
  public Change<Account> put(
      Token caller, String name, Account.Wanted wanted, Optional<String> ifMatch) {
    return Change.of(
        store.transact(
            transaction -> {
              Optional<Account> before = find(transaction, name);
              Optional<Problem> refusal =
                  badName(name)
                      .or(() -> mayPut(caller, name, before))
                      .or(() -> mismatch(before, ifMatch));
              if (refusal.isPresent()) {
                return refused(transaction, caller, PUT, name, refusal.get());
              }
              Account account =
                  new Account(
                      name,
                      incarnations.of(transaction, new Scope.Tenant(name)),
                      before.map(old -> old.version() + 1).orElse(1L),
                      wanted.description(),
                      wanted.owner(),
                      wanted.quotas(),
                      before.map(Account::createdAt).orElse(transaction.now()));
              transaction.put(key(name), AccountCodec.encode(account));
              audit.append(
                  transaction,
                  AuditEntry.of(transaction.now(), caller, PUT, account.scope(), List.of(name)));
              return new Change.Done<>(account, before.isEmpty(), transaction.revision());
            }));
  }

  /// Deletes an account: with the commit, everything under it is out of reach. What it leaves
  /// behind is removed by the [Cleaner].
  public Change<Account> delete(Token caller, String name, Optional<String> ifMatch) {
    return Change.of(
        store.transact(
            transaction -> {
              Optional<Account> before = find(transaction, name);
              Optional<Problem> refusal =
                  mayManage(caller, name, before)
                      .or(() -> missing(transaction, name, before))
                      .or(() -> mismatch(before, ifMatch));
              if (refusal.isPresent()) {
                return refused(transaction, caller, DELETE, name, refusal.get());
              }
              Scope.Tenant scope = new Scope.Tenant(name);
              Cleaner.order(transaction, scope, incarnations.of(transaction, scope));
              transaction.delete(key(name));
              incarnations.retire(transaction, scope);
              // Into the log of Global: the account's own goes with it.
              audit.append(
                  transaction,
                  AuditEntry.of(
                      transaction.now(), caller, DELETE, new Scope.Global(), List.of(name)));
              return new Change.Deleted<>(transaction.revision());
            }));
  }

  /// The account of a name.
  public Optional<Account> find(String name) {
    try (Snapshot snapshot = store.snapshot()) {
      return find(snapshot, name);
    }
  }

  /// Why there is no account of a name: there is none, or it is just being removed.
  public Problem missing(String name) {
    try (Snapshot snapshot = store.snapshot()) {
      return missing(snapshot, name, Optional.empty()).orElseThrow();
    }
  }

  /// The accounts that a token reaches, by name.
  ///
  /// @param cursor of the page before
  public Page<Account> list(Token caller, Optional<String> cursor, int limit) {
    List<Account> accounts = new ArrayList<>();
    byte[] prefix = new KeyWriter().octet(Space.ACCOUNT.code()).toKey();
    byte[] from = cursor.map(name -> KeyRange.successor(key(name))).orElse(prefix);
    try (Snapshot snapshot = store.snapshot();
        Cursor found =
            snapshot.scan(new KeyRange(from, KeyRange.prefix(prefix).to()), Direction.FORWARD)) {
      while (found.next()) {
        String name = new KeyReader(found.key(), 1).string();
        if (!caller.reaches(new Scope.Tenant(name))) {
          continue;
        }
        if (accounts.size() == limit) {
          return Page.until(accounts, accounts.getLast().name(), Page.End.LIMIT);
        }
        accounts.add(AccountCodec.decode(name, found.value()));
      }
    }
    return Page.last(accounts);
  }

  private static Optional<Problem> badName(String name) {
    return Account.isName(name)
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                    ErrorCode.INVALID_NAME,
                    "an account's name has up to 64 of a-z, 0-9, dot and dash")
                .with("parameter", "account"));
  }

  private static Optional<Problem> mayPut(Token caller, String name, Optional<Account> before) {
    return before.isPresent() || !caller.reaches(new Scope.Tenant(name))
        ? mayManage(caller, name, before)
        : caller.administers(new Scope.Global())
            ? Optional.empty()
            : Optional.of(
                Problem.of(ErrorCode.FORBIDDEN, "only a Global administrator makes accounts"));
  }

  /// The owner and whoever administers the account's scope.
  static Optional<Problem> mayManage(Token caller, String name, Optional<Account> account) {
    Scope scope = new Scope.Tenant(name);
    if (!caller.reaches(scope)) {
      return Optional.of(Problem.of(ErrorCode.SCOPE_DENIED, "the token does not reach this scope"));
    }
    boolean owner =
        caller.subject().isPresent() && account.flatMap(Account::owner).equals(caller.subject());
    return owner || caller.administers(scope)
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.FORBIDDEN, "this takes the account's owner or an administrator"));
  }

  static Optional<Problem> missing(Reader reader, String name, Optional<Account> account) {
    if (account.isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        Cleaner.isCleaning(reader, name)
            ? Problem.of(ErrorCode.GONE, "the account was deleted and is being removed")
            : Problem.of(ErrorCode.NOT_FOUND, "there is no such account"));
  }

  private static Optional<Problem> mismatch(Optional<Account> account, Optional<String> ifMatch) {
    if (ifMatch.isEmpty()) {
      return Optional.empty();
    }
    String wanted = ifMatch.get().replace("\"", "");
    boolean matches =
        account.map(found -> wanted.equals("*") || wanted.equals(found.etag())).orElse(false);
    return matches
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.PRECONDITION_FAILED, "it was changed since, or is not there"));
  }

  private Change<Account> refused(
      Transaction transaction, Token caller, String operation, String name, Problem problem) {
    boolean reached = Account.isName(name) && caller.reaches(new Scope.Tenant(name));
    audit.append(
        transaction,
        AuditEntry.of(
                transaction.now(),
                caller,
                operation,
                reached ? new Scope.Tenant(name) : caller.scope(),
                List.of(name))
            .withOutcome(Outcome.REFUSED, problem.code().name()));
    return new Change.Refused<>(problem);
  }

  static Optional<Account> find(Reader reader, String name) {
    return reader.get(key(name)).map(bytes -> AccountCodec.decode(name, bytes));
  }

  private static byte[] key(String name) {
    return new KeyWriter().octet(Space.ACCOUNT.code()).string(name).toKey();
  }
}
