package dev.veridex.access;

import dev.veridex.access.ledger.AccessIndexDerivation;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.AccessKeys;
import dev.veridex.access.ledger.AccessRecordCodec;
import dev.veridex.access.ledger.FlowState;
import dev.veridex.access.ledger.StoredRecords;
import dev.veridex.access.ledger.TransactionRecords;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Token;
import dev.veridex.records.Incarnations;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.AdminChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/// Derives an index anew from its ledger.
///
/// The new records are written beside those in use, under the next generation, and taken into use
/// in one transaction at the end. Until then nobody sees them, so it may be killed at any step;
/// what is left is removed by the next rebuild. Readers are never kept waiting, writers of the same
/// scope are.
public final class AccessIndexRebuild {
  private static final String REBUILD = "access.rebuild";
  private static final int RECORDS_AT_A_TIME = 10_000;
  private static final int MAX_WAITING = 16;
  private final Store store;
  private final AccessIndexLocator indexes;
  private final AdminChanges administration;
  private final Incarnations incarnations;
  private final AuditLog audit;
  private final ScopeLocks locks;
  private final CompiledIndexes compiled;
  private final Set<Scope> waiting = ConcurrentHashMap.newKeySet();

  public AccessIndexRebuild(
      Store store,
      AccessIndexLocator indexes,
      AdminChanges administration,
      Incarnations incarnations,
      AuditLog audit,
      ScopeLocks locks,
      CompiledIndexes compiled) {
    this.store = store;
    this.indexes = indexes;
    this.administration = administration;
    this.incarnations = incarnations;
    this.audit = audit;
    this.locks = locks;
    this.compiled = compiled;
  }

  /// The size of a rebuilt index.
  public record RebuildResult(long individuals, long records, Revision revision) {}

  /// Rebuilds the index of a namespace.
  ///
  /// @param progress hears now and then how many records were derived
  public RebuildResult run(Token caller, Namespace namespace, LongConsumer progress) {
    return locks.alone(namespace.scope(), () -> new Run(caller, namespace, progress).run());
  }

  /// Waits for its turn and rebuilds, as one of a few. The slot is given back however it ends.
  ///
  /// @param work waits for whoever runs rebuilds
  /// @throws VeridexException `CONFLICT` if this index is being rebuilt, `OVERLOADED` if many are
  public <T> T queued(Namespace namespace, Supplier<T> work) {
    VeridexException.throwIf(enter(namespace));
    try {
      return work.get();
    } finally {
      waiting.remove(namespace.scope());
    }
  }

  /// Refuses what [#queued] would refuse now, for those who can still say so with a status.
  public void check(Namespace namespace) {
    VeridexException.throwIf(refusal(namespace));
  }

  private synchronized Optional<Problem> enter(Namespace namespace) {
    Optional<Problem> refusal = refusal(namespace);
    if (refusal.isEmpty()) {
      waiting.add(namespace.scope());
    }
    return refusal;
  }

  private Optional<Problem> refusal(Namespace namespace) {
    if (waiting.contains(namespace.scope())) {
      return Optional.of(Problem.of(ErrorCode.CONFLICT, "this index is being rebuilt already"));
    }
    if (waiting.size() >= MAX_WAITING) {
      return Optional.of(Problem.of(ErrorCode.OVERLOADED, "many indexes are being rebuilt"));
    }
    return Optional.empty();
  }

  private final class Run {
    private final Token caller;
    private final Namespace namespace;
    private final Scope scope;
    private final LongConsumer progress;
    private final List<PendingWrite> pending = new ArrayList<>();
    private long incarnation;
    private long generation;
    private long individuals;
    private long written;

    private record PendingWrite(RecordKind kind, byte[] key, byte[] value) {}

    Run(Token caller, Namespace namespace, LongConsumer progress) {
      this.caller = caller;
      this.namespace = namespace;
      this.scope = namespace.scope();
      this.progress = progress;
    }

    RebuildResult run() {
      FlowState flow = begin();
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
      return finish(flow);
    }

    /// Makes room for the next generation.
    private FlowState begin() {
      return store
          .transact(
              transaction -> {
                VeridexException.throwIf(administration.missing(transaction, namespace));
                FlowState flow = indexes.write(transaction, scope).flow();
                incarnation = incarnations.of(transaction, scope);
                generation =
                    AccessIndexLocator.generation(transaction, scope, incarnation).orElseThrow()
                        + 1;
                remove(transaction, generation);
                return flow;
              })
          .result();
    }

    /// The index is still the one that the rebuild began with.
    private void check(Transaction transaction) {
      VeridexException.throwIf(administration.missing(transaction, namespace));
      if (incarnations.of(transaction, scope) != incarnation) {
        throw new VeridexException(Problem.of(ErrorCode.GONE, "what this began in was deleted"));
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
      store.transact(
          transaction -> {
            // Where the scope is gone, nobody would ever remove what is written.
            check(transaction);
            TransactionRecords records =
                indexes.changes(transaction, scope, incarnation, generation);
            pending.forEach(each -> records.put(each.kind, each.key, each.value));
            return true;
          });
      written += pending.size();
      pending.clear();
      progress.accept(written);
    }

    private RebuildResult finish(FlowState flow) {
      Revision revision =
          store
              .transact(
                  transaction -> {
                    check(transaction);
                    Optional<Long> used =
                        AccessIndexLocator.generation(transaction, scope, incarnation);
                    boolean same =
                        used.filter(number -> number == generation - 1).isPresent()
                            && new AccessIndexReader(
                                    new StoredRecords(transaction, scope, incarnation, generation))
                                .flow()
                                .equals(flow);
                    if (!same) {
                      throw new VeridexException(
                          Problem.of(
                              ErrorCode.CONFLICT, "the index was changed while it was rebuilt"));
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
                    audit.append(
                        transaction,
                        AuditEntry.of(transaction.now(), caller, REBUILD, scope, List.of()));
                    return true;
                  })
              .revision();
      compiled.forget(scope);
      return new RebuildResult(individuals, written, revision);
    }
  }
}
