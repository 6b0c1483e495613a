package dev.veridex.store.rocks;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.MonotonicClock;
import dev.veridex.common.Problem;
import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.ConflictWindow;
import dev.veridex.store.optimistic.GroupSums;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/// The one thread that commits: takes waiting transactions, refuses those whose reads no longer
/// hold, gives the others consecutive sequences, and writes them as one batch with one sync.
///
/// It is a platform thread because it spends its life in native calls. If a write fails, nobody
/// knows what the engine's files hold; the only cure the engine offers is to be closed and opened
/// again, so that is what happens once there is room on the disk.
final class Committer {
  private static final int MAX_GROUP = 1024;
  private static final long MAX_GROUP_BYTES = 8L << 20;
  private static final int WINDOW_CAPACITY = 200_000;
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long LONGEST_WRITE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long MAX_RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /// Who waits for a commit. Nothing in it: look around, for something else has changed.
  private final BlockingQueue<Optional<PendingCommit>> queue = new LinkedBlockingQueue<>();

  private final Views views;
  private final MonotonicClock clock;
  private final Databases databases;
  private final ExpirySchedules schedules;
  private final ExpiryFrame frame;
  private final Runnable atTheEnd;
  private final Thread thread;
  private volatile boolean stopping;

  /// The time of the commits that are being written; [Long#MIN_VALUE] while it is being read.
  private volatile long timeInFlight = Long.MAX_VALUE;

  // The thread's own from here on.
  private @Nullable RocksDatabase database;
  private ConflictWindow window;
  private long sequence;
  private @Nullable StoreException broken;
  private long mendAfter = System.nanoTime();
  private long mendPause = RETRY_NANOS;

  /// Opens the databases of one folder, for the first time and again.
  interface Databases {
    /// Opens one.
    ///
    /// @param atLeast how far the last one had come
    RocksDatabase open(long atLeast);

    /// Whether the disk has room enough to open one.
    ///
    /// @param before the one that would be closed for it, if it is still open
    boolean hasRoom(@Nullable RocksDatabase before);
  }

