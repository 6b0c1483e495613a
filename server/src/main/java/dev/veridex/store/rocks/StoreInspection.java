package dev.veridex.store.rocks;

import dev.veridex.common.Expiry;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.StoredCursor;
import dev.veridex.store.optimistic.ViewReader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.rocksdb.RocksDBException;

/// The result of inspecting a store that nobody has open.
///
/// @param commits how many commits it has seen
/// @param records how many records it holds
/// @param expired how many of them have expired and wait to be dropped
/// @param bytes the bytes of all keys and values
public record StoreInspection(long commits, long records, long expired, long bytes) {

  private static final int PROGRESS_EVERY = 100_000;

  /// Whether a folder holds a store or a backup of one, whole or not.
  public static boolean isStore(Path folder) {
    return StoreFolder.isStore(folder);
  }

  /// Reads every block of every file of a store or a backup, and changes none.
  ///
  /// @param progress hears now and then how many records were read
  /// @param also looks at the records, too
  /// @throws StoreException `STORE_LOCKED`, `UNKNOWN_FORMAT`; `CORRUPT_STORE`, naming the file
  public static StoreInspection of(
      Path path,
      RocksSettings settings,
      Instant now,
      LongConsumer progress,
      Consumer<Reader> also) {
    try (StoreFolder folder = StoreFolder.openUnchanged(path)) {
      // One that was killed while it was being made has seen no commit, so nothing can be missing.
      return folder.isNew()
          ? new StoreInspection(0, 0, 0, 0)
          : inspect(folder, settings, now, progress, also);
    }
  }

  private static StoreInspection inspect(
      StoreFolder folder,
      RocksSettings settings,
      Instant now,
      LongConsumer progress,
      Consumer<Reader> also) {
    try (RocksDatabase database = folder.openDatabase(RocksDatabase.Mode.READ_ONLY, settings)) {
      database.rocks().verifyChecksum();
      RocksView view = new RocksView(database, database.lastSequence());
      also.accept(new ViewReader(view, folder.file().storeId(), now, () -> {}));
      return inspect(view, Expiry.micros(now), progress);
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    }
  }

  private static StoreInspection inspect(RocksView view, long now, LongConsumer progress) {
    long records = 0;
    long expired = 0;
    long bytes = 0;
    try (StoredCursor cursor = view.scan(KeyRange.ALL, Direction.FORWARD)) {
      while (cursor.next()) {
        records++;
        if (records % PROGRESS_EVERY == 0) {
          progress.accept(records);
        }
        expired += Expiry.isExpired(cursor.expiresAt(), now) ? 1 : 0;
        bytes += cursor.key().length + cursor.value().length;
      }
      return new StoreInspection(view.sequence(), records, expired, bytes);
    } finally {
      view.letGo();
    }
  }
}
