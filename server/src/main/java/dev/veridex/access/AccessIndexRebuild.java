package dev.veridex.access;

import dev.veridex.access.ledger.AccessIndexDerivation;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.AccessIndexWriter;
import dev.veridex.access.ledger.AccessKeys;
import dev.veridex.access.ledger.AccessRecordCodec;
import dev.veridex.access.ledger.FlowState;
import dev.veridex.access.ledger.GrantChange;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.GrantedRightWriter;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.access.ledger.StoredRecords;
import dev.veridex.access.ledger.TransactionRecords;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Token;
import dev.veridex.jobs.HeldJob;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.JobKind;
import dev.veridex.jobs.Jobs;
import dev.veridex.records.Incarnations;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.AdminChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// The derivation of an index anew from its ledger and from the grants of its scope, as a job.
///
/// The new records are written beside those in use, under the next generation, and taken into use
/// in one transaction at the end. Until then nobody sees them, so it may be killed at any step:
/// then it begins anew, and first removes what it left. Readers are never kept waiting; who states
/// something in the same scope is, and who grants something for moments.
public final class AccessIndexRebuild implements JobKind {
  private static final String NAME = "access.rebuild";
  private static final int RECORDS_AT_A_TIME = 10_000;
  private static final int GRANTS_AT_A_TIME = 1000;

  private final Store store;
  private final AccessIndexLocator indexes;
  private final AdminChanges administration;
  private final Incarnations incarnations;
  private final ScopeLocks statements;
  private final ScopeLocks locks;
  private final CompiledIndexes compiled;
  private final ChangeSignals signals;
  private final GrantSource grants;
  private final Jobs jobs;
  private final AuditLog audit;

  /// @param statements held all the time
  /// @param locks held for single commits
  /// @param signals tell of what grants give that was missing
  /// @param grants from which is derived what they give
  public AccessIndexRebuild(
      Store store,
      AccessIndexLocator indexes,
      AdminChanges administration,
      Incarnations incarnations,
      ScopeLocks statements,
      ScopeLocks locks,
      CompiledIndexes compiled,
      ChangeSignals signals,
      GrantSource grants,
      Jobs jobs,
      AuditLog audit) {
    this.store = store;
    this.indexes = indexes;
    this.administration = administration;
    this.incarnations = incarnations;
    this.statements = statements;
    this.locks = locks;
    this.signals = signals;
    this.compiled = compiled;
    this.grants = grants;
    this.jobs = jobs;
    this.audit = audit;
  }

