package dev.veridex.jobs;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Token;
import dev.veridex.jobs.Job.State;
import dev.veridex.records.Incarnations;
import dev.veridex.records.JsonRecord;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import tools.jackson.databind.node.ObjectNode;

/// Jobs: started, found, paused, resumed, cancelled.
public final class Jobs {
  /// The most jobs that callers can have started in a scope and that are not over.
  public static final int MAX_OPEN = 16;

  private static final int MAX_LOOKED = 1000;
  private static final int ID_BYTES = 12;
  private static final long LOOK_EVERY_NANOS = 5_000_000;

  private final Store store;
  private final AuditLog audit;
  private final Incarnations incarnations;
  private final RandomGenerator random;

  /// @param random a source of ids
  public Jobs(Store store, AuditLog audit, Incarnations incarnations, RandomGenerator random) {
    this.store = store;
    this.audit = audit;
    this.incarnations = incarnations;
    this.random = random;
  }

  /// A job to be started.
  ///
  /// @param total the number of pieces, if it is known
  public record JobStart(String kind, Scope scope, ObjectNode request, Optional<Long> total) {}

  /// Starts a job that a caller asks for, in the caller's transaction.
  ///
  /// @throws VeridexException `CONFLICT` if the very same is being done, `OVERLOADED` if many are
  public Job start(Transaction transaction, Token caller, JobStart start) {
    int started = 0;
    for (String id :
        JobRecords.open(transaction, Optional.of(start.scope), Optional.empty(), MAX_LOOKED)) {
      Job job = JobRecords.find(transaction, id).orElseThrow();
      started += job.origin().essential() ? 0 : 1;
      if (job.kind().equals(start.kind) && order(job.request()).equals(order(start.request))) {
        throw new VeridexException(
            Problem.of(ErrorCode.CONFLICT, "The same is being done by a job that is not over yet.")
                .with("job", id));
      }
    }
    if (started >= MAX_OPEN) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.OVERLOADED,
                  "This scope has as many jobs as it may have; wait for one to end.")
              .with("max", MAX_OPEN));
    }
    return write(
        transaction,
        start,
        incarnations.of(transaction, start.scope),
        caller.id(),
        /* essential= */ false);
  }

  /// An order as text, but for when it was given.
  private static String order(ObjectNode request) {
    ObjectNode same = request.deepCopy();
    same.remove("sequence");
    return same.toString();
  }

  /// Starts a job that has to be done some day: it cannot be refused or cancelled, and is tried
  /// again however it fails.
  ///
  /// @param incarnation of its scope, which may be over
  /// @param by the id of the token that caused it
  public Job order(Transaction transaction, JobStart start, long incarnation, String by) {
    return write(transaction, start, incarnation, by, /* essential= */ true);
  }

  private Job write(
      Transaction transaction, JobStart start, long incarnation, String by, boolean essential) {
    byte[] id = new byte[ID_BYTES];
    random.nextBytes(id);
    Job job =
        new Job(
            HexFormat.of().formatHex(id),
            new Job.Origin(
                start.kind,
                start.scope,
                incarnation,
                by,
                transaction.now(),
                essential,
                start.request),
            transaction.now(),
            State.QUEUED,
            new Job.Work(0, start.total, JsonRecord.object(), JsonRecord.object()),
            Job.Lease.FREE,
            Optional.empty());
    JobRecords.write(transaction, job);
    return job;
  }

  /// Whether there is an open job of a kind, of any incarnation of a scope.
  ///
  /// @param scope absent: of any scope
  public static boolean isOpen(Reader reader, Optional<Scope> scope, String kind) {
    return !JobRecords.open(reader, scope, Optional.of(kind), 1).isEmpty();
  }

  /// Removes some jobs of a scope that is gone, whatever their state.
  ///
  /// @return whether there may be more
  public static boolean removeSome(
      Transaction transaction, Scope scope, long incarnation, int most) {
    return JobRecords.removeSome(transaction, scope, incarnation, most);
  }

  /// A job, for administrators of its scope. Those of scopes that are gone are for Global
  /// administrators.
  ///
  /// @throws VeridexException `NOT_FOUND`
  public Job find(Token caller, String id) {
    try (Snapshot snapshot = store.snapshot()) {
      return find(snapshot, caller, id);
    }
  }

  private Job find(Reader reader, Token caller, String id) {
    return JobRecords.find(reader, id)
        .filter(job -> maySee(reader, caller, job))
        .orElseThrow(() -> new VeridexException(missing()));
  }

  private static Problem missing() {
    return Problem.of(
        ErrorCode.NOT_FOUND, "There is no such job, or it ended more than a week ago.");
  }

  private boolean maySee(Reader reader, Token caller, Job job) {
    boolean current = incarnations.of(reader, job.scope()) == job.origin().incarnation();
    return caller.administers(current ? job.scope() : new Scope.Global());
  }

  /// The number of jobs that are not over, up to a thousand.
  public int open() {
    try (Snapshot snapshot = store.snapshot()) {
      return JobRecords.open(snapshot, Optional.empty(), Optional.empty(), MAX_LOOKED).size();
    }
  }

  /// The revision of the newest commit.
  public Revision revision() {
    return store.revision();
  }

  /// Waits until a job that the caller has started is over or paused, or for some time.
  ///
  /// @param progress hears of the job whenever it has changed
  public Job await(String id, Duration most, Consumer<Job> progress) {
    long deadline = System.nanoTime() + most.toNanos();
    Job told = look(id);
    while (true) {
      Job job = look(id);
      if (!job.work().equals(told.work())) {
        progress.accept(job);
        told = job;
      }
      if (job.state().isOver()
          || job.state() == State.PAUSED
          || System.nanoTime() >= deadline
          || Thread.currentThread().isInterrupted()) {
        return job;
      }
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
  }

  private Job look(String id) {
    try (Snapshot snapshot = store.snapshot()) {
      return JobRecords.find(snapshot, id).orElseThrow(() -> new VeridexException(missing()));
    }
  }

  /// The open jobs of scopes that were deleted: for Global administrators, who see them among the
  /// jobs of Global.
  private List<Job> ofGoneScopes(Reader reader) {
    return JobRecords.open(reader, Optional.empty(), Optional.empty(), MAX_LOOKED).stream()
        .flatMap(id -> JobRecords.find(reader, id).stream())
        .filter(job -> incarnations.of(reader, job.scope()) != job.origin().incarnation())
        .toList();
  }

  /// The jobs of a scope, the newest first.
  public Page<Job> list(Scope scope, Optional<String> cursor, int limit) {
    try (Snapshot snapshot = store.snapshot()) {
      byte[] prefix = JobRecords.scopePrefix(scope, incarnations.of(snapshot, scope));
      byte[] list = new KeyWriter().string("jobs").bytes(prefix).toKey();
      KeyRange all = KeyRange.prefix(prefix);
      KeyRange range =
          cursor
              .map(text -> store.seal().cursors().open(list, text))
              .map(after -> new KeyRange(KeyRange.successor(after), all.to()))
              .orElse(all);
      List<Job> jobs = new ArrayList<>();
      if (scope instanceof Scope.Global && cursor.isEmpty()) {
        jobs.addAll(ofGoneScopes(snapshot));
      }
      int most = jobs.size() + limit;
      byte[] last = new byte[0];
      try (Cursor found = snapshot.scan(range, Direction.FORWARD)) {
        while (found.next()) {
          if (jobs.size() == most) {
            return Page.until(jobs, store.seal().cursors().seal(list, last), Page.End.LIMIT);
          }
          JobRecords.find(snapshot, new KeyReader(found.value()).string()).ifPresent(jobs::add);
          last = found.key();
        }
      }
      return Page.last(jobs);
    }
  }

  /// Stops a job for a while. One that is over stays as it is.
  public CommitResult<Job> pause(Token caller, String id) {
    return change(caller, id, "job.pause", State.PAUSED);
  }

  /// Lets a job go on that was paused.
  public CommitResult<Job> resume(Token caller, String id) {
    return change(caller, id, "job.resume", State.QUEUED);
  }

  /// Stops a job for good. What it has done stays done.
  ///
  /// @throws VeridexException `CONFLICT` if it has to be done some day
  public CommitResult<Job> cancel(Token caller, String id) {
    return change(caller, id, "job.cancel", State.CANCELLED);
  }

  private CommitResult<Job> change(Token caller, String id, String operation, State wanted) {
    return store.transact(
        transaction -> {
          Job job = find(transaction, caller, id);
          boolean running = job.state() == State.RUNNING || job.state() == State.QUEUED;
          if (job.state().isOver()
              || job.state() == wanted
              || (wanted == State.QUEUED && running)) {
            return job;
          }
          if (wanted == State.CANCELLED && job.origin().essential()) {
            throw new VeridexException(
                Problem.of(
                        ErrorCode.CONFLICT,
                        "This job has to be done and cannot be cancelled; it can be paused.")
                    .with("kind", job.kind()));
          }
          Job changed = job.stopped(wanted, Optional.empty(), transaction.now());
          JobRecords.write(transaction, changed);
          audit.append(
              transaction,
              AuditEntry.of(
                  transaction.now(), caller, operation, job.scope(), List.of(id, job.kind())));
          return changed;
        });
  }
}
