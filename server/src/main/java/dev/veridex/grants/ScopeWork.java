package dev.veridex.grants;

import dev.veridex.access.GrantedRights;
import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Token;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.JobKind;
import dev.veridex.jobs.Jobs;
import dev.veridex.records.Incarnations;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Long work on the grants of scopes: deletion and migration, each a job.
///
/// What such a job is about is settled when it is started. Whoever gives a grant reads the mark of
/// its scope in the same transaction, and the start of a job writes it: so each grant was there
/// before the start, or it is written after it and knows so by its sequence.
public final class ScopeWork {
  private static final long MAX_COUNTED = 100_000;
  private static final int MAX_SCOPES = 10_000;

  private final Store store;
  private final Incarnations incarnations;
  private final GrantReader reader;
  private final AuditLog audit;
  private final Jobs jobs;
  private final GrantCommits commits;

  /// @param rights counts in decisions what is given, and no more what is deleted
  public ScopeWork(
      Store store,
      Incarnations incarnations,
      GrantReader reader,
      AuditLog audit,
      Jobs jobs,
      GrantedRights rights) {
    this.store = store;
    this.incarnations = incarnations;
    this.reader = reader;
    this.audit = audit;
    this.jobs = jobs;
    this.commits = new GrantCommits(store, new GrantRecords(incarnations), rights);
  }

  /// The kinds of its jobs.
  public List<JobKind> kinds() {
    return List.of(
        new ScopeDeletion(commits, reader, audit),
        new ScopeMigration(incarnations, commits, reader, audit));
  }

  /// The key of the mark that the start of a job writes.
  static byte[] mark(Reader reader, Incarnations incarnations, Scope scope) {
    return new KeyWriter()
        .scope(RecordKind.GRANT_MARK.code(), scope, incarnations.of(reader, scope))
        .toKey();
  }

  /// Deletes the grants of a scope that are there now.
  public CommitResult<Job> delete(Token caller, GrantScopes scopes) {
    requireReach(caller, scopes);
    return start(
        caller,
        ScopeDeletion.NAME,
        scopes,
        scopes.scope(),
        _ -> JsonRecord.object(),
        total(kind -> GrantSelection.all(kind, scopes)));
  }

  /// Moves the grants that were written without a scope into one.
  public CommitResult<Job> migrate(Token caller, Scope target) {
    if (!caller.administers(new Scope.Global())) {
      throw new RefusedException(
          Problem.of(ErrorCode.FORBIDDEN, "A migration takes a Global administrator."));
    }
    if (target instanceof Scope.Global) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "What was written without a scope is in global already: name another scope.")
              .with("parameter", "scope"));
    }
    GrantScopes global = GrantScopes.exactly(new Scope.Global());
    return start(
        caller,
        ScopeMigration.NAME,
        global,
        new Scope.Global(),
        transaction ->
            JsonRecord.object()
                .put("target", target.text())
                .put("incarnation", incarnations.of(transaction, target)),
        total(kind -> GrantSelection.all(kind, global).withExpired()));
  }

  /// The number of grants of both kinds; absent if there are so many that counting takes long.
  private Optional<Long> total(Function<GrantKind, GrantSelection> selection) {
    try (Snapshot snapshot = store.snapshot()) {
      long total = 0;
      for (GrantKind kind : GrantKind.values()) {
        Optional<Long> count = reader.count(snapshot, selection.apply(kind), MAX_COUNTED);
        if (count.isEmpty()) {
          return Optional.empty();
        }
        total += count.get();
      }
      return Optional.of(total);
    }
  }

  private CommitResult<Job> start(
      Token caller,
      String kind,
      GrantScopes scopes,
      Scope owner,
      Function<Transaction, ObjectNode> request,
      Optional<Long> total) {
    return store.transact(
        transaction -> {
          List<Scope> all =
              scopes.with(
                  transaction,
                  incarnations,
                  List.of(GrantKind.APPROVAL.records(), GrantKind.RELATIONSHIP.records()));
          requireFew(all);
          ObjectNode wanted = request.apply(transaction);
          ArrayNode names = wanted.putArray("scopes");
          for (Scope each : all) {
            names.add(each.text());
            transaction.put(mark(transaction, incarnations, each), new byte[0]);
          }
          wanted.put("sequence", transaction.revision().sequence());
          Job job = jobs.start(transaction, caller, new Jobs.JobStart(kind, owner, wanted, total));
          Set<Scope> touched = new LinkedHashSet<>(List.of(owner));
          touched.addAll(all);
          for (Scope each : touched) {
            audit.append(
                transaction,
                AuditEntry.of(transaction.now(), caller, kind, each, List.of(job.id())));
          }
          return job;
        });
  }

  private static void requireFew(List<Scope> scopes) {
    if (scopes.size() > MAX_SCOPES) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.TOO_LARGE,
                  "More scopes are concerned than one job may be about: name smaller ones.")
              .with("max", MAX_SCOPES)
              .with("given", scopes.size()));
    }
  }

  private static void requireReach(Token caller, GrantScopes scopes) {
    boolean below =
        scopes.descendants() && caller.scope() instanceof Scope.Custom && !caller.descendants();
    if (below || !caller.administers(scopes.scope())) {
      throw new RefusedException(
          Problem.of(
              below ? ErrorCode.SCOPE_DENIED : ErrorCode.FORBIDDEN,
              "Deleting the grants of a scope takes an administrator who reaches all of it."));
    }
  }

  /// Notes in the audit log how a job ended.
  static void note(
      Transaction transaction, AuditLog audit, Job job, Scope scope, ObjectNode result) {
    audit.append(
        transaction,
        AuditEntry.of(
                transaction.now(),
                job.origin().startedBy(),
                Optional.empty(),
                job.kind() + ".done",
                scope,
                List.of(job.id()))
            .withReason(Optional.of(result.toString())));
  }
}