  /// Starts a rebuild of the index of a namespace.
  ///
  /// @throws VeridexException `CONFLICT` if this index is being rebuilt
  public Job start(Token caller, Namespace namespace) {
    return store
        .transact(
            transaction -> {
              VeridexException.throwIf(administration.missing(transaction, namespace));
              Job job =
                  jobs.start(
                      transaction,
                      caller,
                      new Jobs.JobStart(
                          NAME, namespace.scope(), JsonRecord.object(), Optional.empty()));
              audit.append(
                  transaction,
                  AuditEntry.of(
                      transaction.now(), caller, NAME, namespace.scope(), List.of(job.id())));
              return job;
            })
        .result();
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void work(HeldJob held) {
    Scope scope = held.found().scope();
    boolean _ = statements.alone(scope, () -> new Run(held, Namespace.of(scope)).run());
  }

  private final class Run {
    private final HeldJob held;
    private final Namespace namespace;
    private final Scope scope;
    private final List<PendingWrite> pending = new ArrayList<>();
    private long incarnation;
    private long generation;
    private long individuals;
    private long written;

    private record PendingWrite(RecordKind kind, byte[] key, byte[] value) {}

    Run(HeldJob held, Namespace namespace) {
      this.held = held;
      this.namespace = namespace;
      this.scope = namespace.scope();
    }

    boolean run() {
      FlowState flow =
          locks.alone(
              scope,
              () -> {
                begin();
                grants();
                return flow();
              });
      try (Snapshot snapshot = store.snapshot()) {
        AccessIndexDerivation.fromLedger(
            new StoredRecords(snapshot, scope, incarnation, generation),
            this::write,
            (_, _) -> individuals++);
      }
      flush();
      try (Snapshot snapshot = store.snapshot()) {
        AccessIndexDerivation.fromContributions(
            new StoredRecords(snapshot, scope, incarnation, generation), this::write);
      }
      flush();
      return locks.alone(scope, () -> finish(flow));
    }

    /// Makes room for the next generation.
    private void begin() {
      held.commit(
          (transaction, job, _) -> {
            VeridexException.throwIf(administration.missing(transaction, namespace));
            if (incarnations.of(transaction, scope) != job.origin().incarnation()) {
              throw gone();
            }
            // Where nothing was written, there is something to derive from then.
            AccessIndexWriter _ = indexes.write(transaction, scope);
            incarnation = job.origin().incarnation();
            generation =
                AccessIndexLocator.generation(transaction, scope, incarnation).orElseThrow() + 1;
            remove(transaction, generation);
            return step(false);
          });
    }

    private FlowState flow() {
      try (Snapshot snapshot = store.snapshot()) {
        return indexes.read(snapshot, scope).flow();
      }
    }

    /// Makes what grants give in the index what the grants say.
    private void grants() {
      List<GrantChange> changes = new ArrayList<>();
      try (Snapshot snapshot = store.snapshot()) {
        AccessIndexReader index = indexes.read(snapshot, scope);
        grants.each(
            snapshot,
            scope,
            grant -> {
              if (!index.hasGrant(grant)) {
                change(changes, new GrantChange(GrantChange.Kind.GRANTED, grant));
              }
            });
        Predicate<GrantedRight> surplus =
            grant -> {
              if (grant.isLive(snapshot.now()) && !grants.gives(snapshot, scope, grant)) {
                change(changes, new GrantChange(GrantChange.Kind.REVOKED, grant));
              }
              return true;
            };
        index.eachGrant(surplus);
        index.eachGrantOnlyBySubject(surplus);
      }
      if (!changes.isEmpty()) {
        write(changes);
      }
    }

    private void change(List<GrantChange> changes, GrantChange change) {
      changes.add(change);
      if (changes.size() == GRANTS_AT_A_TIME) {
        write(changes);
      }
    }

    private void write(List<GrantChange> changes) {
      written += changes.size();
      held.commit(
          (transaction, _, _) -> {
            check(transaction);
            GrantedRightWriter writer = indexes.writeGrants(transaction, scope);
            changes.forEach(writer::apply);
            Optional<RecordChanges> _ = writer.finish(indexes.version(transaction, scope));
            return step(false);
          });
      compiled.forget(scope);
      signals.changed(scope);
      changes.clear();
    }

    private static VeridexException gone() {
      return new VeridexException(
          Problem.of(ErrorCode.GONE, "What this was begun in was deleted meanwhile."));
    }

    private Step step(boolean isLast) {
      return Step.of(
          new Job.Work(
              written,
              Optional.empty(),
              JsonRecord.object(),
              JsonRecord.object().put("individuals", individuals).put("records", written)),
          isLast);
    }

    /// The index is still the one that the rebuild began with.
    private void check(Transaction transaction) {
      VeridexException.throwIf(administration.missing(transaction, namespace));
      if (incarnations.of(transaction, scope) != incarnation) {
        throw gone();
      }
    }

    private void remove(Transaction transaction, long old) {
      StoredRecords records = new StoredRecords(transaction, scope, incarnation, old);
      StoredRecords.DERIVED.forEach(
          kind -> transaction.deleteRange(KeyRange.prefix(records.prefix(kind))));
    }

    private void write(RecordKind kind, byte[] key, byte[] value) {
      pending.add(new PendingWrite(kind, key, value));
      if (pending.size() == RECORDS_AT_A_TIME) {
        flush();
      }
    }

    private void flush() {
      written += pending.size();
      held.commit(
          (transaction, _, _) -> {
            // Where the scope is gone, nobody would ever remove what is written.
            check(transaction);
            TransactionRecords records =
                indexes.changes(transaction, scope, incarnation, generation);
            pending.forEach(each -> records.put(each.kind, each.key, each.value));
            return step(false);
          });
      pending.clear();
    }

    private boolean finish(FlowState begun) {
      held.commit(
          (transaction, _, _) -> {
            check(transaction);
            Optional<Long> used = AccessIndexLocator.generation(transaction, scope, incarnation);
            FlowState flow =
                new AccessIndexReader(
                        new StoredRecords(transaction, scope, incarnation, generation))
                    .flow();
            boolean same =
                used.filter(number -> number == generation - 1).isPresent()
                    && flow.hasSameMessages(begun);
            if (!same) {
              throw new VeridexException(
                  Problem.of(ErrorCode.CONFLICT, "The index was changed while it was rebuilt."));
            }
            AccessIndexLocator.use(transaction, scope, incarnation, generation);
            if (flow.changes() > 0) {
              // Whoever has the index in memory sees that it may be another one.
              indexes
                  .changes(transaction, scope, incarnation, generation)
                  .put(
                      RecordKind.ACCESS_FLOW,
                      AccessKeys.ONE,
                      AccessRecordCodec.encode(flow.changed()));
            }
            remove(transaction, generation - 1);
            return step(true);
          });
      compiled.forget(scope);
      return true;
    }
  }
}
