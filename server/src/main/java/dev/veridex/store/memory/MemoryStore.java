package dev.veridex.store.memory;

import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.MonotonicClock;
import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import dev.veridex.store.Change;
import dev.veridex.store.Commit;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.ChangeLog;
import dev.veridex.store.optimistic.ConflictWindow;
import dev.veridex.store.optimistic.Engine;
import dev.veridex.store.optimistic.GroupSums;
import dev.veridex.store.optimistic.ReadSet;
import dev.veridex.store.optimistic.StoredValue;
import dev.veridex.store.optimistic.TransactionRunner;
import dev.veridex.store.optimistic.View;
import dev.veridex.store.optimistic.ViewReader;
import dev.veridex.store.optimistic.WriteSet;
import dev.veridex.store.optimistic.WriteSet.Write;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A [Store] whose records live in memory. It keeps every promise but durability, for which its
/// [MemoryDisk] stands in, and has no backups.
public final class MemoryStore implements Store {
  private static final int WINDOW_CAPACITY = 100_000;

  private final MemoryDisk disk;
  private final MonotonicClock clock;
  private final Duration grace;
  private final Duration changeRetention;
  private final ConflictWindow window;
  private final TransactionRunner runner;

  /// How many readers look at each sequence; guarded by the disk.
  private final TreeMap<Long, Integer> readers = new TreeMap<>();

  private boolean closed;

  public MemoryStore(
      MemoryDisk disk, InstantSource source, Duration grace, Duration changeRetention) {
    synchronized (disk) {
      if (disk.inUse) {
        throw StoreException.of(ErrorCode.STORE_LOCKED, "another store has this disk open");
      }
      disk.inUse = true;
      this.disk = disk;
      this.clock = new MonotonicClock(source, disk.time);
      this.window = new ConflictWindow(disk.sequence, WINDOW_CAPACITY);
    }
    this.grace = grace;
    this.changeRetention = changeRetention;
    this.runner = new TransactionRunner(new MemoryEngine(), clock, disk.storeId);
  }

  @Override
  public <T extends @Nullable Object> CommitResult<T> transact(Work<T> work) {
    return runner.transact(work);
  }

  @Override
  public Snapshot snapshot() {
    View view = hold();
    return new ViewReader(view, disk.storeId, clock.instant(), () -> letGo(view));
  }

  @Override
  public Snapshot snapshot(Revision atLeast) {
    ChangeLog.checkKnown(atLeast, revision());
    return snapshot();
  }

  @Override
  public List<Commit> changesSince(Revision since, int limit) {
    synchronized (disk) {
      checkOpen();
      ChangeLog.checkKnown(since, revision());
      List<Commit> after =
          disk.log.stream()
              .filter(commit -> commit.revision().sequence() > since.sequence())
              .limit(Math.max(0, limit))
              .toList();
      ChangeLog.checkKept(since, after, clock.instant().minus(changeRetention));
      return after;
    }
  }

  @Override
  public Instant timeOf(Revision revision) {
    synchronized (disk) {
      checkOpen();
      ChangeLog.checkKnown(revision, revision());
      return ChangeLog.checkKept(
          committedAt(revision.sequence()), clock.instant().minus(changeRetention));
    }
  }

  @Override
  public Revision revisionAt(Instant time) {
    synchronized (disk) {
      checkOpen();
      Instant now = clock.instant();
      ChangeLog.checkPast(time, now, now.minus(changeRetention));
      return new Revision(disk.storeId, ChangeLog.lastBy(time, disk.sequence, this::committedAt));
    }
  }

  private Optional<Instant> committedAt(long sequence) {
    return disk.log.stream()
        .filter(commit -> commit.revision().sequence() == sequence)
        .map(Commit::time)
        .findFirst();
  }

  @Override
  public Revision revision() {
    return new Revision(disk.storeId, disk.sequence);
  }

  @Override
  public RevisionSeal seal() {
    return disk.seal;
  }

  @Override
  public void backup(Path folder) {
    throw StoreException.of(ErrorCode.UNSUPPORTED, "a store in memory has no backups");
  }

