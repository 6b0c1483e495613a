package dev.veridex.jobs;

import dev.veridex.common.Problem;
import dev.veridex.jobs.Job.Lease;
import dev.veridex.jobs.Job.State;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/// A job in the hands of a worker.
///
/// The first step takes the job, with a number that no other worker has for it; each further one
/// commits only if the job still has that number. A worker that slept in the middle of its work and
/// wakes up after another one has taken over can do nothing more.
public final class HeldJob {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final long NOT_YET = -1;

  private final Store store;
  private final Job found;
  private final String id;
  private final Worker worker;
  private final BooleanSupplier stopping;
  private long fence = NOT_YET;

  /// A worker, as a process and one of its threads.
  ///
  /// @param process the id of the process, which no other ever has
  /// @param alone whether no other process can have the store open: what says that one holds a job
  ///   was left by one that has ended
  record Worker(String process, String thread, boolean alone) {
    String holder() {
      return process + "/" + thread;
    }

    /// Whether it may take a job.
    boolean mayTake(Job job, Instant now) {
      return switch (job.state()) {
        case QUEUED -> true;
        case RUNNING ->
            !job.lease().isHeld(now)
                || job.lease().holder().equals(holder())
                || (alone && !job.lease().holder().startsWith(process + "/"));
        case PAUSED, CANCELLED, DONE, FAILED -> false;
      };
    }
  }

  /// Another worker has the job, or nobody may work on it any more.
  static final class JobTakenException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /// A step of the work in one transaction.
  @FunctionalInterface
  public interface StepFunction {
    /// Does the step.
    ///
    /// @param attempt how often others were faster than this very step
    JobKind.Step apply(Transaction transaction, Job job, int attempt);
  }

  HeldJob(Store store, Job found, Worker worker, BooleanSupplier stopping) {
    this.store = store;
    this.found = found;
    this.id = found.id();
    this.worker = worker;
    this.stopping = stopping;
  }

  /// The job as it was found. What it says of its progress may be out of date.
  public Job found() {
    return found;
  }

  /// Does a step, and writes how far the job is, in one transaction.
  public Job commit(StepFunction step) {
    if (stopping.getAsBoolean()) {
      throw new JobTakenException();
    }
    AtomicInteger attempts = new AtomicInteger();
    Job after =
        store
            .transact(
                transaction -> {
                  Job job = mine(transaction);
                  JobKind.Step done = step.apply(transaction, job, attempts.getAndIncrement());
                  return write(transaction, job, done);
                })
            .result();
    fence = after.lease().fence();
    return after;
  }

  private Job write(Transaction transaction, Job job, JobKind.Step done) {
    Instant now = transaction.now();
    boolean over = done.then() != JobKind.Then.GO_ON;
    boolean own = job.lease().holder().equals(worker.holder()) && job.state() == State.RUNNING;
    long number = own ? job.lease().fence() : job.lease().fence() + 1;
    Lease lease = new Lease(worker.holder(), number, over ? Instant.EPOCH : now.plus(LEASE));
    Job after = job.after(done.work(), over ? State.DONE : State.RUNNING, lease, now);
    if (done.then() == JobKind.Then.FORGET) {
      JobRecords.delete(transaction, after);
    } else {
      JobRecords.write(transaction, after);
    }
    return after;
  }

  /// The job, if this worker has it or may take it.
  private Job mine(Transaction transaction) {
    return JobRecords.find(transaction, id)
        .filter(job -> worker.mayTake(job, transaction.now()))
        .filter(job -> fence == NOT_YET || isHeld(job))
        .orElseThrow(JobTakenException::new);
  }

  private boolean isHeld(Job job) {
    return job.lease().holder().equals(worker.holder()) && job.lease().fence() == fence;
  }

  /// Ends the job as failed, unless another worker has it.
  void fail(Problem problem) {
    store.transact(
        transaction -> {
          Job job = mine(transaction);
          JobRecords.write(
              transaction, job.stopped(State.FAILED, Optional.of(problem), transaction.now()));
          return true;
        });
  }
}
