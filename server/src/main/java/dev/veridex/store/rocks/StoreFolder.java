package dev.veridex.store.rocks;

import dev.veridex.common.DurableFiles;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.rocksdb.RocksDBException;

/// A store's folder, owned by this process: `STORE`, `LOCK`, and the database in `db`.
final class StoreFolder implements AutoCloseable {
  private static final String LOCK = "LOCK";
  private static final String DATABASE = "db";

  /// About what the largest compaction of the engine writes.
  private static final long LARGEST_COMPACTION_BYTES = 1L << 30;

  /// What is left to commits and flushes beside a compaction.
  private static final long COMMIT_RESERVE_BYTES = 8L << 20;

  /// The folders that this process owns. The one thing here that is global, because file locks are:
  /// closing any descriptor of a file gives up all locks that the process has on it, so a lock file
  /// of ours must not even be opened a second time.
  private static final Set<Path> OWNED = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final Path realPath;
  private final FileChannel lock;
  private volatile StoreFile file;

  private StoreFolder(Path path, Path realPath, FileChannel lock, StoreFile file) {
    this.path = path;
    this.realPath = realPath;
    this.lock = lock;
    this.file = file;
  }

  /// Takes a folder into possession; a new or empty one becomes a store, a backup a store of its
  /// own.
  static StoreFolder open(Path path, RandomGenerator random) {
    try {
      DurableFiles.createFolder(path);
    } catch (IOException e) {
      throw unavailable(path, e);
    }
    return own(path, true, () -> fileOf(path, random));
  }

  /// Takes a folder into possession as it is, to look at it.
  static StoreFolder openUnchanged(Path path) {
    return own(path, false, () -> StoreFile.read(path));
  }

  /// Whether a folder holds a store or a backup of one, whole or not.
  static boolean isStore(Path path) {
    return Files.exists(path.resolve(StoreFile.NAME)) || Files.exists(path.resolve(DATABASE));
  }

  /// The source of a folder's file, once the folder is locked.
  private interface FileSource {
    StoreFile file() throws IOException;
  }

  /// @param sign whether to write into the lock who owns it
  private static StoreFolder own(Path path, boolean sign, FileSource source) {
    try {
      checkContent(path);
      Path realPath = path.toRealPath();
      if (!OWNED.add(realPath)) {
        throw locked(path, String.valueOf(ProcessHandle.current().pid()));
      }
      FileChannel lock = null;
      try {
        lock = lock(path, sign);
        return new StoreFolder(path, realPath, lock, source.file());
      } catch (IOException | RuntimeException | Error e) {
        try {
          if (lock != null) {
            lock.close();
          }
        } finally {
          OWNED.remove(realPath);
        }
        throw e;
      }
    } catch (IOException e) {
      throw unavailable(path, e);
    }
  }

  StoreFile file() {
    return file;
  }

  /// Whether the database still has to be made.
  boolean isNew() {
    return file.state() == StoreFile.State.CREATING;
  }

  /// Remembers how far the store has come.
  synchronized void reached(long sequence, Instant time) {
    StoreFile next = file.withState(StoreFile.State.READY).reached(sequence, time);
    try {
      next.write(path);
      file = next;
    } catch (IOException e) {
      throw unavailable(path, e);
    }
  }

  /// Opens the database and checks that it holds what it must.
  RocksDatabase openDatabase(RocksDatabase.Mode mode, RocksSettings settings) {
    // Listed before the engine replaces them.
    List<Path> logs = logFiles();
    RocksDatabase database;
    try {
      if (mode != RocksDatabase.Mode.CREATE
          && logs.isEmpty()
          && Files.exists(path.resolve(DATABASE).resolve("CURRENT"))) {
        // The engine never closes without one, and does not miss it.
        throw StoreException.of(ErrorCode.CORRUPT_STORE, "the log of the store is missing");
      }
      database =
          RocksDatabase.open(path.resolve(DATABASE), mode, settings, hasRoomForCompactions());
    } catch (RocksDBException e) {
      throw RocksErrors.translateOpening(e, logs);
    }
    try {
      checkComplete(file.sequence(), database.lastSequence(), logs);
      return database;
    } catch (RuntimeException | Error e) {
      database.close();
      throw e;
    }
  }

  /// Refuses a database that has not come as far as it must have.
  void checkComplete(long expected, long found) {
    checkComplete(expected, found, logFiles());
  }

  private static void checkComplete(long expected, long found, List<Path> logs) {
    if (found < expected) {
      throw new StoreException(
          Problem.of(ErrorCode.CORRUPT_STORE, "a file of the store is cut short: commits are lost")
              .with("expected", expected)
              .with("found", found)
              .with("logs", logs));
    }
  }

  /// How much more fits onto the disk.
  long usableBytes() {
    try {
      return Files.getFileStore(path).getUsableSpace();
    } catch (IOException e) {
      throw unavailable(path, e);
    }
  }