  /// Removes records that are past their grace, as an engine's compaction does.
  public Agent collector() {
    return () -> {
      synchronized (disk) {
        checkOpen();
        long now = Expiry.micros(clock.instant());
        long oldestReader = readers.isEmpty() ? disk.sequence : readers.firstKey();
        boolean found = false;
        for (byte[] key : disk.records.covered(KeyRange.ALL, Direction.FORWARD).keySet()) {
          StoredValue stored = disk.records.get(key, disk.sequence);
          if (stored != null && Expiry.isExpired(stored.goneAt(), now)) {
            disk.records.put(key, null, disk.sequence, oldestReader);
            found = true;
          }
        }
        return found;
      }
    };
  }

  /// How many records it holds, expired ones that were not yet collected among them.
  public long recordsHeld() {
    long sequence = disk.sequence;
    return disk.records.covered(KeyRange.ALL, Direction.FORWARD).keySet().stream()
        .filter(key -> disk.records.get(key, sequence) != null)
        .count();
  }

  @Override
  public void close() {
    synchronized (disk) {
      if (closed) {
        return;
      }
      closed = true;
      boolean interrupted = false;
      while (!readers.isEmpty()) {
        try {
          disk.wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      disk.inUse = false;
      disk.time = clock.instant();
    }
  }

  private void checkOpen() {
    if (closed) {
      throw StoreException.of(ErrorCode.CLOSED, "the store is closed");
    }
  }

  private View hold() {
    synchronized (disk) {
      checkOpen();
      readers.merge(disk.sequence, 1, Integer::sum);
      return new MemoryView(disk, disk.sequence);
    }
  }

  private void letGo(View view) {
    synchronized (disk) {
      readers.computeIfPresent(view.sequence(), (_, count) -> count == 1 ? null : count - 1);
      disk.notifyAll();
    }
  }

  private final class MemoryEngine implements Engine {
    @Override
    public View begin() {
      return hold();
    }

    @Override
    public OptionalLong commit(View view, ReadSet reads, WriteSet writes, int attempt) {
      synchronized (disk) {
        Instant time = clock.instant();
        window.forget(readers.firstKey());
        GroupSums sums = new GroupSums(new MemoryView(disk, disk.sequence));
        if (!reads.hold(window, view.sequence(), Expiry.micros(time), sums::of)) {
          return OptionalLong.empty();
        }
        long sequence = disk.sequence + 1;
        apply(writes, sequence, readers.firstKey());
        window.add(writes, sequence);
        List<Change> changes = ChangeLog.changes(writes, sequence);
        disk.log.add(new Commit(new Revision(disk.storeId, sequence), time, changes));
        disk.time = time;
        disk.sequence = sequence;
        return OptionalLong.of(sequence);
      }
    }

    @Override
    public void end(View view) {
      letGo(view);
    }

    private void apply(WriteSet writes, long sequence, long oldestReader) {
      for (KeyRange range : writes.deletedRanges()) {
        disk.records
            .covered(range, Direction.FORWARD)
            .keySet()
            .forEach(key -> disk.records.put(key, null, sequence, oldestReader));
        disk.counters
            .covered(range, Direction.FORWARD)
            .keySet()
            .forEach(key -> disk.counters.put(key, null, sequence, oldestReader));
      }
      writes
          .records()
          .forEach((key, write) -> disk.records.put(key, stored(write), sequence, oldestReader));
      writes
          .appends()
          .forEach(
              append ->
                  disk.records.put(
                      append.handle().keyAt(sequence),
                      stored(append.write()),
                      sequence,
                      oldestReader));
      writes
          .additions()
          .forEach(
              (key, delta) -> {
                Long before = disk.counters.get(key, sequence);
                long sum = (before == null ? 0 : before) + delta;
                disk.counters.put(key, sum, sequence, oldestReader);
              });
    }

    private @Nullable StoredValue stored(Write write) {
      return switch (write) {
        case Write.Put(byte[] value, long expiresAt) ->
            expiresAt == Expiry.NEVER
                ? StoredValue.permanent(value)
                : new StoredValue(value, expiresAt, expiresAt + grace.toSeconds() * 1_000_000);
        case Write.Delete() -> null;
      };
    }
  }
}
