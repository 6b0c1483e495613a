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

/// Removes what deleted accounts left behind.
///
/// Nobody can reach it any more: its incarnation is over. So it may take its time, and be killed
/// between any two of its transactions: the order stands in the store until nothing is left.
public final class Cleaner implements Agent {
  private static final int TOKENS_AT_A_TIME = 500;

  /// The kinds of records that lie under a scope and are removed as whole ranges.
  private static final List<Space> SCOPED = List.of(Space.AUDIT);

  private final Store store;

  public Cleaner(Store store) {
    this.store = store;
  }

  /// Has an incarnation of an account removed.
  static void order(Transaction transaction, Scope.Tenant account, long incarnation) {
    transaction.put(key(account.tenant(), incarnation), new byte[0]);
  }

  /// Whether an account of this name is being removed.
  static boolean isCleaning(Reader reader, String account) {
    KeyRange orders =
        KeyRange.prefix(new KeyWriter().octet(Space.CLEANUP.code()).string(account).toKey());
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
    String account = reader.string();
    long incarnation = reader.unsigned();
    for (byte[] prefix : prefixes(transaction, Space.TOKEN, account, incarnation)) {
      if (Tokens.removeSome(transaction, prefix, TOKENS_AT_A_TIME)) {
        return; // There may be more of them: the next step goes on.
      }
    }
    for (Space space : SCOPED) {
      prefixes(transaction, space, account, incarnation)
          .forEach(prefix -> transaction.deleteRange(KeyRange.prefix(prefix)));
    }
    transaction.deleteRange(
        KeyRange.prefix(StoredIncarnations.environmentPrefix(account, incarnation)));
    transaction.delete(order);
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

  private static byte[] key(String account, long incarnation) {
    return new KeyWriter()
        .octet(Space.CLEANUP.code())
        .string(account)
        .unsigned(incarnation)
        .toKey();
  }
}
