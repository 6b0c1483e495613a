package dev.veridex.store.rocks;

import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.MonotonicClock;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import dev.veridex.store.Commit;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.ChangeLog;
import dev.veridex.store.optimistic.Engine;
import dev.veridex.store.optimistic.ReadSet;
import dev.veridex.store.optimistic.StoredCursor;
import dev.veridex.store.optimistic.TransactionRunner;
import dev.veridex.store.optimistic.View;
import dev.veridex.store.optimistic.ViewReader;
import dev.veridex.store.optimistic.WriteSet;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.RocksDBException;

/// The [Store] in a folder of this machine.
///
/// Transactions read a [RocksView] and wait in the queue of the [Committer]; the [ExpiryCollector]
/// drops what is past its time.
public final class RocksStore implements Store {
  private static final long REOPEN_ROOM_BYTES = 4L << 20;
  private static final int PROGRESS_EVERY = 100_000;

  private final RocksSettings settings;
  private final StoreFolder folder;
  private final RevisionSeal seal;
  private final MonotonicClock clock;
  private final ExpirySchedules schedules;
  private final Views views = new Views();
  private final Committer committer;
  private final ExpiryCollector collector;
  private final RocksHistory history;
  private final TransactionRunner runner;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable StoreException unfinished;

  private RocksStore(
      StoreFolder folder,
      RocksDatabase database,
      RocksSettings settings,
      InstantSource source,
      InstantSource systemClock) {
    this.settings = settings;
    this.folder = folder;
    this.seal = new RevisionSeal(folder.file().storeId(), folder.file().sealKey());
    this.clock =
        new MonotonicClock(
            source, Collections.max(List.of(database.lastTime(), folder.file().time())));
    this.schedules = new ExpirySchedules(settings);
    checkClock(systemClock.instant());
    loadSchedules(database);
    folder.reached(database.lastSequence(), clock.instant());
    // Nothing below may fail: from here on somebody has to be closed.
    this.collector = new ExpiryCollector(settings, views, schedules, folder, clock, systemClock);
    this.committer =
        new Committer(
            new Databases(),
            views,
            clock,
            schedules,
            new ExpiryFrame(settings.grace()),
            database,
            this::finish);
    this.history = new RocksHistory(views, committer, clock, settings.changeRetention(), storeId());
    this.runner = new TransactionRunner(new RocksEngine(), clock, storeId());
    committer.start();
  }

  /// Opens the store in a folder; a new or empty folder becomes an empty store.
  ///
  /// @param clock what the store's time follows
  /// @param systemClock the machine's clock, by which the engine drops records; another one only in
  ///   tests
  /// @param random where a new store's identity comes from; an unpredictable one
  /// @throws StoreException `STORE_LOCKED`, `NOT_A_STORE`, `UNKNOWN_FORMAT`, `CORRUPT_STORE`,
  ///   `CLOCK_BEHIND`, `UNAVAILABLE`
  public static RocksStore open(
      Path path,
      RocksSettings settings,
      InstantSource clock,
      InstantSource systemClock,
      RandomGenerator random) {
    StoreFolder folder = StoreFolder.open(path, random);
    RocksDatabase database = null;
    try {
      database = openDatabase(folder, settings);
      return new RocksStore(folder, database, settings, clock, systemClock);
    } catch (RuntimeException | Error e) {
      if (database != null) {
        database.close();
      }
      folder.close();
      throw e;
    }
  }

  @Override
  public <T extends @Nullable Object> CommitResult<T> transact(Work<T> work) {
    return runner.transact(work);
  }

  @Override
  public Snapshot snapshot() {
    return read(views.hold());
  }

  private Snapshot read(RocksView view) {
    return new ViewReader(view, storeId(), clock.instant(), view::letGo);
  }

  @Override
  public Snapshot snapshot(Revision atLeast) {
    RocksView view = views.hold();
    try {
      ChangeLog.checkKnown(atLeast, new Revision(storeId(), view.sequence()));
    } catch (StoreException e) {
      view.letGo();
      throw e;
    }
    return read(view);
  }

  @Override
  public List<Commit> changesSince(Revision since, int limit) {
    return history.changesSince(since, limit);
  }

  @Override
  public Instant timeOf(Revision revision) {
    return history.timeOf(revision);
  }

  @Override
  public Revision revisionAt(Instant time) {
    return history.revisionAt(time);
  }

  @Override
  public Revision revision() {
    return new Revision(storeId(), views.sequence());
  }

  @Override
  public RevisionSeal seal() {
    return seal;
  }

  @Override
  public void backup(Path target) {
    RocksView view = views.hold();
    try {
      StoreFolder.createForBackup(target);
      try (Checkpoint checkpoint = Checkpoint.create(view.database().rocks())) {
        checkpoint.createCheckpoint(StoreFolder.backupDatabase(target).toString());
        // The copy was made after the view: it holds at least this much.
        folder.finishBackup(target, view.sequence(), clock.instant());
      } catch (RocksDBException e) {
        StoreFolder.discardBackup(target);
        throw RocksErrors.translate(e);
      } catch (RuntimeException | Error e) {
        StoreFolder.discardBackup(target);
        throw e;
      }
    } finally {
      view.letGo();
    }
  }

