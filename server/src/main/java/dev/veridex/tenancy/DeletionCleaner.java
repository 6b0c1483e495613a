package dev.veridex.tenancy;

import dev.veridex.common.Agent;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.identity.Tokens;
import dev.veridex.quota.UsageCounters;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.util.Optional;

/// Removes what deleted accounts, environments and buckets left behind.
///
/// Nobody can reach it any more: its incarnation is over. So it may take its time, and be killed
/// between any two of its transactions: the order stands in the store until nothing is left.
public final class DeletionCleaner implements Agent {
  private static final int TOKENS_AT_A_TIME = 500;
  private static final int SCOPES_AT_A_TIME = 50;
  private static final int ACCOUNT = 1;
  private static final int ENVIRONMENT = 2;
  private static final int BUCKET = 3;
  private static final int SIDE = 1;
  private static final int USAGE = 2;

  private final Store store;
  private final IncarnationRecords incarnations;
  private byte[] last = new byte[0];

  public DeletionCleaner(Store store, IncarnationRecords incarnations) {
    this.store = store;
    this.incarnations = incarnations;
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

  /// Has one side of a bucket removed: the records of its type.
  ///
  /// @param number of the side
  public static void orderSide(
      Transaction transaction,
      Namespace namespace,
      long namespaceIncarnation,
      String bucket,
      long number) {
    transaction.put(
        bucketOrder(namespace, namespaceIncarnation, bucket).octet(SIDE).unsigned(number).toKey(),
        new byte[0]);
  }

  /// Has what a deleted bucket was counted for given back.
  public static void orderUsage(
      Transaction transaction,
      Namespace namespace,
      long namespaceIncarnation,
      String bucket,
      long incarnation) {
    transaction.put(
        bucketOrder(namespace, namespaceIncarnation, bucket)
            .octet(USAGE)
            .unsigned(incarnation)
            .toKey(),
        new byte[0]);
  }

  private static KeyWriter bucketOrder(
      Namespace namespace, long namespaceIncarnation, String bucket) {
    return new KeyWriter()
        .octet(RecordKind.CLEANUP.code())
        .octet(BUCKET)
        .string(namespace.account())
        .string(namespace.environment().orElse(""))
        .unsigned(namespaceIncarnation)
        .string(bucket);
  }

  /// Whether an account of this name is being removed.
  static boolean isCleaning(Reader reader, String account) {
    KeyRange orders = KeyRange.prefix(order(account).toKey());
    try (Cursor cursor = reader.scan(orders, Direction.FORWARD)) {
      return cursor.next();
    }
  }

  /// Whether anything is being removed.
  public static boolean isBusy(Reader reader) {
    return next(reader, new byte[0]).isPresent();
  }

  /// Does one step of the order after the one before.
  ///
  /// @return whether there was one
  @Override
  public boolean runOnce() {
    return store
        .transact(
            transaction -> {
              Optional<byte[]> order = next(transaction, last);
              order.ifPresent(
                  key -> {
                    // Before it is tried: one that fails does not keep the others waiting.
                    last = key;
                    step(transaction, key);
                  });
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

  /// The first order after one, or the very first.
  private static Optional<byte[]> next(Reader reader, byte[] last) {
    KeyRange orders = KeyRange.prefix(new KeyWriter().octet(RecordKind.CLEANUP.code()).toKey());
    KeyRange after = new KeyRange(KeyRange.successor(last), orders.to());
    return (last.length == 0 ? Optional.<byte[]>empty() : first(reader, after))
        .or(() -> first(reader, orders));
  }

  private static Optional<byte[]> first(Reader reader, KeyRange range) {
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      return cursor.next() ? Optional.of(cursor.key()) : Optional.empty();
    }
  }

  private void step(Transaction transaction, byte[] order) {
    KeyReader reader = new KeyReader(order, 1);
    int kind = reader.octet();
    boolean done =
        switch (kind) {
          case ACCOUNT ->
              cleanScope(transaction, reader.string(), Optional.empty(), reader.unsigned());
          case ENVIRONMENT ->
              cleanScope(
                  transaction, reader.string(), Optional.of(reader.string()), reader.unsigned());
          default -> {
            cleanBucket(transaction, reader);
            yield true;
          }
        };
    if (done) {
      transaction.delete(order);
    }
  }

  /// Cleans an environment, or some of an account: first its environments, a few at a time, for
  /// there may be any number of them.
  ///
  /// @return whether nothing is left
  private boolean cleanScope(
      Transaction transaction, String account, Optional<String> environment, long incarnation) {
    if (environment.isPresent()) {
      Scope scope = new Scope.TenantEnvironment(account, environment.get());
      giveBack(transaction, account, environment.get(), incarnation);
      return clean(transaction, scope, incarnation);
    }
    for (RecordKind kind : RecordKind.values()) {
      if (isCleaned(kind) && cleanedSome(transaction, kind, account, incarnation)) {
        return false; // There may be more: the next step goes on.
      }
    }
    if (!clean(transaction, new Scope.Tenant(account), incarnation)) {
      return false;
    }
    transaction.deleteRange(
        KeyRange.prefix(IncarnationRecords.environmentPrefix(account, incarnation)));
    return true;
  }

  /// Cleans some environments in which there is a record of a kind.
  ///
  /// Each time from after the one before: a transaction that looks for what it has just deleted
  /// itself passes every record of it, and there may be millions.
  ///
  /// @return whether there was one
  private static boolean cleanedSome(
      Transaction transaction, RecordKind kind, String account, long incarnation) {
    byte[] from =
        new KeyWriter().scope(kind.code(), new Scope.TenantEnvironment(account, "\0"), 0).toKey();
    for (int cleaned = 0; cleaned < SCOPES_AT_A_TIME; cleaned++) {
      Optional<KeyReader.ScopePrefix> found =
          nextEnvironment(transaction, kind, account, incarnation, from);
      if (found.isEmpty()) {
        return cleaned > 0;
      }
      KeyReader.ScopePrefix scope = found.get();
      if (!clean(transaction, scope.scope(), scope.incarnation())) {
        return true;
      }
      byte[] prefix = prefix(kind, scope.scope(), scope.incarnation());
      from = KeyRange.prefix(prefix).to().orElseThrow();
    }
    return true;
  }

  /// Removes everything under one scope.
  ///
  /// @return whether nothing is left
  private static boolean clean(Transaction transaction, Scope scope, long incarnation) {
    if (Tokens.removeSome(
        transaction, prefix(RecordKind.TOKEN, scope, incarnation), TOKENS_AT_A_TIME)) {
      return false;
    }
    for (RecordKind kind : RecordKind.values()) {
      if (kind.under() != RecordKind.Under.NOTHING) {
        transaction.deleteRange(KeyRange.prefix(prefix(kind, scope, incarnation)));
      }
    }
    return true;
  }

  private static boolean isCleaned(RecordKind kind) {
    return kind == RecordKind.TOKEN || kind.under() != RecordKind.Under.NOTHING;
  }

  /// The account of a deleted environment no longer holds what that held, if it is still there.
  private void giveBack(
      Transaction transaction, String account, String environment, long incarnation) {
    Scope.Tenant tenant = new Scope.Tenant(account);
    long ofAccount = incarnations.of(transaction, tenant);
    if (IncarnationRecords.isOf(incarnation, ofAccount)) {
      Scope scope = new Scope.TenantEnvironment(account, environment);
      UsageCounters.release(
          transaction,
          tenant,
          ofAccount,
          new KeyWriter().scope(RecordKind.BUCKET_USAGE.code(), scope, incarnation).toKey());
    }
  }

  private void cleanBucket(Transaction transaction, KeyReader order) {
    String account = order.string();
    Optional<String> environment = Optional.of(order.string()).filter(name -> !name.isEmpty());
    Namespace namespace = new Namespace(account, environment);
    long incarnation = order.unsigned();
    String bucket = order.string();
    boolean side = order.octet() == SIDE;
    long number = order.unsigned();
    for (RecordKind kind : RecordKind.values()) {
      if (side && kind.under() == RecordKind.Under.BUCKET) {
        transaction.deleteRange(
            KeyRange.prefix(bucketPrefix(kind, namespace, incarnation, bucket, number)));
      }
    }
    // If the namespace itself is gone, so are the counters, and nobody is owed anything.
    if (!side && incarnations.of(transaction, namespace.scope()) == incarnation) {
      UsageCounters.release(
          transaction,
          namespace.accountScope(),
          incarnations.of(transaction, namespace.accountScope()),
          bucketPrefix(RecordKind.BUCKET_USAGE, namespace, incarnation, bucket, number));
    }
  }

  private static byte[] bucketPrefix(
      RecordKind kind, Namespace namespace, long incarnation, String bucket, long number) {
    return new KeyWriter()
        .scope(kind.code(), namespace.scope(), incarnation)
        .string(bucket)
        .unsigned(number)
        .toKey();
  }

  private static byte[] prefix(RecordKind kind, Scope scope, long incarnation) {
    return new KeyWriter().scope(kind.code(), scope, incarnation).toKey();
  }

  /// The first environment of an incarnation of an account in which there is a record of a kind.
  /// Counters have records beside them: of the buckets that they count.
  private static Optional<KeyReader.ScopePrefix> nextEnvironment(
      Reader reader, RecordKind kind, String account, long incarnation, byte[] from) {
    Optional<KeyReader.ScopePrefix> next = firstScope(reader, kind, from);
    while (next.isPresent()
        && next.get().scope() instanceof Scope.TenantEnvironment(String tenantOf, _)
        && tenantOf.equals(account)) {
      KeyReader.ScopePrefix there = next.get();
      if (IncarnationRecords.isOf(there.incarnation(), incarnation)) {
        return next;
      }
      byte[] prefix = prefix(kind, there.scope(), there.incarnation());
      next = firstScope(reader, kind, KeyRange.prefix(prefix).to().orElseThrow());
    }
    return Optional.empty();
  }

  private static Optional<KeyReader.ScopePrefix> firstScope(
      Reader reader, RecordKind kind, byte[] from) {
    Optional<byte[]> end = KeyRange.prefix(new KeyWriter().octet(kind.code()).toKey()).to();
    try (Cursor cursor = reader.scan(new KeyRange(from, end), Direction.FORWARD)) {
      return cursor.next() ? Optional.of(new KeyReader(cursor.key()).scope()) : Optional.empty();
    }
  }

  private static KeyWriter order(String account) {
    return new KeyWriter().octet(RecordKind.CLEANUP.code()).octet(ACCOUNT).string(account);
  }

  private static KeyWriter environmentOrders() {
    return new KeyWriter().octet(RecordKind.CLEANUP.code()).octet(ENVIRONMENT);
  }
}
