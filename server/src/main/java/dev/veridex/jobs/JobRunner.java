package dev.veridex.jobs;

import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.jobs.HeldJob.JobTakenException;
import dev.veridex.jobs.HeldJob.Worker;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// A worker that does jobs of some kinds, a step of each in turn.
public final class JobRunner implements Agent {
  private static final System.Logger LOG = System.getLogger(JobRunner.class.getName());
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Store store;
  private final Map<String, JobKind> kinds;
  private final Worker worker;

  /// The times at which steps that failed are tried again, by job.
  private final Map<String, Instant> retries = new HashMap<>();

  private byte[] last = new byte[0];
  private volatile boolean stopping;

  JobRunner(Store store, List<JobKind> kinds, Worker worker) {
    this.store = store;
    this.kinds = kinds.stream().collect(Collectors.toMap(JobKind::name, Function.identity()));
    this.worker = worker;
  }

  /// A worker of the only process that can have the store open.
  ///
  /// @param process the id of the process, which no other ever has
  /// @param thread a name that no other worker of the process has
  public static JobRunner alone(Store store, List<JobKind> kinds, String process, String thread) {
    return new JobRunner(store, kinds, new Worker(process, thread, true));
  }

  /// Works on the next job: one step, or as long as its kind takes.
  ///
  /// @return whether there was one, and something came of it
  @Override
  public boolean runOnce() {
    Optional<Job> next = next();
    return next.isPresent() && work(next.get());
  }

  /// Does all that there is to do.
  public boolean runAll() {
    boolean any = runOnce();
    while (any && !stopping && runOnce()) {}
    return any;
  }

  /// Lets no further step begin.
  public void stop() {
    stopping = true;
  }

  private boolean work(Job job) {
    HeldJob held = new HeldJob(store, job, worker, () -> stopping);
    JobKind kind = Objects.requireNonNull(kinds.get(job.kind()), job.kind());
    try {
      kind.work(held);
      retries.remove(job.id());
    } catch (JobTakenException e) {
      retries.remove(job.id());
    } catch (VeridexException e) {
      return failed(held, job, e, e.problem());
    } catch (RuntimeException e) {
      return failed(
          held,
          job,
          e,
          Problem.of(ErrorCode.INTERNAL, "The job failed; the server's log says why."));
    }
    return true;
  }

  /// What may succeed later, and what has to be done some day, is tried again after a while.
  ///
  /// @return whether the job is over
  private boolean failed(HeldJob held, Job job, RuntimeException failure, Problem problem) {
    LOG.log(WARNING, "a step of job %s (%s) failed".formatted(job.id(), job.kind()), failure);
    if (problem.retryable() || job.origin().essential()) {
      try (Snapshot snapshot = store.snapshot()) {
        retries.put(job.id(), snapshot.now().plus(RETRY_AFTER));
      }
      return false;
    }
    try {
      held.fail(problem);
    } catch (JobTakenException e) {
      return true;
    }
    return true;
  }

  /// The job after the one before that this worker may take, or the first one.
  private Optional<Job> next() {
    try (Snapshot snapshot = store.snapshot()) {
      Optional<Job> found =
          next(snapshot, last)
              .or(() -> last.length == 0 ? Optional.empty() : next(snapshot, new byte[0]));
      // Before it is tried: one that fails does not keep the others waiting.
      found.ifPresent(job -> last = JobRecords.openKey(job));
      return found;
    }
  }

  private Optional<Job> next(Snapshot snapshot, byte[] after) {
    Instant now = snapshot.now();
    return JobRecords.nextOpen(
        snapshot,
        after,
        kinds.keySet(),
        job ->
            worker.mayTake(job, now) && !retries.getOrDefault(job.id(), Instant.MIN).isAfter(now));
  }
}