  /// Reads every block of every file, and every record.
  ///
  /// @param progress hears now and then how many records were read
  /// @return how many records the engine holds, expired ones that it has not yet dropped among them
  /// @throws StoreException `CORRUPT_STORE`
  public long verify(LongConsumer progress) {
    RocksView view = views.hold();
    try {
      view.database().rocks().verifyChecksum();
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    } finally {
      view.letGo();
    }
    return recordsHeld(progress);
  }

  /// How many records the engine holds, expired ones that it has not yet dropped among them. Looks
  /// at all of them.
  public long recordsHeld() {
    return recordsHeld(_ -> {});
  }

  private long recordsHeld(LongConsumer progress) {
    RocksView view = views.hold();
    try (StoredCursor cursor = view.scan(KeyRange.ALL, Direction.FORWARD)) {
      long records = 0;
      while (cursor.next()) {
        records++;
        if (records % PROGRESS_EVERY == 0) {
          progress.accept(records);
        }
      }
      return records;
    } finally {
      view.letGo();
    }
  }

  /// The engine's report about itself, for a person to read: levels, compactions, writes and syncs.
  public String engineReport() {
    RocksView view = views.hold();
    try {
      return view.database().rocks().getProperty("rocksdb.stats");
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    } finally {
      view.letGo();
    }
  }

  /// Merges all files of each family into one sorted run, which drops everything that is deleted or
  /// past its grace. It rewrites the whole store: for an operator who wants the room back now.
  public void compact() {
    RocksView view = views.hold();
    try {
      collector.compactAll(view.database());
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    } finally {
      view.letGo();
    }
  }

  /// How many bytes the sorted files of each family have, by the family's name.
  public Map<String, Long> bytesOnDisk() {
    RocksView view = views.hold();
    try {
      Map<String, Long> bytes = new TreeMap<>();
      for (Family family : Family.values()) {
        bytes.put(family.columnFamily(), view.database().sortedBytes(family));
      }
      return bytes;
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    } finally {
      view.letGo();
    }
  }

  /// The agent that drops expired records and old changes; to be run every few minutes.
  public Agent collector() {
    return collector;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      collector.cancel();
      committer.close();
      StoreException failure = unfinished;
      if (failure != null) {
        throw failure;
      }
    }
  }

  /// The database is closed: gives the folder back.
  private void finish() {
    collector.close();
    try (folder) {
      folder.reached(views.sequence(), clock.instant());
    } catch (StoreException e) {
      unfinished = e;
    }
  }

  private long storeId() {
    return folder.file().storeId();
  }

  private static RocksDatabase openDatabase(StoreFolder folder, RocksSettings settings) {
    RocksDatabase.Mode mode =
        folder.isNew() ? RocksDatabase.Mode.CREATE : RocksDatabase.Mode.READ_WRITE;
    return folder.openDatabase(mode, settings);
  }

  private void loadSchedules(RocksDatabase database) {
    try {
      schedules.load(database);
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    }
  }

  /// The engine drops records by the machine's clock: in a store that lives further in the past
  /// than the grace, it would drop records that are still alive.
  private void checkClock(Instant system) {
    Instant now = clock.instant();
    if (now.isBefore(system.minus(settings.grace()))) {
      throw new StoreException(
          Problem.of(
                  ErrorCode.CLOCK_BEHIND,
                  "the clock is behind the system's by more than the grace of expired records")
              .with("clock", now)
              .with("system", system)
              .with("grace", settings.grace()));
    }
  }

  private final class Databases implements Committer.Databases {
    @Override
    public RocksDatabase open(long atLeast) {
      RocksDatabase database = openDatabase(folder, settings);
      try {
        folder.checkComplete(atLeast, database.lastSequence());
        loadSchedules(database);
        return database;
      } catch (RuntimeException | Error e) {
        database.close();
        throw e;
      }
    }

    @Override
    public boolean hasRoom(@Nullable RocksDatabase before) {
      // Opening sorts what is only in the log. If it does not work out, nobody can read any more;
      // so it is not tried in vain while somebody can.
      long unsorted = before == null ? 0 : before.unsortedBytes();
      return folder.usableBytes() >= unsorted + REOPEN_ROOM_BYTES;
    }
  }

  private final class RocksEngine implements Engine {
    @Override
    public View begin() {
      RocksView view = views.hold();
      view.transactions().incrementAndGet();
      return view;
    }

    @Override
    public OptionalLong commit(View view, ReadSet reads, WriteSet writes, int attempt) {
      PendingCommit pending = new PendingCommit(view.sequence(), reads, writes, attempt);
      committer.submit(pending);
      return pending.await();
    }

    @Override
    public void end(View view) {
      RocksView held = (RocksView) view;
      held.transactions().decrementAndGet();
      held.letGo();
    }
  }
}
