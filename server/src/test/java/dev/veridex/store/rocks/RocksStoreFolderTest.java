package dev.veridex.store.rocks;

import static dev.veridex.store.StoreTesting.get;
import static dev.veridex.store.StoreTesting.key;
import static dev.veridex.store.StoreTesting.put;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.veridex.common.ChildJvm;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Problem;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a folder may look like when it is opened: damage is found and named, never passed over.
final class RocksStoreFolderTest {
  private final MutableClock clock = MutableClock.daysAgo(0);
  private final Random random = new Random(1);

  @TempDir private Path parent;

  private Store open(Path folder) {
    return RocksStore.open(folder, RocksSettings.DEFAULT, clock, clock, random);
  }

  /// A store with something in sorted files and something in the log, as a crash leaves it: copied
  /// while open.
  private Path crashed() throws IOException {
    Path folder = parent.resolve("store");
    Path copy = parent.resolve("crashed");
    try (Store store = open(folder)) {
      for (int i = 0; i < 200; i++) {
        put(store, "sorted-" + i, "x".repeat(500));
      }
    }
    try (RocksStore store = (RocksStore) open(folder)) {
      store.backup(parent.resolve("flushes-everything"));
      for (int i = 0; i < 50; i++) {
        put(store, "logged-" + i, "y".repeat(500));
      }
      store.collector().runOnce();
      for (int i = 0; i < 50; i++) {
        put(store, "late-" + i, "z".repeat(500));
      }
      copy(folder, copy);
    }
    return copy;
  }

  @Test
  void whatACrashLeavesIsOpenedWhole() throws IOException {
    try (Store store = open(crashed())) {
      assertThat(get(store, "sorted-199")).isPresent();
      assertThat(get(store, "late-49")).isPresent();
      assertThat(store.revision().sequence()).isEqualTo(300);
    }
  }

  /// It cannot be told from one whose writing was cut short, and that was never acknowledged.
  @Test
  void aTornLastRecordIsDropped() throws IOException {
    Path folder = crashed();
    Path log = only(folder, ".log");
    truncate(log, Files.size(log) - 100);
    try (Store store = open(folder)) {
      assertThat(get(store, "late-48")).isPresent();
      assertThat(get(store, "late-49")).isEmpty();
      put(store, "late-49", "again");
    }
  }

  @Test
  void aMissingFileIsNamed() throws IOException {
    List<String> endings = List.of(".sst", ".log", "CURRENT", "MANIFEST", "STORE");
    for (String ending : endings) {
      Path folder = copyOf(crashed());
      Path gone = only(folder, ending);
      Files.delete(gone);
      Problem problem = corruption(folder);
      // A log that is gone has left no name behind.
      String expected =
          ending.equals(".log") ? "the log of the store" : gone.getFileName().toString();
      assertThat(problem.toString()).contains(expected);
    }
  }

  @Test
  void aMissingLogAmongOthersIsNoticed() throws IOException {
    Path folder = parent.resolve("store");
    RocksSettings small = RocksSettings.DEFAULT.withWriteBufferBytes(1 << 20);
    try (Store store = RocksStore.open(folder, small, clock, clock, random)) {
      for (int i = 0; i < 6; i++) {
        put(store, "large-" + i, "x".repeat(500_000));
      }
    }
    List<Path> logs = logs(folder);
    assertThat(logs).hasSizeGreaterThan(2);
    Files.delete(logs.get(1));
    assertThat(corruption(folder).toString()).contains("Missing WAL");
  }

