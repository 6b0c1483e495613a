package dev.veridex.store.rocks;

import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.ReadSet;
import dev.veridex.store.optimistic.WriteSet;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A transaction that waits for its commit.
final class PendingCommit {
  private sealed interface Outcome {
    record Done(long sequence) implements Outcome {}

    record Conflict() implements Outcome {}

    record Failed(StoreException cause) implements Outcome {}
  }

  private final long readSequence;
  private final ReadSet reads;
  private final WriteSet writes;
  private final int attempt;
  private final byte[] logRecord;
  private final Thread waiter = Thread.currentThread();
  private volatile @Nullable Outcome outcome;

  PendingCommit(long readSequence, ReadSet reads, WriteSet writes, int attempt) {
    this.readSequence = readSequence;
    this.reads = reads;
    this.writes = writes;
    this.attempt = attempt;
    this.logRecord = CommitRecord.encode(writes);
  }

  long readSequence() {
    return readSequence;
  }

  ReadSet reads() {
    return reads;
  }

  WriteSet writes() {
    return writes;
  }

  int attempt() {
    return attempt;
  }

  byte[] logRecord() {
    return logRecord;
  }

  void done(long sequence) {
    finish(new Outcome.Done(sequence));
  }

  void conflict() {
    finish(new Outcome.Conflict());
  }

  void failed(StoreException cause) {
    finish(new Outcome.Failed(cause));
  }

  /// Waits for the committer's word. An interrupt does not end the wait, for the commit goes on
  /// whether anybody waits or not; it is passed on afterwards.
  OptionalLong await() {
    boolean interrupted = false;
    Outcome result = outcome;
    while (result == null) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
      result = outcome;
    }
    if (interrupted) {
      waiter.interrupt();
    }
    return switch (result) {
      case Outcome.Done(long sequence) -> OptionalLong.of(sequence);
      case Outcome.Conflict() -> OptionalLong.empty();
      case Outcome.Failed(StoreException cause) -> throw new StoreException(cause.problem(), cause);
    };
  }

  /// The first word counts; only the committer speaks.
  private void finish(Outcome result) {
    if (outcome == null) {
      outcome = result;
      LockSupport.unpark(waiter);
    }
  }
}
