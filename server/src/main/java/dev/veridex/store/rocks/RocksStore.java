package dev.veridex.store.rocks;

import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.MonotonicClock;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import dev.veridex.store.Commit;
import dev.veridex.store.Committed;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.ChangeLog;
import dev.veridex.store.optimistic.Engine;
import dev.veridex.store.optimistic.Reads;
import dev.veridex.store.optimistic.TransactionRunner;
import dev.veridex.store.optimistic.View;
import dev.veridex.store.optimistic.ViewReader;
import dev.veridex.store.optimistic.Writes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.RocksDBException;

/// The [Store] in a folder of this machine.
///
/// Transactions read a [RocksView] and wait in the queue of the [Committer]; the [Collector] drops
/// what is past its time.
public final class RocksStore implements Store {
  private static final long REOPEN_ROOM_BYTES = 4L << 20;

  private final RocksSettings settings;
  private final StoreFolder folder;
  private final RevisionSeal seal;
  private final MonotonicClock clock;
  private final Views views = new Views();
  private final Committer committer;
  private final Collector collector;
  private final TransactionRunner runner;
  private final AtomicBoolean closed = new AtomicBoolean();

  private RocksStore(
      StoreFolder folder,
      RocksDatabase database,
      RocksSettings settings,
      InstantSource source,
      InstantSource systemClock) {
    this.settings = settings;
    this.folder = folder;
    this.seal = new RevisionSeal(folder.file().storeId(), folder.file().sealKey());
    this.clock = new MonotonicClock(source, later(database.lastTime(), folder.file().time()));
    checkClock(systemClock.instant());
    ExpirySchedules schedules = new ExpirySchedules(settings, clock.instant());
    Family.EXPIRING.stream().filter(database::isInUse).forEach(schedules::foundInUse);
    this.collector = new Collector(settings, views, schedules, folder, clock, systemClock);
    this.committer =
        new Committer(
            new Databases(), views, clock, schedules, new ExpiryFrame(settings.grace()), database);
    this.runner = new TransactionRunner(new RocksEngine(), clock, storeId());
    folder.reached(views.sequence(), clock.instant());
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
    } catch (RuntimeException e) {
      if (database != null) {
        database.close();
      }
      folder.close();
      throw e;
    }
  }

  /// Whether a folder holds a store or a backup of one.
  public static boolean isStore(Path folder) {
    return Files.exists(folder.resolve(StoreFile.NAME));
  }

  @Override
  public <T extends @Nullable Object> Committed<T> transact(Work<T> work) {
    return runner.transact(work);
  }

  @Override
  public Snapshot snapshot() {
    RocksView view = views.hold();
    return new ViewReader(view, storeId(), clock.instant(), view::letGo);
  }

  @Override
  public Snapshot snapshot(Revision atLeast) {
    ChangeLog.checkKnown(atLeast, revision());
    return snapshot();
  }

  @Override
  public List<Commit> changesSince(Revision since, int limit) {
    RocksView view = views.hold();
    try {
      ChangeLog.checkKnown(since, new Revision(storeId(), view.sequence()));
      List<Commit> commits = new ArrayList<>();
      KeyRange after = KeyRange.from(BatchBuilder.logKey(since.sequence() + 1));
      try (ScanOptions bounds = new ScanOptions(view.snapshot(), after);
          FamilyCursor log =
              new FamilyCursor(view.database(), Family.LOG, bounds, Direction.FORWARD)) {
        while (commits.size() < limit && log.next()) {
          long sequence = ByteBuffer.wrap(log.key()).getLong();
          commits.add(CommitRecord.decode(new Revision(storeId(), sequence), log.value()));
        }
      }
      Instant keptSince = clock.instant().minus(settings.changeRetention());
      ChangeLog.checkKept(since, commits, keptSince);
      return commits;
    } finally {
      view.letGo();
    }
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
      if (Files.exists(target)) {
        throw new StoreException(
            Problem.of(ErrorCode.BAD_REQUEST, "a backup goes into a new folder")
                .with("folder", target));
      }
      Files.createDirectories(target);
      try (Checkpoint checkpoint = Checkpoint.create(view.database().rocks())) {
        checkpoint.createCheckpoint(StoreFolder.backupDatabase(target).toString());
      }
      // The copy was made after the view: it holds at least this much.
      folder.finishBackup(target, view.sequence(), clock.instant());
    } catch (IOException e) {
      throw new StoreException(
          Problem.of(ErrorCode.UNAVAILABLE, "the backup's folder cannot be made")
              .with("folder", target)
              .with("reason", e),
          e);
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    } finally {
      view.letGo();
    }
  }

  /// Reads every block of every file and compares its checksum.
  ///
  /// @throws StoreException `CORRUPT_STORE`, naming the file
  public void verifyFiles() {
    RocksView view = views.hold();
    try {
      view.database().rocks().verifyChecksum();
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
        bytes.put(
            family.fileName(),
            view.database()
                .rocks()
                .getLongProperty(view.database().handle(family), "rocksdb.live-sst-files-size"));
      }
      return bytes;
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    } finally {
      view.letGo();
    }
  }

  /// What drops expired records and old changes; to be run every few minutes.
  public Agent collector() {
    return collector;
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    collector.cancel();
    committer.close();
    collector.close();
    try {
      folder.reached(views.sequence(), clock.instant());
    } finally {
      folder.close();
    }
  }

  private long storeId() {
    return folder.file().storeId();
  }

  private static RocksDatabase openDatabase(StoreFolder folder, RocksSettings settings) {
    // Listed before the engine replaces them.
    List<Path> logs = folder.isNew() ? List.of() : folder.logFiles();
    try {
      RocksDatabase database = RocksDatabase.open(folder.database(), folder.isNew(), settings);
      checkComplete(folder, database, logs);
      return database;
    } catch (RocksDBException e) {
      throw RocksErrors.translateOpening(e, logs);
    }
  }

  /// The engine drops records by the machine's clock: a store that lives further in the past than
  /// the grace would still show some of them.
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

  private static void checkComplete(StoreFolder folder, RocksDatabase database, List<Path> logs) {
    long found = database.lastSequence();
    if (found < folder.file().sequence()) {
      database.close();
      throw new StoreException(
          Problem.of(ErrorCode.CORRUPT_STORE, "a file of the store is cut short: commits are lost")
              .with("expected", folder.file().sequence())
              .with("found", found)
              .with("logs", logs));
    }
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private final class Databases implements Committer.Databases {
    @Override
    public RocksDatabase open() {
      return openDatabase(folder, settings);
    }

    @Override
    public boolean hasRoom() {
      return folder.usableBytes() >= folder.logBytes() + REOPEN_ROOM_BYTES;
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
    public OptionalLong commit(View view, Reads reads, Writes writes, int attempt) {
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
