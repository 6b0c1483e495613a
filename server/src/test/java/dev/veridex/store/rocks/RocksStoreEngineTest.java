package dev.veridex.store.rocks;

import static dev.veridex.store.StoreTesting.key;
import static dev.veridex.store.StoreTesting.put;
import static dev.veridex.store.StoreTesting.putExpiring;
import static dev.veridex.store.StoreTesting.run;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.MutableClock;
import dev.veridex.store.Snapshot;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/// What the engine does by itself: sync, and drop by the machine's clock.
final class RocksStoreEngineTest {
  private static final Pattern SYNCS = Pattern.compile("Cumulative WAL: \\S+ writes, (\\d+) syncs");

  private final Random random = new Random(1);

  @TempDir private Path parent;

  private RocksStore open(RocksSettings settings, InstantSource clock) {
    return RocksStore.open(parent.resolve("store"), settings, clock, clock, random);
  }

  @Test
  void everyCommitIsSyncedAndMayShareItsSync() throws InterruptedException {
    try (RocksStore store = open(RocksSettings.DEFAULT, InstantSource.system())) {
      long before = syncs(store);
      for (int i = 0; i < 20; i++) {
        put(store, "alone", String.valueOf(i));
      }
      assertThat(syncs(store) - before).as("one after the other").isEqualTo(20);
      before = syncs(store);
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        String key = "together-" + i;
        writers.add(
            Thread.startVirtualThread(
                () -> {
                  for (int n = 0; n < 20; n++) {
                    put(store, key, String.valueOf(n));
                  }
                }));
      }
      for (Thread writer : writers) {
        writer.join();
      }
      assertThat(store.revision().sequence()).isEqualTo(20 + 64 * 20);
      assertThat(syncs(store) - before).as("at once").isBetween(20L, 64L * 20 / 2);
    }
  }

  /// On a full disk the store waits for as much room as opening takes. The log also holds what was
  /// sorted long ago: if that counted, the store would wait for room that it does not need.
  @Test
  void whatIsSortedNeedsNoRoomToBeOpened() throws RocksDBException {
    RocksSettings settings = RocksSettings.DEFAULT.withWriteBufferBytes(1 << 20);
    Path folder = parent.resolve("database");
    try (RocksDatabase database =
            RocksDatabase.open(folder, RocksDatabase.Mode.CREATE, settings, true);
        FlushOptions andWait = new FlushOptions()) {
      long empty = database.unsortedBytes();
      for (int i = 0; i < 8; i++) {
        try (WriteBatch batch = new WriteBatch()) {
          batch.put(database.handle(Family.PERMANENT), key("k" + i), new byte[500_000]);
          batch.put(database.handle(Family.LOG), key("k" + i), key("small"));
          database.write(batch);
        }
      }
      assertThat(database.unsortedBytes()).as("in memory").isGreaterThan(empty + 400_000);
      database.rocks().flush(andWait, database.handle(Family.PERMANENT));
      assertThat(logBytes(folder)).as("in the log").isGreaterThan(8 * 500_000);
      assertThat(database.unsortedBytes()).as("in no sorted file").isLessThan(empty + 100_000);
    }
  }

  private static long logBytes(Path folder) {
    File[] files = folder.toFile().listFiles((_, name) -> name.endsWith(".log"));
    return Stream.of(Objects.requireNonNull(files)).mapToLong(File::length).sum();
  }

  private static long syncs(RocksStore store) {
    Matcher report = SYNCS.matcher(store.engineReport());
    assertThat(report.find()).isTrue();
    return Long.parseLong(report.group(1));
  }

  @Test
  void anInterruptedThreadCanCloseTheStore() {
    RocksStore store = open(RocksSettings.DEFAULT, InstantSource.system());
    put(store, "a", "1");
    Thread.currentThread().interrupt();
    store.collector().runOnce();
    store.close();
    assertThat(Thread.interrupted()).as("the interrupt is passed on").isTrue();
    open(RocksSettings.DEFAULT, InstantSource.system()).close();
  }

  @Test
  void manyStoresOpenAndCloseCleanly() {
    for (int i = 0; i < 50; i++) {
      try (RocksStore store = open(RocksSettings.DEFAULT, InstantSource.system())) {
        put(store, "a", String.valueOf(i));
      }
    }
  }

  @Test
  void theEngineKeepsWhatIsWithinItsGrace() {
    RocksSettings hour = RocksSettings.DEFAULT.withGrace(Duration.ofHours(1));
    MutableClock clock = new MutableClock(Instant.now().minus(Duration.ofMinutes(59)));
    try (RocksStore store = open(hour, clock)) {
      putExpiring(store, "e", "expired for 58 minutes", Duration.ofMinutes(1));
      store.compact();
      assertThat(store.recordsHeld()).isEqualTo(1);
    }
  }

  @Test
  void theEngineDropsWhatIsPastItsGrace() {
    RocksSettings halfAnHour = RocksSettings.DEFAULT.withGrace(Duration.ofMinutes(30));
    MutableClock clock = new MutableClock(Instant.now().minus(Duration.ofMinutes(59)));
    try (RocksStore store = open(halfAnHour, clock)) {
      putExpiring(store, "e", "expired for 58 minutes", Duration.ofMinutes(1));
      store.compact();
      assertThat(store.recordsHeld()).isZero();
    }
  }

  @Test
  void theGraceOfARecordIsThatOfItsWriting() {
    MutableClock past = MutableClock.daysAgo(3);
    Path folder = parent.resolve("store");
    RocksSettings tenHours = RocksSettings.DEFAULT.withGrace(Duration.ofHours(10));
    try (RocksStore store = RocksStore.open(folder, tenHours, past, past, random)) {
      putExpiring(store, "e", "1", Duration.ofMinutes(1));
    }
    past.advance(Duration.ofHours(9));
    try (RocksStore store = RocksStore.open(folder, RocksSettings.DEFAULT, past, past, random)) {
      assertThat(store.collector().runOnce()).as("not due yet").isFalse();
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.entry(key("e"))).isPresent();
      }
      past.advance(Duration.ofHours(2));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.entry(key("e"))).isEmpty();
      }
      assertThat(store.collector().runOnce()).isTrue();
      assertThat(store.recordsHeld()).isZero();
    }
  }

  @Test
  void permanentFilesAreNotRewrittenForExpiringRecords() throws IOException {
    MutableClock past = MutableClock.daysAgo(30);
    Path folder = parent.resolve("store");
    try (RocksStore store = RocksStore.open(folder, RocksSettings.DEFAULT, past, past, random)) {
      for (int i = 0; i < 500; i++) {
        int n = i;
        store.transact(
            run(
                transaction -> {
                  byte[] key = ("k" + n).getBytes(UTF_8);
                  if (n % 2 == 0) {
                    transaction.put(key, new byte[200]);
                  } else {
                    transaction.put(key, new byte[200], transaction.now().plusSeconds(60));
                  }
                }));
      }
      store.backup(parent.resolve("flushes-everything"));
      List<String> before = tables(folder);
      past.advance(Duration.ofHours(3));
      assertThat(store.collector().runOnce()).isTrue();
      assertThat(store.collector().runOnce()).as("nothing is due any more").isFalse();
      List<String> after = tables(folder);
      assertThat(after)
          .as("the expiring files are gone, all others are as they were")
          .hasSizeLessThan(before.size());
      assertThat(before).containsAll(after);
    }
  }

  private static List<String> tables(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("db"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".sst"))
          .sorted()
          .toList();
    }
  }
}