  private static List<Path> logs(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("db"))) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
  }

  @Test
  void aMissingDatabaseIsNamed() throws IOException {
    Path folder = crashed();
    deleteTree(folder.resolve("db"));
    assertThat(corruption(folder).toString()).contains(folder.resolve("db").toString());
  }

  @Test
  void aFileCutShortIsNamed() throws IOException {
    Path folder = copyOf(crashed());
    Path table = only(folder, ".sst");
    truncate(table, Files.size(table) - 10);
    assertThat(corruption(folder).toString()).contains(table.getFileName().toString());

    folder = copyOf(crashed());
    Path log = only(folder, ".log");
    truncate(log, 100);
    Problem problem = corruption(folder);
    assertThat(problem.toString()).contains(log.getFileName().toString());
    assertThat(problem.values()).containsKeys("expected", "found");

    folder = copyOf(crashed());
    truncate(folder.resolve("STORE"), 40);
    assertThat(corruption(folder).toString()).contains("STORE");
  }

  @Test
  void aChangedByteIsFound() throws IOException {
    Path folder = copyOf(crashed());
    Path log = only(folder, ".log");
    flip(log, Files.size(log) / 2);
    assertThat(corruption(folder).toString()).contains(log.getFileName().toString());

    folder = copyOf(crashed());
    flip(folder.resolve("STORE"), 30);
    assertThat(corruption(folder).toString()).contains("STORE");

    Path flippedTable = copyOf(crashed());
    Path table = only(flippedTable, ".sst");
    flip(table, 100);
    assertThatExceptionOfType(StoreException.class)
        .as("found at the latest when it is read")
        .isThrownBy(
            () -> {
              try (Store store = open(flippedTable)) {
                for (int i = 0; i < 200; i++) {
                  get(store, "sorted-" + i);
                }
              }
            })
        .satisfies(
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORE);
              assertThat(e.problem().toString()).contains(table.getFileName().toString());
            });
  }

  @Test
  void aScanOfADamagedFileDoesNotEndAsIfAllWereWell() throws IOException {
    Path folder = crashed();
    flip(only(folder, ".sst"), 100);
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(
            () -> {
              try (Store store = open(folder);
                  var snapshot = store.snapshot();
                  var cursor = snapshot.scan(KeyRange.ALL, Direction.FORWARD)) {
                while (cursor.next()) {
                  cursor.value();
                }
              }
            })
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORE));
  }

  @Test
  void manyGetsDoNotTakeDamageForAbsence() throws IOException {
    Path folder = crashed();
    flip(only(folder, ".sst"), 100);
    List<byte[]> keys = IntStream.range(0, 200).mapToObj(n -> key("sorted-" + n)).toList();
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(
            () -> {
              try (Store store = open(folder);
                  Snapshot snapshot = store.snapshot()) {
                snapshot.getAll(keys);
              }
            })
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORE));
  }

  @Test
  void aFormatFromTheFutureIsRefused() throws IOException {
    Path folder = crashed();
    Path file = folder.resolve("STORE");
    Files.writeString(file, Files.readString(file).replace("format=1", "format=2"));
    Problem problem = refusal(folder);
    assertThat(problem.code()).isEqualTo(ErrorCode.UNKNOWN_FORMAT);
    assertThat(problem.values()).containsEntry("found", "2").containsEntry("known", "1");
  }

  @Test
  void aFolderOfSomebodyElseIsNotTouched() throws IOException {
    Path folder = Files.createDirectory(parent.resolve("theirs"));
    Files.writeString(folder.resolve("thesis.txt"), "do not lose");
    assertThat(refusal(folder).code()).isEqualTo(ErrorCode.NOT_A_STORE);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).hasSize(1);
    }
    Path file = Files.writeString(parent.resolve("a-file"), "x");
    assertThat(refusal(file).code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void aHalfMadeBackupIsNoStore() throws IOException {
    Path backup = parent.resolve("backup");
    try (Store store = open(parent.resolve("store"))) {
      put(store, "a", "1");
      store.backup(backup);
    }
    Files.delete(backup.resolve("STORE"));
    assertThat(refusal(backup).code()).isEqualTo(ErrorCode.CORRUPT_STORE);
  }

  @Test
  @Tag("process")
  void anotherProcessIsToldWhoOwnsTheFolder() throws Exception {
    Path folder = parent.resolve("store");
    try (Store store = open(folder)) {
      put(store, "a", "1");
      assertThat(refusal(folder).code()).isEqualTo(ErrorCode.STORE_LOCKED);
      // Not even this process's own second try may have given up the lock.
      Process process = ChildJvm.start(parent, OpenOnce.class, folder.toString());
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).isEqualTo(3);
      assertThat(output)
          .contains("STORE_LOCKED")
          .contains("process=" + ProcessHandle.current().pid());
      put(store, "a", "2");
    }
    assertThat(ChildJvm.start(parent, OpenOnce.class, folder.toString()).waitFor()).isZero();
  }

  /// Opens a store and says what happened; run in a process of its own.
  static final class OpenOnce {
    private OpenOnce() {}

    static void main(String[] arguments) {
      var system = InstantSource.system();
      try {
        RocksStore.open(Path.of(arguments[0]), RocksSettings.DEFAULT, system, system, new Random(2))
            .close();
      } catch (StoreException e) {
        System.out.println(e.getMessage());
        System.exit(3);
      }
    }
  }

  @Test
  void aClockFarBehindTheSystemsIsRefused() {
    Path folder = parent.resolve("store");
    MutableClock system = new MutableClock(clock.instant().plus(Duration.ofHours(1)));
    RocksStore.open(folder, RocksSettings.DEFAULT, clock, system, random).close();
    system.advance(Duration.ofSeconds(1));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(
            () -> RocksStore.open(folder, RocksSettings.DEFAULT, clock, system, random).close())
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOCK_BEHIND));
    clock.advance(Duration.ofSeconds(1));
    RocksStore.open(folder, RocksSettings.DEFAULT, clock, system, random).close();
  }

  private Problem corruption(Path folder) {
    Problem problem = refusal(folder);
    assertThat(problem.code()).isEqualTo(ErrorCode.CORRUPT_STORE);
    return problem;
  }

  private Problem refusal(Path folder) {
    Problem[] problem = new Problem[1];
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> open(folder).close())
        .satisfies(e -> problem[0] = e.problem());
    return problem[0];
  }

  private int copies;

  private Path copyOf(Path folder) throws IOException {
    Path copy = parent.resolve("copy-" + copies++);
    copy(folder, copy);
    deleteTree(folder);
    deleteTree(parent.resolve("store"));
    deleteTree(parent.resolve("flushes-everything"));
    return copy;
  }

  private static void deleteTree(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  /// The largest file whose name contains something.
  private static Path only(Path folder, String ending) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.getFileName().toString().contains(ending))
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  private static void truncate(Path file, long size) throws IOException {
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      access.setLength(size);
    }
  }

  private static void flip(Path file, long position) throws IOException {
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      access.seek(position);
      int before = access.read();
      access.seek(position);
      access.write(before ^ 0x55);
    }
  }
}
