package dev.veridex.tenancy;

import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.identity.Tokens;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.JobKind;
import dev.veridex.jobs.Jobs;
import dev.veridex.quota.UsageCounters;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/// Removal of what deleted accounts, environments and buckets left behind, as jobs.
///
/// Nobody can reach it any more: its incarnation is over. So it may take its time, and be killed
/// between any two of its transactions.
public final class DeletionCleaner {
  private static final String ACCOUNT = "account.cleanup";
  private static final String ENVIRONMENT = "environment.cleanup";
  private static final String BUCKET = "bucket.cleanup";
  private static final int RECORDS_AT_A_TIME = 500;
  private static final int SCOPES_AT_A_TIME = 50;

  private final IncarnationRecords incarnations;
  private final Jobs jobs;

  public DeletionCleaner(IncarnationRecords incarnations, Jobs jobs) {
    this.incarnations = incarnations;
    this.jobs = jobs;
  }

  /// The kinds of its jobs.
  public List<JobKind> kinds() {
    return List.of(
        new CleanupKind(ACCOUNT, this::cleanAccount),
        new CleanupKind(ENVIRONMENT, this::cleanEnvironment),
        new CleanupKind(BUCKET, this::cleanBucket));
  }

  /// A kind of clean-up.
  private record CleanupKind(String name, Cleanup cleanup) implements JobKind.Stepwise {
    @Override
    public Step step(Transaction transaction, Job job, int attempt) {
      return new Step(
          new Job.Work(
              job.work().done() + 1, Optional.empty(), job.work().position(), job.work().result()),
          cleanup.step(transaction, job));
    }
  }

  @FunctionalInterface
  private interface Cleanup {
    JobKind.Then step(Transaction transaction, Job job);
  }

  /// Has an incarnation of an account removed.
  ///
  /// @param by the id of the token that deleted it
  void order(Transaction transaction, Scope.Tenant account, long incarnation, String by) {
    order(transaction, ACCOUNT, account, incarnation, JsonRecord.object(), by);
  }

  /// Has an incarnation of an environment removed.
  void order(
      Transaction transaction, Scope.TenantEnvironment environment, long incarnation, String by) {
    order(transaction, ENVIRONMENT, environment, incarnation, JsonRecord.object(), by);
  }

  /// Has one side of a bucket removed: the records of its type.
  ///
  /// @param number of the side
  public void orderSide(
      Transaction transaction,
      Namespace namespace,
      long namespaceIncarnation,
      String bucket,
      long number,
      String by) {
    order(
        transaction,
        BUCKET,
        namespace.scope(),
        namespaceIncarnation,
        JsonRecord.object().put("bucket", bucket).put("side", number),
        by);
  }

  /// Has what a deleted bucket was counted for given back.
  public void orderUsage(
      Transaction transaction,
      Namespace namespace,
      long namespaceIncarnation,
      String bucket,
      long incarnation,
      String by) {
    order(
        transaction,
        BUCKET,
        namespace.scope(),
        namespaceIncarnation,
        JsonRecord.object().put("bucket", bucket).put("usage", incarnation),
        by);
  }

  private void order(
      Transaction transaction,
      String kind,
      Scope scope,
      long incarnation,
      ObjectNode request,
      String by) {
    jobs.order(
        transaction, new Jobs.JobStart(kind, scope, request, Optional.empty()), incarnation, by);
  }

  /// Whether an account of this name is being removed.
  static boolean isCleaning(Reader reader, String account) {
    return Jobs.isOpen(reader, Optional.of(new Scope.Tenant(account)), ACCOUNT);
  }

  /// Whether anything is being removed.
  public static boolean isBusy(Reader reader) {
    return Stream.of(ACCOUNT, ENVIRONMENT, BUCKET)
        .anyMatch(kind -> Jobs.isOpen(reader, Optional.empty(), kind));
  }

  private JobKind.Then cleanAccount(Transaction transaction, Job job) {
    String account = ((Scope.Tenant) job.scope()).tenant();
    return cleanScope(transaction, account, Optional.empty(), job.origin().incarnation())
        ? JobKind.Then.FORGET
        : JobKind.Then.GO_ON;
  }

  private JobKind.Then cleanEnvironment(Transaction transaction, Job job) {
    Scope.TenantEnvironment scope = (Scope.TenantEnvironment) job.scope();
    return cleanScope(
            transaction,
            scope.tenant(),
            Optional.of(scope.environment()),
            job.origin().incarnation())
        ? JobKind.Then.FORGET
        : JobKind.Then.GO_ON;
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
            transaction, prefix(RecordKind.TOKEN, scope, incarnation), RECORDS_AT_A_TIME)
        || Jobs.removeSome(transaction, scope, incarnation, RECORDS_AT_A_TIME)) {
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
    return kind == RecordKind.TOKEN
        || kind == RecordKind.JOB_BY_SCOPE
        || kind.under() != RecordKind.Under.NOTHING;
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

  private JobKind.Then cleanBucket(Transaction transaction, Job job) {
    Namespace namespace = Namespace.of(job.scope());
    long incarnation = job.origin().incarnation();
    String bucket = job.request().get("bucket").asString();
    if (job.request().has("side")) {
      long side = job.request().get("side").asLong();
      for (RecordKind kind : RecordKind.values()) {
        if (kind.under() == RecordKind.Under.BUCKET) {
          transaction.deleteRange(
              KeyRange.prefix(bucketPrefix(kind, namespace, incarnation, bucket, side)));
        }
      }
    } else if (incarnations.of(transaction, namespace.scope()) == incarnation) {
      // If the namespace itself is gone, so are the counters, and nobody is owed anything.
      long counted = job.request().get("usage").asLong();
      UsageCounters.release(
          transaction,
          namespace.accountScope(),
          incarnations.of(transaction, namespace.accountScope()),
          bucketPrefix(RecordKind.BUCKET_USAGE, namespace, incarnation, bucket, counted));
    }
    return JobKind.Then.DONE;
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
}
