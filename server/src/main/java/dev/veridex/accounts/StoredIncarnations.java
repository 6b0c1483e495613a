package dev.veridex.accounts;

import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;

/// The incarnations of accounts and environments, one number for each name that was ever deleted.
///
/// Whoever writes under a scope reads its incarnation in the same transaction, so that a deletion
/// and a write can never both happen: the later one runs again and finds the other.
///
/// An environment's incarnation holds that of its account in its upper half: when an account goes,
/// all its environments go with it.
public final class StoredIncarnations implements Incarnations {
  private static final int ACCOUNT_SHIFT = 32;

  @Override
  public long of(Reader reader, Scope scope) {
    return switch (scope) {
      case Scope.Tenant(String account) -> read(reader, accountKey(account));
      case Scope.TenantEnvironment(String account, String environment) -> {
        long ofAccount = read(reader, accountKey(account));
        long own = read(reader, environmentKey(account, ofAccount, environment));
        yield ofAccount << ACCOUNT_SHIFT | own;
      }
      case Scope.Global _, Scope.Environment _, Scope.Custom _ -> 0;
    };
  }

  /// Ends the current incarnation: everything under it is out of reach with the commit.
  void retire(Transaction transaction, Scope scope) {
    switch (scope) {
      case Scope.Tenant(String account) -> next(transaction, accountKey(account));
      case Scope.TenantEnvironment(String account, String environment) -> {
        long ofAccount = read(transaction, accountKey(account));
        next(transaction, environmentKey(account, ofAccount, environment));
      }
      case Scope.Global _, Scope.Environment _, Scope.Custom _ ->
          throw new IllegalArgumentException("only accounts and environments are deleted");
    }
  }

  /// Whether an environment's incarnation belongs to an account's.
  static boolean isOf(long environmentIncarnation, long accountIncarnation) {
    return environmentIncarnation >>> ACCOUNT_SHIFT == accountIncarnation;
  }

  private static void next(Transaction transaction, byte[] key) {
    transaction.put(key, new KeyWriter().unsigned(read(transaction, key) + 1).toKey());
  }

  private static long read(Reader reader, byte[] key) {
    return reader.get(key).map(bytes -> new KeyReader(bytes).unsigned()).orElse(0L);
  }

  private static byte[] accountKey(String account) {
    return new KeyWriter().octet(Space.ACCOUNT_INCARNATION.code()).string(account).toKey();
  }

  /// The numbers of the environments of one incarnation of an account.
  static byte[] environmentPrefix(String account, long ofAccount) {
    return new KeyWriter()
        .octet(Space.ENVIRONMENT_INCARNATION.code())
        .string(account)
        .unsigned(ofAccount)
        .toKey();
  }

  private static byte[] environmentKey(String account, long ofAccount, String environment) {
    return KeyWriter.after(environmentPrefix(account, ofAccount)).string(environment).toKey();
  }
}
