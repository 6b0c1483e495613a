package dev.veridex.accounts;

import dev.veridex.accounts.AuditEntry.Outcome;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The environments of accounts: made by naming them, listed, deleted.
public final class Environments {
  private static final String PUT = "environment.put";
  private static final String DELETE = "environment.delete";

  private final Store store;
  private final AuditLog audit;
  private final StoredIncarnations incarnations;

  public Environments(Store store, AuditLog audit, StoredIncarnations incarnations) {
    this.store = store;
    this.audit = audit;
    this.incarnations = incarnations;
  }

  /// Makes an environment; one that is there stays as it is.
  public Change<Environment> put(Token caller, String account, String name) {
    return Change.of(
        store.transact(
            transaction -> {
              Optional<Problem> refusal = refusal(transaction, caller, account).or(() -> bad(name));
              if (refusal.isPresent()) {
                return refused(transaction, caller, PUT, account, name, refusal.get());
              }
              Optional<Environment> before = find(transaction, account, name);
              if (before.isPresent()) {
                return new Change.Done<>(before.get(), false, transaction.revision());
              }
              Environment environment = new Environment(account, name, transaction.now());
              transaction.put(
                  key(transaction, account, name),
                  environment.createdAt().toString().getBytes(StandardCharsets.UTF_8));
              note(transaction, caller, PUT, account, name);
              return new Change.Done<>(environment, true, transaction.revision());
            }));
  }

  /// Deletes an environment: with the commit, everything in it is out of reach.
  public Change<Environment> delete(Token caller, String account, String name) {
    return Change.of(
        store.transact(
            transaction -> {
              Optional<Problem> refusal =
                  refusal(transaction, caller, account)
                      .or(() -> missing(find(transaction, account, name)));
              if (refusal.isPresent()) {
                return refused(transaction, caller, DELETE, account, name, refusal.get());
              }
              Scope.TenantEnvironment scope = new Scope.TenantEnvironment(account, name);
              Cleaner.order(transaction, scope, incarnations.of(transaction, scope));
              transaction.delete(key(transaction, account, name));
              incarnations.retire(transaction, scope);
              note(transaction, caller, DELETE, account, name);
              return new Change.Deleted<>(transaction.revision());
            }));
  }

  /// The environment of a name.
  public Optional<Environment> find(String account, String name) {
    try (Snapshot snapshot = store.snapshot()) {
      return find(snapshot, account, name);
    }
  }

  /// The environments of an account, by name.
  ///
  /// @param cursor of the page before
  /// @throws VeridexException `NOT_FOUND`, `GONE` if there is no such account
  public Page<Environment> list(String account, Optional<String> cursor, int limit) {
    List<Environment> environments = new ArrayList<>();
    try (Snapshot snapshot = store.snapshot()) {
      Optional<Problem> missing =
          Accounts.missing(snapshot, account, Accounts.find(snapshot, account));
      if (missing.isPresent()) {
        throw new VeridexException(missing.get());
      }
      byte[] prefix = prefix(snapshot, account);
      byte[] from =
          cursor
              .map(name -> KeyRange.successor(KeyWriter.after(prefix).string(name).toKey()))
              .orElse(prefix);
      try (Cursor found =
          snapshot.scan(new KeyRange(from, KeyRange.prefix(prefix).to()), Direction.FORWARD)) {
        while (found.next()) {
          if (environments.size() == limit) {
            return Page.until(environments, environments.getLast().name(), Page.End.LIMIT);
          }
          String name = new KeyReader(found.key(), prefix.length).string();
          environments.add(decode(account, name, found.value()));
        }
      }
    }
    return Page.last(environments);
  }

  private static Optional<Problem> refusal(Reader reader, Token caller, String account) {
    Optional<Account> found = Accounts.find(reader, account);
    return Accounts.mayManage(caller, account, found)
        .or(() -> Accounts.missing(reader, account, found));
  }

  private static Optional<Problem> bad(String name) {
    return Account.isName(name)
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                    ErrorCode.INVALID_NAME,
                    "an environment's name has up to 64 of a-z, 0-9, dot and dash")
                .with("parameter", "env"));
  }

  private static Optional<Problem> missing(Optional<Environment> environment) {
    return environment.isPresent() ? Optional.empty() : Optional.of(notFound());
  }

  /// Why there is nothing to show.
  public static Problem notFound() {
    return Problem.of(ErrorCode.NOT_FOUND, "there is no such environment");
  }

  private void note(
      Transaction transaction, Token caller, String operation, String account, String name) {
    audit.append(
        transaction,
        AuditEntry.of(
            transaction.now(), caller, operation, new Scope.Tenant(account), List.of(name)));
  }

  private Change<Environment> refused(
      Transaction transaction,
      Token caller,
      String operation,
      String account,
      String name,
      Problem problem) {
    Scope scope = new Scope.Tenant(account);
    audit.append(
        transaction,
        AuditEntry.of(
                transaction.now(),
                caller,
                operation,
                caller.reaches(scope) ? scope : caller.scope(),
                List.of(account, name))
            .withOutcome(Outcome.REFUSED, problem.code().name()));
    return new Change.Refused<>(problem);
  }

  private Optional<Environment> find(Reader reader, String account, String name) {
    return reader.get(key(reader, account, name)).map(bytes -> decode(account, name, bytes));
  }

  private static Environment decode(String account, String name, byte[] bytes) {
    return new Environment(account, name, Instant.parse(new String(bytes, StandardCharsets.UTF_8)));
  }

  private byte[] key(Reader reader, String account, String name) {
    return KeyWriter.after(prefix(reader, account)).string(name).toKey();
  }

  private byte[] prefix(Reader reader, String account) {
    Scope scope = new Scope.Tenant(account);
    return new KeyWriter()
        .scope(Space.ENVIRONMENT.code(), scope, incarnations.of(reader, scope))
        .toKey();
  }
}