  /// @param atTheEnd what is left to do when the database is closed, soon after [#close] or later
  Committer(
      Databases databases,
      Views views,
      MonotonicClock clock,
      ExpirySchedules schedules,
      ExpiryFrame frame,
      RocksDatabase database,
      Runnable atTheEnd) {
    this.databases = databases;
    this.views = views;
    this.clock = clock;
    this.schedules = schedules;
    this.frame = frame;
    this.database = database;
    this.atTheEnd = atTheEnd;
    this.sequence = database.lastSequence();
    this.window = new ConflictWindow(sequence, WINDOW_CAPACITY);
    views.publish(new RocksView(database, sequence));
    views.open();
    this.thread = Thread.ofPlatform().daemon().name("veridex-committer").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void submit(PendingCommit commit) {
    queue.add(Optional.of(commit));
  }

  /// Waits until no commit is being written that may have been made at a time or before. For a time
  /// that is past no other one comes.
  ///
  /// @throws StoreException `UNAVAILABLE` if it takes long, or nobody knows what became of one
  void awaitCommitsBy(long timeMicros) {
    long deadline = System.nanoTime() + LONGEST_WRITE_NANOS;
    while (timeInFlight <= timeMicros) {
      if (System.nanoTime() - deadline > 0) {
        throw StoreException.of(
            ErrorCode.UNAVAILABLE, "what was committed by then is not known yet");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /// Lets transactions that are under way end, then closes the database.
  ///
  /// @throws StoreException `UNAVAILABLE` if somebody still reads after a minute; the database is
  ///   then closed when they are done, for closing it under a reader would bring the process down
  void close() {
    stopping = true;
    views.close();
    // Not an interrupt: it would come at any time, and break off whatever file is being written.
    queue.add(Optional.empty());
    if (!hasEnded()) {
      throw StoreException.of(
          ErrorCode.UNAVAILABLE, "snapshots or transactions of the store are still open");
    }
  }

  private boolean hasEnded() {
    long deadline = System.nanoTime() + CLOSE_NANOS;
    boolean interrupted = false;
    long left = CLOSE_NANOS;
    while (left > 0 && thread.isAlive()) {
      try {
        thread.join(Duration.ofNanos(left));
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = deadline - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  private void run() {
    while (!stopping) {
      serve(await());
    }
    views.drain(FOREVER_NANOS, () -> serve(poll()));
    if (database != null) {
      database.close();
    }
    atTheEnd.run();
  }

  /// The next group, once there is one; while the store is broken, an empty one every now and then.
  private List<PendingCommit> await() {
    try {
      return broken == null
          ? groupFrom(queue.take())
          : groupFrom(flat(queue.poll(RETRY_NANOS, TimeUnit.NANOSECONDS)));
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts the committer", e);
    }
  }

  private List<PendingCommit> poll() {
    return groupFrom(flat(queue.poll()));
  }

  private List<PendingCommit> groupFrom(Optional<PendingCommit> first) {
    List<PendingCommit> group = new ArrayList<>();
    long bytes = 0;
    Optional<PendingCommit> next = first;
    while (next.isPresent()) {
      group.add(next.get());
      bytes += next.get().writes().bytes();
      boolean full = group.size() == MAX_GROUP || bytes >= MAX_GROUP_BYTES;
      next = full ? Optional.empty() : flat(queue.poll());
    }
    // Whoever was refused most often comes first, so that nobody loses for ever.
    group.sort(Comparator.comparingInt(PendingCommit::attempt).reversed());
    return group;
  }

  /// What a queue gave: nothing at all is as good as nothing in it.
  private static <T> Optional<T> flat(
      @SuppressWarnings("NullableOptional") @Nullable Optional<T> polled) {
    return polled == null ? Optional.empty() : polled;
  }

  /// Serves a group. Whatever happens, everybody in it hears of it, and the thread lives on:
  /// without it all writers would wait for ever.
  private void serve(List<PendingCommit> group) {
    try {
      commitOrMend(group);
    } catch (RuntimeException | Error e) {
      StoreException failure =
          e instanceof StoreException known
              ? known
              : new StoreException(
                  Problem.of(ErrorCode.UNAVAILABLE, "the commit failed unexpectedly"), e);
      broken = failure;
      group.forEach(pending -> pending.failed(failure));
    }
  }

  private void commitOrMend(List<PendingCommit> group) {
    if (broken == null && database != null) {
      if (!group.isEmpty()) {
        commit(database, group);
      }
    } else if (stopping || System.nanoTime() - mendAfter < 0 || !databases.hasRoom(database)) {
      group.forEach(pending -> pending.failed(unavailable()));
    } else {
      // They hold views, and mending needs that nobody does: they run again on the new database.
      group.forEach(PendingCommit::conflict);
      mend();
    }
  }

  private void commit(RocksDatabase open, List<PendingCommit> group) {
    window.forget(views.oldestTransaction());
    List<PendingCommit> accepted = new ArrayList<>(group.size());
    List<PendingCommit> refused = new ArrayList<>();
    long first = sequence + 1;
    try {
      write(open, group, accepted, refused);
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    }
    if (!accepted.isEmpty()) {
      sequence += accepted.size();
      views.publish(new RocksView(open, sequence));
    }
    // Not after a failure: what was written may be found when the database is opened again.
    timeInFlight = Long.MAX_VALUE;
    for (int i = 0; i < accepted.size(); i++) {
      accepted.get(i).done(first + i);
    }
    // Only now: they run again, and would be refused again on the view before.
    refused.forEach(PendingCommit::conflict);
  }

  /// Parts a group into those whose reads hold and the others, and writes the former.
  private void write(
      RocksDatabase open,
      List<PendingCommit> group,
      List<PendingCommit> accepted,
      List<PendingCommit> refused)
      throws RocksDBException {
    timeInFlight = Long.MIN_VALUE;
    long timeMicros = Expiry.micros(clock.instant());
    timeInFlight = timeMicros;
    try (BatchBuilder builder =
        new BatchBuilder(open, schedules, frame, window, sequence, timeMicros)) {
      GroupSums sums = new GroupSums(views.current());
      for (PendingCommit pending : group) {
        if (pending.reads().hold(window, pending.readSequence(), timeMicros, sums::of)) {
          accepted.add(pending);
          sums.accepted(pending.writes());
          long next = sequence + accepted.size();
          builder.add(pending, next);
          window.add(pending.writes(), next);
        } else {
          refused.add(pending);
        }
      }
      if (!accepted.isEmpty()) {
        open.write(builder.finish());
      }
    }
  }

  /// Closes the database and opens it again, if readers let go of it soon. If not, they keep it,
  /// and the next try waits longer, so that a long reader does not keep stopping all the others.
  private void mend() {
    views.pause();
    try {
      if (views.drain(DRAIN_NANOS, () -> poll().forEach(PendingCommit::conflict))) {
        reopen();
        mendPause = RETRY_NANOS;
      } else {
        mendPause = Math.min(2 * mendPause, MAX_RETRY_NANOS);
        views.open();
      }
    } catch (RuntimeException | Error e) {
      mendPause = Math.min(2 * mendPause, MAX_RETRY_NANOS);
      views.down();
      throw e;
    } finally {
      mendAfter = System.nanoTime() + mendPause;
    }
  }

  private void reopen() {
    if (database != null) {
      database.close();
      database = null;
    }
    RocksDatabase opened = databases.open(sequence);
    database = opened;
    sequence = opened.lastSequence();
    window = new ConflictWindow(sequence, WINDOW_CAPACITY);
    views.publish(new RocksView(opened, sequence));
    timeInFlight = Long.MAX_VALUE;
    broken = null;
    views.open();
  }

  private StoreException unavailable() {
    return broken == null
        ? StoreException.of(ErrorCode.UNAVAILABLE, "the store is being closed")
        : broken;
  }
}
