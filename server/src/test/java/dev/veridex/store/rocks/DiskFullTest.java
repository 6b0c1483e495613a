package dev.veridex.store.rocks;

import static dev.veridex.store.StoreTesting.get;
import static dev.veridex.store.StoreTesting.put;
import static dev.veridex.store.StoreTesting.run;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Waiting;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A disk that really is full: a small one in memory, mounted for the test.
final class DiskFullTest {
  private static final int DISK_MEBIBYTES = 40;
  private static final int FILLER_BYTES = 12 << 20;
  private static final int RESERVE_BYTES = 8 << 20;

  @TempDir private Path disk;
  private boolean mounted;

  @BeforeEach
  void mount() throws Exception {
    mounted =
        isDone(
            "mount", "-t", "tmpfs", "-o", "size=" + DISK_MEBIBYTES + "m", "tmpfs", disk.toString());
    assumeTrue(mounted, "mounting a small disk is not allowed here, so a full one is not tried");
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      assertThat(isDone("umount", disk.toString())).isTrue();
    }
  }

  private static boolean isDone(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private RocksStore open() {
    RocksSettings settings = RocksSettings.DEFAULT.withWriteBufferBytes(2 << 20);
    InstantSource system = InstantSource.system();
    return RocksStore.open(disk.resolve("store"), settings, system, system, new Random(1));
  }

  @Test
  void nothingIsLostAndWritingGoesOnWhenThereIsRoomAgain() throws IOException {
    Path filler = Files.write(disk.resolve("filler"), new byte[FILLER_BYTES]);
    // The engine writes a few files when it opens, for which a full disk may have no room.
    Path reserve = Files.write(disk.resolve("reserve"), new byte[RESERVE_BYTES]);
    int acknowledged;
    try (Store store = open()) {
      acknowledged = fill(store, 0);
      assertThat(acknowledged).isGreaterThan(100);
      checkAll(store, acknowledged);
      assertThat(codeOf(() -> put(store, "still", "full")))
          .as("still full")
          .isEqualTo(ErrorCode.UNAVAILABLE);
      checkAll(store, acknowledged);

      Files.delete(filler);
      putUntilItWorks(store);
      checkAll(store, acknowledged);
      int more = fill(store, acknowledged);
      assertThat(more).as("the room is used").isGreaterThan(acknowledged + 100);
      acknowledged = more;
      checkAll(store, acknowledged);
    }
    Files.delete(reserve);
    try (Store store = open()) {
      checkAll(store, acknowledged);
      assertThat(get(store, "again")).contains("room");
    }
  }

  @Test
  void aLongReaderPutsOffTheRecoveryAndNothingElse() throws IOException {
    Path filler = Files.write(disk.resolve("filler"), new byte[FILLER_BYTES]);
    try (Store store = open()) {
      int acknowledged = fill(store, 0);
      try (Snapshot snapshot = store.snapshot()) {
        Files.delete(filler);
        for (int i = 0; i < 3; i++) {
          assertThat(codeOf(() -> put(store, "not", "yet"))).isEqualTo(ErrorCode.UNAVAILABLE);
          checkAll(store, acknowledged);
        }
        assertThat(snapshot.get(key("a", 0))).contains(value(0));
      }
      putUntilItWorks(store);
      checkAll(store, acknowledged);
    }
  }

  @Test
  void aStoreOnAFullDiskCanBeClosed() throws IOException {
    Path filler = Files.write(disk.resolve("filler"), new byte[FILLER_BYTES]);
    Store store = open();
    int acknowledged = fill(store, 0);
    codeOf(store::close); // It may be unable to write down how far it had come.
    Files.delete(filler);
    try (Store again = open()) {
      checkAll(again, acknowledged);
      put(again, "again", "room");
    }
  }

  /// A compaction that takes the last bytes makes the opening of a store fail, or the next commit.
  @Test
  void theLastRoomIsNotForCompactions() throws IOException {
    Path small = Files.write(disk.resolve("small"), new byte[2 << 20]);
    Path large = disk.resolve("large");
    try (RocksStore store = open()) {
      write(store, 0, 550);
      Files.write(large, new byte[FILLER_BYTES]);
      store.collector().runOnce();
      write(store, 550, 1100);
    }
    for (int i = 0; i < 3; i++) {
      try (RocksStore store = open()) {
        store.collector().runOnce();
        assertThat(unmergedFiles(store)).as("more than compactions let be").isGreaterThan(4);
      }
    }
    try (RocksStore store = open()) {
      Files.delete(large);
      Files.delete(small);
      store.collector().runOnce();
      Waiting.until("a compaction", () -> unmergedFiles(store) <= 4);
    }
    try (RocksStore store = open()) {
      checkAll(store, 1100);
    }
  }

  /// How many files of permanent records no compaction has taken yet.
  private static long unmergedFiles(RocksStore store) {
    return store
        .engineReport()
        .lines()
        .filter(line -> line.strip().startsWith("L0"))
        .mapToLong(line -> Long.parseLong(line.strip().split("[ /]+", -1)[1]))
        .max()
        .orElse(0);
  }

  /// Writes until the disk is full.
  ///
  /// @return how many records were acknowledged, from 0 on
  private static int fill(Store store, int from) {
    for (int i = from; ; i++) {
      int n = i;
      ErrorCode code = codeOf(() -> write(store, n, n + 1));
      if (code != null) {
        assertThat(code).isEqualTo(ErrorCode.UNAVAILABLE);
        return n;
      }
    }
  }

  private static void write(Store store, int from, int to) {
    for (int i = from; i < to; i++) {
      int n = i;
      store.transact(
          run(
              transaction -> {
                transaction.put(key("a", n), value(n));
                transaction.put(key("b", n), value(n));
              }));
    }
  }

  private static void checkAll(Store store, int acknowledged) {
    try (Snapshot snapshot = store.snapshot()) {
      for (int i = 0; i < acknowledged; i++) {
        assertThat(snapshot.get(key("a", i))).contains(value(i));
        assertThat(snapshot.get(key("b", i))).contains(value(i));
      }
      assertThat(snapshot.get(key("a", acknowledged)).isPresent())
          .as("the one that failed is there as a whole or not at all")
          .isEqualTo(snapshot.get(key("b", acknowledged)).isPresent());
    }
  }

  private static void putUntilItWorks(Store store) {
    Waiting.until("the store to recover", () -> codeOf(() -> put(store, "again", "room")) == null);
  }

  private static @Nullable ErrorCode codeOf(Runnable call) {
    try {
      call.run();
      return null;
    } catch (StoreException e) {
      return e.code();
    }
  }

  private static byte[] key(String kind, int n) {
    return (kind + n).getBytes(UTF_8);
  }

  /// Bytes that do not compress.
  private static byte[] value(int n) {
    byte[] value = new byte[5000];
    new Random(n).nextBytes(value);
    return value;
  }
}