  /// Whether compactions have room beside what is there.
  ///
  /// A compaction writes its files before it drops those that it made them of. One that takes the
  /// last bytes of a disk makes commits fail, and the opening of a store, which have little to
  /// write and would have had room.
  boolean hasRoomForCompactions() {
    return hasRoomFor(Math.min(databaseBytes(), LARGEST_COMPACTION_BYTES));
  }

  /// Whether a compaction of so many bytes leaves room for commits.
  boolean hasRoomFor(long bytes) {
    return usableBytes() >= bytes + COMMIT_RESERVE_BYTES;
  }

  private long databaseBytes() {
    try (Stream<Path> files = Files.list(path.resolve(DATABASE))) {
      return files.mapToLong(StoreFolder::bytes).sum();
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw unavailable(path, e);
    }
  }

  /// The engine removes files at any time.
  private static long bytes(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  /// The engine's log files, which hold what is not yet in sorted files.
  List<Path> logFiles() {
    try (Stream<Path> files = Files.list(path.resolve(DATABASE))) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw unavailable(path, e);
    }
  }

  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw unavailable(path, e);
    } finally {
      OWNED.remove(realPath);
    }
  }

  /// Makes the folder of a backup, which must not be there yet.
  static void createForBackup(Path target) {
    try {
      Path parent = target.toAbsolutePath().getParent();
      if (parent != null) {
        DurableFiles.createFolder(parent);
      }
      DurableFiles.createNewFolder(target);
    } catch (FileAlreadyExistsException e) {
      throw new StoreException(
          Problem.of(ErrorCode.BAD_REQUEST, "a backup goes into a new folder")
              .with("folder", target),
          e);
    } catch (IOException e) {
      throw unavailable(target, e);
    }
  }

  /// Removes what there is of a backup that failed, so that it can be tried again.
  static void discardBackup(Path target) {
    try {
      DurableFiles.deleteTree(target);
    } catch (IOException e) {
      throw unavailable(target, e);
    }
  }

  /// Where the database of a backup goes.
  static Path backupDatabase(Path target) {
    return target.resolve(DATABASE);
  }

  /// Completes a backup: only a folder with this file is one.
  void finishBackup(Path target, long sequence, Instant time) {
    try {
      file.withState(StoreFile.State.BACKUP).reached(sequence, time).write(target);
    } catch (IOException e) {
      throw unavailable(target, e);
    }
  }

  private static StoreFile fileOf(Path path, RandomGenerator random) throws IOException {
    try {
      StoreFile file = StoreFile.read(path);
      if (file.state() != StoreFile.State.BACKUP) {
        return file;
      }
      StoreFile restored =
          StoreFile.fresh(StoreFile.State.READY, random, file.sequence(), file.time());
      restored.write(path);
      return restored;
    } catch (NoSuchFileException e) {
      StoreFile created = StoreFile.fresh(StoreFile.State.CREATING, random, 0, Instant.EPOCH);
      created.write(path);
      return created;
    }
  }

  /// Refuses a folder of somebody else's, and one of ours whose `STORE` is gone.
  private static void checkContent(Path path) throws IOException {
    if (Files.exists(path.resolve(StoreFile.NAME))) {
      return;
    }
    if (Files.exists(path.resolve(DATABASE))) {
      throw new StoreException(RocksErrors.damage().with("file", path.resolve(StoreFile.NAME)));
    }
    Set<String> ours = Set.of(LOCK, StoreFile.NAME + ".new");
    try (Stream<Path> files = Files.list(path)) {
      Path foreign =
          files
              .filter(file -> !ours.contains(String.valueOf(file.getFileName())))
              .findFirst()
              .orElse(null);
      if (foreign != null) {
        throw new StoreException(
            Problem.of(ErrorCode.NOT_A_STORE, "the folder is not empty and not a store")
                .with("folder", path)
                .with("found", foreign.getFileName()));
      }
    }
  }

  private static FileChannel lock(Path path, boolean sign) throws IOException {
    Path file = path.resolve(LOCK);
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() == null) {
        throw locked(path, Files.readString(file, StandardCharsets.ISO_8859_1).strip());
      }
      if (sign) {
        channel.truncate(0);
        String self = ProcessHandle.current().pid() + "\n";
        channel.write(ByteBuffer.wrap(self.getBytes(StandardCharsets.ISO_8859_1)), 0);
      }
      return channel;
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  private static StoreException locked(Path path, String owner) {
    return new StoreException(
        Problem.of(ErrorCode.STORE_LOCKED, "another process or store owns the folder")
            .with("folder", path)
            .with("process", owner));
  }

  private static StoreException unavailable(Path path, IOException e) {
    return new StoreException(
        Problem.of(ErrorCode.UNAVAILABLE, "the store's folder cannot be used")
            .with("folder", path)
            .with("reason", e),
        new UncheckedIOException(e));
  }
}
