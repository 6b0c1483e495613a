package dev.veridex.store.rocks;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.MonotonicClock;
import dev.veridex.common.Problem;
import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.ConflictWindow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/// The one thread that writes: takes waiting transactions, refuses those whose reads no longer
/// hold, gives the others consecutive sequences, and writes them as one batch with one sync.
///
/// It is a platform thread because it spends its life in native calls. If a write fails, nobody
/// knows what the engine's files hold; the only cure the engine offers is to be closed and opened
/// again, so that is what happens once there is room on the disk.
final class Committer {
  private static final int MAX_GROUP = 1024;
  private static final long MAX_GROUP_BYTES = 8L << 20;
  private static final int WINDOW_CAPACITY = 200_000;
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final BlockingQueue<PendingCommit> queue = new LinkedBlockingQueue<>();
  private final Views views;
  private final MonotonicClock clock;
  private final Databases databases;
  private final ExpirySchedules schedules;
  private final ExpiryFrame frame;
  private final Thread thread;
  private volatile boolean stopping;

  // The thread's own from here on.
  private @Nullable RocksDatabase database;
  private ConflictWindow window;
  private long sequence;
  private @Nullable StoreException broken;
  private long triedToMend;

  /// Opens the databases of one folder, for the first time and again.
  interface Databases {
    RocksDatabase open();

    /// Whether the disk has room enough to open one.
    boolean hasRoom();
  }

  Committer(
      Databases databases,
      Views views,
      MonotonicClock clock,
      ExpirySchedules schedules,
      ExpiryFrame frame,
      RocksDatabase database) {
    this.databases = databases;
    this.views = views;
    this.clock = clock;
    this.schedules = schedules;
    this.frame = frame;
    this.database = database;
    this.sequence = database.lastSequence();
    this.window = new ConflictWindow(sequence, WINDOW_CAPACITY);
    views.publish(new RocksView(database, sequence));
    views.open();
    this.thread = Thread.ofPlatform().name("veridex-committer").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void submit(PendingCommit commit) {
    queue.add(commit);
  }

  /// Lets transactions that are under way end, then closes the database.
  void close() {
    stopping = true;
    views.close();
    thread.interrupt();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!stopping) {
      serve(await());
    }
    views.drain(FOREVER_NANOS, () -> serve(poll()));
    if (database != null) {
      database.close();
    }
  }

  /// The next group, once there is one; while the store is broken, an empty one every now and then.
  private List<PendingCommit> await() {
    try {
      PendingCommit first =
          broken == null ? queue.take() : queue.poll(RETRY_NANOS, TimeUnit.NANOSECONDS);
      return first == null ? List.of() : groupFrom(first);
    } catch (InterruptedException e) {
      return List.of();
    }
  }

  private List<PendingCommit> poll() {
    PendingCommit first = queue.poll();
    return first == null ? List.of() : groupFrom(first);
  }

  private List<PendingCommit> groupFrom(PendingCommit first) {
    List<PendingCommit> group = new ArrayList<>();
    long bytes = 0;
    PendingCommit next = first;
    while (next != null) {
      group.add(next);
      bytes += next.writes().bytes();
      next = group.size() < MAX_GROUP && bytes < MAX_GROUP_BYTES ? queue.poll() : null;
    }
    // Whoever was refused most often comes first, so that nobody loses for ever.
    group.sort(Comparator.comparingInt(PendingCommit::attempt).reversed());
    return group;
  }

  /// Serves a group. Whatever happens, everybody in it hears of it, and the thread lives on:
  /// without it all writers would wait for ever.
  private void serve(List<PendingCommit> group) {
    try {
      trustingly(group);
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

  private void trustingly(List<PendingCommit> group) {
    if (broken == null && database != null) {
      if (!group.isEmpty()) {
        commit(database, group);
      }
    } else if (stopping || System.nanoTime() - triedToMend < RETRY_NANOS || !databases.hasRoom()) {
      group.forEach(pending -> pending.failed(unavailable()));
    } else {
      // They hold views, and mending needs that nobody does: they run again on the new database.
      group.forEach(PendingCommit::conflict);
      mend();
    }
  }

  private void commit(RocksDatabase open, List<PendingCommit> group) {
    Instant time = clock.instant();
    long timeMicros = Expiry.micros(time);
    window.forget(views.oldestTransaction());
    List<PendingCommit> accepted = new ArrayList<>(group.size());
    List<PendingCommit> refused = new ArrayList<>();
    try (BatchBuilder builder =
        new BatchBuilder(open, schedules, frame, window, sequence, timeMicros)) {
      for (PendingCommit pending : group) {
        if (pending.reads().hold(window, pending.readSequence(), timeMicros)) {
          accepted.add(pending);
          long next = sequence + accepted.size();
          builder.add(pending, next);
          window.add(pending.writes(), next);
        } else {
          refused.add(pending);
        }
      }
      if (!accepted.isEmpty()) {
        open.write(builder.batch());
      }
    } catch (RocksDBException e) {
      StoreException failure = RocksErrors.translate(e);
      broken = failure;
      group.forEach(pending -> pending.failed(failure));
      return;
    }
    long first = sequence + 1;
    if (!accepted.isEmpty()) {
      sequence += accepted.size();
      views.publish(new RocksView(open, sequence));
    }
    for (int i = 0; i < accepted.size(); i++) {
      accepted.get(i).done(first + i);
    }
    // Only now: they run again, and would be refused again on the view before.
    refused.forEach(PendingCommit::conflict);
  }

  private void mend() {
    triedToMend = System.nanoTime();
    views.pause();
    boolean drained = views.drain(DRAIN_NANOS, () -> poll().forEach(PendingCommit::conflict));
    if (!drained) {
      views.open();
      return;
    }
    if (database != null) {
      database.close();
      database = null;
    }
    try {
      RocksDatabase opened = databases.open();
      database = opened;
      sequence = opened.lastSequence();
      window = new ConflictWindow(sequence, WINDOW_CAPACITY);
      views.publish(new RocksView(opened, sequence));
      broken = null;
      views.open();
    } catch (StoreException e) {
      broken = e;
      views.down();
    }
  }

  private StoreException unavailable() {
    return broken == null
        ? StoreException.of(ErrorCode.UNAVAILABLE, "the store is being closed")
        : broken;
  }
}
