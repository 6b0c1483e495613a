package dev.veridex.store.rocks;

import dev.veridex.common.Agent;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactRangeOptions.BottommostLevelCompaction;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;

/// Collects garbage: records past their grace, and commits older than changes are kept.
///
/// Expired records are dropped by the engine's native filter whenever it compacts the files they
/// are in. This agent sees to it that this happens in time, family by family, and only where
/// something is due; and that the engine compacts on its own only while the disk has room for it.
final class ExpiryCollector implements Agent, AutoCloseable {
  private final RocksSettings settings;
  private final Views views;
  private final ExpirySchedules schedules;
  private final StoreFolder folder;
  private final InstantSource clock;
  private final InstantSource systemClock;
  private final CompactRangeOptions compaction =
      new CompactRangeOptions()
          .setExclusiveManualCompaction(false)
          // Also files that lie at the bottom already: expired records come to rest there.
          .setBottommostLevelCompaction(BottommostLevelCompaction.kForce);

  ExpiryCollector(
      RocksSettings settings,
      Views views,
      ExpirySchedules schedules,
      StoreFolder folder,
      InstantSource clock,
      InstantSource systemClock) {
    this.settings = settings;
    this.views = views;
    this.schedules = schedules;
    this.folder = folder;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  @Override
  public boolean runOnce() {
    RocksView view = views.hold();
    try {
      // First: what follows may need more room than there is.
      view.database().compact(folder.hasRoomForCompactions());
      boolean worked = false;
      Instant collectable = Collections.min(List.of(clock.instant(), systemClock.instant()));
      for (Family family : Family.EXPIRING) {
        if (schedules.isDue(family, collectable)
            && folder.hasRoomFor(view.database().sortedBytes(family))) {
          worked |= compact(view.database(), family, collectable);
        }
      }
      worked |= trimLog(view);
      folder.reached(view.sequence(), clock.instant());
      return worked;
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    } finally {
      view.letGo();
    }
  }

  /// Has every family compacted, whether something is due or not.
  void compactAll(RocksDatabase database) throws RocksDBException {
    Instant collectable = Collections.min(List.of(clock.instant(), systemClock.instant()));
    for (Family family : Family.values()) {
      compact(database, family, collectable);
    }
  }

  /// Makes a compaction that is under way end early.
  void cancel() {
    compaction.setCanceled(true);
  }

  /// To be called when nobody runs it any more.
  @Override
  public void close() {
    compaction.close();
  }

  /// Has the filter look at every record of a family.
  private boolean compact(RocksDatabase database, Family family, Instant collectable)
      throws RocksDBException {
    try {
      database.rocks().compactRange(database.handle(family), null, null, compaction);
    } catch (RocksDBException e) {
      Status status = e.getStatus();
      if (status != null && status.getCode() == Status.Code.Incomplete) {
        return false; // Cancelled.
      }
      throw e;
    }
    if (family.expires()) {
      for (byte[] settled : schedules.collected(family, collectable)) {
        database.rocks().delete(database.handle(Family.SLOTS), settled);
      }
    }
    return true;
  }

  /// Drops the commits that are no longer kept. The newest stays, whatever its age: the store's
  /// sequence and clock go on from there.
  private boolean trimLog(RocksView view) throws RocksDBException {
    RocksDatabase database = view.database();
    ColumnFamilyHandle log = database.handle(Family.LOG);
    long first = firstInLog(database, log);
    long keep = firstKept(view, first, clock.instant().minus(settings.changeRetention()));
    if (keep <= first) {
      return false;
    }
    byte[] from = BatchBuilder.logKey(first);
    byte[] to = BatchBuilder.logKey(keep);
    // Whole files at once where possible; the tombstone covers the rest.
    database.rocks().deleteFilesInRanges(log, List.of(from, to), false);
    database.rocks().deleteRange(log, from, to);
    return true;
  }

  private static long firstInLog(RocksDatabase database, ColumnFamilyHandle log)
      throws RocksDBException {
    try (RocksIterator iterator = database.rocks().newIterator(log)) {
      iterator.seekToFirst();
      iterator.status();
      return iterator.isValid() ? ByteBuffer.wrap(iterator.key()).getLong() : Long.MAX_VALUE;
    }
  }

  /// The first commit at or after a time, found by halving: times rise with sequences.
  private static long firstKept(RocksView view, long first, Instant keptSince) {
    long low = first;
    long high = view.sequence();
    while (low < high) {
      long middle = low + (high - low) / 2;
      byte[] logged = view.raw(Family.LOG, BatchBuilder.logKey(middle));
      if (logged != null && CommitRecord.time(logged).isBefore(keptSince)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
