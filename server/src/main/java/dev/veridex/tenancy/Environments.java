package dev.veridex.tenancy;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Token;
import dev.veridex.records.Incarnations;
import dev.veridex.records.RecordPages;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The environments of accounts: made by naming them, listed, deleted.
public final class Environments {
  private final Store store;
  private final AdminChanges administration;
  private final IncarnationRecords incarnations;
  private final DeletionCleaner cleaner;

  public Environments(
      Store store,
      AdminChanges administration,
      IncarnationRecords incarnations,
      DeletionCleaner cleaner) {
    this.store = store;
    this.administration = administration;
    this.incarnations = incarnations;
    this.cleaner = cleaner;
  }

  /// Makes an environment; one that is there stays as it is.
  public ChangeResult<Environment> put(Token caller, String account, String name) {
    return administration.change(
        caller,
        "environment.put",
        new Namespace(account, Optional.empty()),
        List.of(name),
        transaction -> {
          Optional<Problem> bad = bad(name);
          if (bad.isPresent()) {
            return new ChangeResult.Refused<>(bad.get());
          }
          Optional<Environment> before = find(transaction, account, name);
          if (before.isPresent()) {
            return new ChangeResult.Done<>(before.get(), false, transaction.revision());
          }
          Environment environment = new Environment(account, name, transaction.now());
          transaction.put(
              key(transaction, incarnations, account, name),
              environment.createdAt().toString().getBytes(StandardCharsets.UTF_8));
          return new ChangeResult.Done<>(environment, true, transaction.revision());
        });
  }

  /// Deletes an environment: with the commit, everything in it is out of reach.
  public ChangeResult<Environment> delete(Token caller, String account, String name) {
    return administration.change(
        caller,
        "environment.delete",
        new Namespace(account, Optional.empty()),
        List.of(name),
        transaction -> {
          if (find(transaction, account, name).isEmpty()) {
            return new ChangeResult.Refused<>(notFound());
          }
          Scope.TenantEnvironment scope = new Scope.TenantEnvironment(account, name);
          cleaner.order(transaction, scope, incarnations.of(transaction, scope), caller.id());
          transaction.delete(key(transaction, incarnations, account, name));
          incarnations.retire(transaction, scope);
          return new ChangeResult.Deleted<>(transaction.revision());
        });
  }

  /// The environment of a name.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  public Environment find(String account, String name) {
    try (Snapshot snapshot = store.snapshot()) {
      VeridexException.throwIf(
          administration.missing(snapshot, new Namespace(account, Optional.of(name))));
      return find(snapshot, account, name).orElseThrow();
    }
  }

  /// The environments of an account, by name.
  ///
  /// @param cursor of the page before
  /// @throws VeridexException `NOT_FOUND`, `GONE` if there is no such account
  public Page<Environment> list(String account, Optional<String> cursor, int limit) {
    try (Snapshot snapshot = store.snapshot()) {
      Optional<Problem> missing =
          administration.missing(snapshot, new Namespace(account, Optional.empty()));
      if (missing.isPresent()) {
        throw new VeridexException(missing.get());
      }
      byte[] prefix = prefix(snapshot, incarnations, account);
      return RecordPages.page(
          snapshot,
          prefix,
          cursor,
          limit,
          (key, value) ->
              Optional.of(decode(account, new KeyReader(key, prefix.length).string(), value)),
          Environment::name);
    }
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

  /// Why there is nothing to show.
  public static Problem notFound() {
    return Problem.of(ErrorCode.NOT_FOUND, "there is no such environment");
  }

  private Optional<Environment> find(Reader reader, String account, String name) {
    return reader
        .get(key(reader, incarnations, account, name))
        .map(bytes -> decode(account, name, bytes));
  }

  private static Environment decode(String account, String name, byte[] bytes) {
    return new Environment(account, name, Instant.parse(new String(bytes, StandardCharsets.UTF_8)));
  }

  static byte[] key(Reader reader, Incarnations incarnations, String account, String name) {
    return KeyWriter.after(prefix(reader, incarnations, account)).string(name).toKey();
  }

  private static byte[] prefix(Reader reader, Incarnations incarnations, String account) {
    Scope scope = new Scope.Tenant(account);
    return new KeyWriter()
        .scope(RecordKind.ENVIRONMENT.code(), scope, incarnations.of(reader, scope))
        .toKey();
  }
}
