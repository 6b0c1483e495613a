package dev.veridex.store.optimistic;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Store.Work;
import dev.veridex.store.StoreException;
import java.time.InstantSource;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Runs a transaction's work until it commits.
///
/// There is no pause between attempts: whoever was refused was refused because another committed,
/// so the store as a whole goes forward, and those refused most often are served first.
public final class TransactionRunner {
  /// How often one transaction is run before its caller is told of the conflict.
  static final int MAX_ATTEMPTS = 1000;

  private final Engine engine;
  private final InstantSource clock;
  private final long storeId;

  public TransactionRunner(Engine engine, InstantSource clock, long storeId) {
    this.engine = engine;
    this.clock = clock;
    this.storeId = storeId;
  }

  public <T extends @Nullable Object> CommitResult<T> transact(Work<T> work) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      CommitResult<T> committed = attempt(work, attempt);
      if (committed != null) {
        return committed;
      }
    }
    throw new StoreException(
        Problem.of(ErrorCode.CONFLICT, "other transactions kept changing what this one read")
            .with("attempts", MAX_ATTEMPTS));
  }

  private <T extends @Nullable Object> @Nullable CommitResult<T> attempt(
      Work<T> work, int attempt) {
    View view = engine.begin();
    try {
      OptimisticTransaction transaction =
          new OptimisticTransaction(view, storeId, clock.instant(), attempt);
      T result;
      try {
        result = work.run(transaction);
      } finally {
        transaction.finish();
      }
      WriteSet writes = transaction.writes();
      if (writes.isEmpty()) {
        if (attempt == 0 && transaction.reads().needCommit()) {
          // Nothing is committed that would show whether it was true: look this time.
          return null;
        }
        return new CommitResult<>(result, transaction.revision());
      }
      OptionalLong sequence = engine.commit(view, transaction.reads(), writes, attempt);
      if (sequence.isEmpty()) {
        return null;
      }
      writes.appends().forEach(append -> append.handle().committed(sequence.getAsLong()));
      return new CommitResult<>(result, new Revision(storeId, sequence.getAsLong()));
    } finally {
      engine.end(view);
    }
  }
}
