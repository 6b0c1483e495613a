package dev.veridex.tenancy;

import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.util.List;
import java.util.Optional;

/// The incarnations of accounts and environments, and the number of times that what an account
/// arranges was changed.
///
/// Whoever writes under a scope reads its incarnation in the same transaction, so that a deletion
/// and a write can never both happen: the later one runs again and finds the other.
///
/// An environment's incarnation holds that of its account in its upper half: when an account goes,
/// all its environments go with it.
public final class IncarnationRecords implements Incarnations {
  private static final int ACCOUNT_SHIFT = 32;

  @Override
  public long of(Reader reader, Scope scope) {
    return switch (scope) {
      case Scope.Tenant(String account) -> numbers(reader, account).incarnation;
      case Scope.TenantEnvironment(String account, String environment) -> {
        // Most accounts are the first of their name: both are read at once as if it were.
        List<Optional<byte[]>> both =
            reader.getAll(List.of(accountKey(account), environmentKey(account, 0, environment)));
        long ofAccount = numbers(both.getFirst()).incarnation;
        long own =
            ofAccount == 0
                ? number(both.getLast())
                : ownOf(reader, environmentKey(account, ofAccount, environment));
        yield ofAccount << ACCOUNT_SHIFT | own;
      }
      case Scope.Global _, Scope.Environment _, Scope.Custom _ -> 0;
    };
  }

  /// Ends the current incarnation: everything under it is out of reach with the commit.
  void retire(Transaction transaction, Scope scope) {
    switch (scope) {
      case Scope.Tenant(String account) -> {
        Numbers numbers = numbers(transaction, account);
        put(transaction, account, new Numbers(numbers.incarnation + 1, numbers.arrangement + 1));
      }
      case Scope.TenantEnvironment(String account, String environment) -> {
        long ofAccount = numbers(transaction, account).incarnation;
        byte[] key = environmentKey(account, ofAccount, environment);
        transaction.put(key, new KeyWriter().unsigned(ownOf(transaction, key) + 1).toKey());
      }
      case Scope.Global _, Scope.Environment _, Scope.Custom _ ->
          throw new IllegalArgumentException("only accounts and environments are deleted");
    }
  }

  /// Whether an environment's incarnation belongs to an account's.
  static boolean isOf(long environmentIncarnation, long accountIncarnation) {
    return environmentIncarnation >>> ACCOUNT_SHIFT == accountIncarnation;
  }

  /// Something of what an account arranges was changed: its own settings, its environments,
  /// services or buckets. Whoever keeps a copy of these compares [#arrangement].
  public void rearranged(Transaction transaction, String account) {
    Numbers numbers = numbers(transaction, account);
    put(transaction, account, new Numbers(numbers.incarnation, numbers.arrangement + 1));
  }

  /// A number that changes with everything that an account arranges, and never comes back, also
  /// when the account is deleted and made again. One read tells whether a copy still holds; in a
  /// transaction it also makes sure that the copy still holds at the commit.
  public long arrangement(Reader reader, String account) {
    return numbers(reader, account).arrangement;
  }

  private record Numbers(long incarnation, long arrangement) {}

  private static Numbers numbers(Reader reader, String account) {
    return numbers(reader.get(accountKey(account)));
  }

  private static Numbers numbers(Optional<byte[]> stored) {
    return stored
        .map(KeyReader::new)
        .map(bytes -> new Numbers(bytes.unsigned(), bytes.unsigned()))
        .orElse(new Numbers(0, 0));
  }

  private static void put(Transaction transaction, String account, Numbers numbers) {
    transaction.put(
        accountKey(account),
        new KeyWriter().unsigned(numbers.incarnation).unsigned(numbers.arrangement).toKey());
  }

  private static long ownOf(Reader reader, byte[] environmentKey) {
    return number(reader.get(environmentKey));
  }

  private static long number(Optional<byte[]> stored) {
    return stored.map(bytes -> new KeyReader(bytes).unsigned()).orElse(0L);
  }

  private static byte[] accountKey(String account) {
    return new KeyWriter().octet(RecordKind.ACCOUNT_INCARNATION.code()).string(account).toKey();
  }

  /// The numbers of the environments of one incarnation of an account.
  static byte[] environmentPrefix(String account, long ofAccount) {
    return new KeyWriter()
        .octet(RecordKind.ENVIRONMENT_INCARNATION.code())
        .string(account)
        .unsigned(ofAccount)
        .toKey();
  }

  private static byte[] environmentKey(String account, long ofAccount, String environment) {
    return KeyWriter.after(environmentPrefix(account, ofAccount)).string(environment).toKey();
  }
}
