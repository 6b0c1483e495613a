package dev.veridex.accounts;

import dev.veridex.common.Agent;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Removes what deleted accounts and environments left behind.
///
/// Nobody can reach it any more: its incarnation is over. So it may take its time, and be killed
/// between any two of its transactions: the order stands in the store until nothing is left.
public final class Cleaner implements Agent {
  private static final int TOKENS_AT_A_TIME = 500;
  private static final int ACCOUNT = 1;
  private static final int ENVIRONMENT = 2;

  /// The kinds of records that lie under a scope and are removed as whole ranges.
  private static final List<Space> SCOPED = List.of(Space.AUDIT, Space.ENVIRONMENT);

  private final Store store;

  public Cleaner(Store store) {
    this.store = store;
  }

  /// Has an incarnation of an account removed.
  static void order(Transaction transaction, Scope.Tenant account, long incarnation) {
    transaction.put(order(account.tenant()).unsigned(incarnation).toKey(), new byte[0]);
  }

  /// Has an incarnation of an environment removed.
  static void order(
      Transaction transaction, Scope.TenantEnvironment environment, long incarnation) {
    transaction.put(
        environmentOrders()
            .string(environment.tenant())
            .string(environment.environment())
            .unsigned(incarnation)
            .toKey(),
        new byte[0]);
  }

  /// Whether an account of this name is being removed.
  static boolean isCleaning(Reader reader, String account) {
    KeyRange orders = KeyRange.prefix(order(account).toKey());
    try (Cursor cursor = reader.scan(orders, Direction.FORWARD)) {
      return cursor.next();
    }
  }

  /// Does one step of the first order.
  ///
  /// @return whether there was one
  @Override
  public boolean runOnce() {
    return store
        .transact(
            transaction -> {
              Optional<byte[]> order = first(transaction);
              order.ifPresent(key -> step(transaction, key));
              return order.isPresent();
            })
        .result();
  }

  /// Does all that there is to do.
  public boolean runAll() {
    boolean any = runOnce();
    while (any && runOnce()) {}
    return any;
  }

  private static Optional<byte[]> first(Reader reader) {
    KeyRange orders = KeyRange.prefix(new KeyWriter().octet(Space.CLEANUP.code()).toKey());
    try (Cursor cursor = reader.scan(orders, Direction.FORWARD)) {
      return cursor.next() ? Optional.of(cursor.key()) : Optional.empty();
    }
  }

  private static void step(Transaction transaction, byte[] order) {
    KeyReader reader = new KeyReader(order, 1);
    boolean whole = reader.octet() == ACCOUNT;
    String account = reader.string();
    Optional<String> environment = whole ? Optional.empty() : Optional.of(reader.string());
    long incarnation = reader.unsigned();
    for (byte[] prefix : prefixes(transaction, Space.TOKEN, account, environment, incarnation)) {
      if (Tokens.removeSome(transaction, prefix, TOKENS_AT_A_TIME)) {
        return; // There may be more of them: the next step goes on.
      }
    }
    for (Space space : SCOPED) {
      prefixes(transaction, space, account, environment, incarnation)
          .forEach(prefix -> transaction.deleteRange(KeyRange.prefix(prefix)));
    }
    if (whole) {
      transaction.deleteRange(
          KeyRange.prefix(StoredIncarnations.environmentPrefix(account, incarnation)));
    }
    transaction.delete(order);
  }

  private static List<byte[]> prefixes(
      Reader reader, Space space, String account, Optional<String> environment, long incarnation) {
    return environment
        .map(
            name ->
                List.of(
                    new KeyWriter()
                        .scope(
                            space.code(), new Scope.TenantEnvironment(account, name), incarnation)
                        .toKey()))
        .orElseGet(() -> prefixes(reader, space, account, incarnation));
  }

  /// The beginnings of all keys of a kind under an incarnation of an account and its environments.
  private static List<byte[]> prefixes(
      Reader reader, Space space, String account, long incarnation) {
    List<byte[]> prefixes = new ArrayList<>();
    Scope tenant = new Scope.Tenant(account);
    prefixes.add(new KeyWriter().scope(space.code(), tenant, incarnation).toKey());
    // From the first environment that could be, hop from one that is there to the next.
    byte[] from =
        new KeyWriter().scope(space.code(), new Scope.TenantEnvironment(account, "\0"), 0).toKey();
    Optional<KeyReader.ScopePrefix> found = firstScope(reader, space, from);
    while (found.isPresent()
        && found.get().scope() instanceof Scope.TenantEnvironment(String tenantOf, _)
        && tenantOf.equals(account)) {
      KeyReader.ScopePrefix there = found.get();
      byte[] prefix =
          new KeyWriter().scope(space.code(), there.scope(), there.incarnation()).toKey();
      if (StoredIncarnations.isOf(there.incarnation(), incarnation)) {
        prefixes.add(prefix);
      }
      found = firstScope(reader, space, KeyRange.prefix(prefix).to().orElseThrow());
    }
    return prefixes;
  }

  private static Optional<KeyReader.ScopePrefix> firstScope(
      Reader reader, Space space, byte[] from) {
    Optional<byte[]> end = KeyRange.prefix(new KeyWriter().octet(space.code()).toKey()).to();
    try (Cursor cursor = reader.scan(new KeyRange(from, end), Direction.FORWARD)) {
      return cursor.next() ? Optional.of(new KeyReader(cursor.key()).scope()) : Optional.empty();
    }
  }

  private static KeyWriter order(String account) {
    return new KeyWriter().octet(Space.CLEANUP.code()).octet(ACCOUNT).string(account);
  }

  private static KeyWriter environmentOrders() {
    return new KeyWriter().octet(Space.CLEANUP.code()).octet(ENVIRONMENT);
  }
}
