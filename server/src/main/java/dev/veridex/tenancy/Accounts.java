package dev.veridex.tenancy;

import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Token;
import dev.veridex.records.HttpConditions;
import dev.veridex.records.JsonRecord;
import dev.veridex.records.RecordPages;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
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
  private final IncarnationRecords incarnations;
  private final DeletionCleaner cleaner;

  public Accounts(
      Store store, AuditLog audit, IncarnationRecords incarnations, DeletionCleaner cleaner) {
    this.store = store;
    this.audit = audit;
    this.incarnations = incarnations;
    this.cleaner = cleaner;
  }

  /// Makes an account, or changes it.
  ///
  /// @param ifMatch the etag that it must have; `*` for any, as long as there is one
  /// @param ifNoneMatch the etag that it must not have; `*` if there must be none
  public ChangeResult<Account> put(
      Token caller,
      String name,
      Account.Definition wanted,
      Optional<String> ifMatch,
      Optional<String> ifNoneMatch) {
    return ChangeResult.of(
        store.transact(
            transaction -> {
              Optional<Account> before = find(transaction, name);
              Optional<Problem> bad = badName(name);
              if (bad.isPresent()) {
                return new ChangeResult.Refused<>(bad.get());
              }
              RefusedException.throwIf(mayPut(caller, name, before));
              Optional<Problem> refusal =
                  HttpConditions.mismatch(before.map(Account::etag), ifMatch, ifNoneMatch);
              if (refusal.isPresent()) {
                return new ChangeResult.Refused<>(refusal.get());
              }
              Account account =
                  new Account(
                      name,
                      incarnations.of(transaction, new Scope.Tenant(name)),
                      before.map(old -> old.version() + 1).orElse(1L),
                      // Whoever changes something else does not mean to leave it without an owner.
                      wanted.ownedBy(wanted.owner().or(() -> before.flatMap(Account::owner))),
                      before.map(Account::createdAt).orElse(transaction.now()));
              byte[] encoded = AccountCodec.encode(account);
              Optional<Problem> large = JsonRecord.tooLarge(encoded);
              if (large.isPresent()) {
                return new ChangeResult.Refused<>(large.get());
              }
              transaction.put(key(name), encoded);
              incarnations.rearranged(transaction, name);
              audit.append(
                  transaction,
                  AuditEntry.of(transaction.now(), caller, PUT, account.scope(), List.of(name)));
              return new ChangeResult.Done<>(account, before.isEmpty(), transaction.revision());
            }));
  }

  /// Deletes an account: with the commit, everything under it is out of reach. What it leaves
  /// behind is removed by the [DeletionCleaner].
  public ChangeResult<Account> delete(Token caller, String name, Optional<String> ifMatch) {
    return ChangeResult.of(
        store.transact(
            transaction -> {
              Optional<Account> before = find(transaction, name);
              RefusedException.throwIf(
                  AdminChanges.mayManage(caller, new Scope.Tenant(name), before));
              Optional<Problem> refusal =
                  missing(transaction, name, before)
                      .or(
                          () ->
                              HttpConditions.mismatch(
                                  before.map(Account::etag), ifMatch, Optional.empty()));
              if (refusal.isPresent()) {
                return new ChangeResult.Refused<>(refusal.get());
              }
              Scope.Tenant scope = new Scope.Tenant(name);
              cleaner.order(transaction, scope, incarnations.of(transaction, scope), caller.id());
              transaction.delete(key(name));
              incarnations.retire(transaction, scope);
              // Into the log of Global: the account's own goes with it.
              audit.append(
                  transaction,
                  AuditEntry.of(
                      transaction.now(), caller, DELETE, new Scope.Global(), List.of(name)));
              return new ChangeResult.Deleted<>(transaction.revision());
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
    try (Snapshot snapshot = store.snapshot()) {
      return switch (caller.scope()) {
        case Scope.Global() -> listAll(snapshot, cursor, limit);
        case Scope.Tenant(String name) ->
            Page.last(find(snapshot, name).filter(_ -> cursor.isEmpty()).stream().toList());
        case Scope.Environment _, Scope.TenantEnvironment _, Scope.Custom _ -> Page.last(List.of());
      };
    }
  }

  private static Page<Account> listAll(Reader reader, Optional<String> cursor, int limit) {
    byte[] prefix = new KeyWriter().octet(RecordKind.ACCOUNT.code()).toKey();
    return RecordPages.page(
        reader,
        prefix,
        cursor,
        limit,
        (key, value) ->
            Optional.of(AccountCodec.decode(new KeyReader(key, prefix.length).string(), value)),
        Account::name);
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
        ? AdminChanges.mayManage(caller, new Scope.Tenant(name), before)
        : caller.administers(new Scope.Global())
            ? Optional.empty()
            : Optional.of(
                Problem.of(ErrorCode.FORBIDDEN, "only a Global administrator makes accounts"));
  }

  static Optional<Problem> missing(Reader reader, String name, Optional<Account> account) {
    if (account.isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        DeletionCleaner.isCleaning(reader, name)
            ? Problem.of(ErrorCode.GONE, "the account was deleted and is being removed")
            : Problem.of(ErrorCode.NOT_FOUND, "there is no such account"));
  }

  /// The account of a name, as a reader sees it.
  public static Optional<Account> find(Reader reader, String name) {
    return reader.get(key(name)).map(bytes -> AccountCodec.decode(name, bytes));
  }

  /// How many bytes an account takes.
  public static int size(Account account) {
    return AccountCodec.encode(account).length;
  }

  private static byte[] key(String name) {
    return new KeyWriter().octet(RecordKind.ACCOUNT.code()).string(name).toKey();
  }
}
