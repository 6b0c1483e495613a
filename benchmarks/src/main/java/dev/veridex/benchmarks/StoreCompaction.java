package dev.veridex.benchmarks;

import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SplittableRandom;

/// What collecting expired records costs: the time of a compaction that removes half next to one
/// that removes nothing, and the bytes written while expiring records come and go among permanent
/// ones.
///
/// The engine drops by the machine's clock, so both wait for real time to pass.
final class StoreCompaction {
  private static final int RECORDS = Integer.getInteger("records", 5_000_000);
  private static final int RUNS = Integer.getInteger("runs", 3);
  private static final int BATCH = 5_000;

  /// Long enough to load all records in.
  private static final Duration LOADING = Duration.ofSeconds(Integer.getInteger("loading", 120));

  /// How long an hour takes where a day of writes is played.
  private static final Duration HOUR = Duration.ofSeconds(5);

  private StoreCompaction() {}

  static void run() {
    double none = fastest(0);
    double half = fastest(50);
    System.out.println("| compaction of " + RECORDS + " expiring records | seconds |");
    System.out.println("|---|---:|");
    System.out.printf("| removes none | %.2f |%n", none);
    System.out.printf("| removes half | %.2f |%n", half);
    System.out.printf("%nhalf / none: %.2f%n%n", half / none);
    amplification();
  }

  private static double fastest(int percentExpired) {
    double fastest = Double.MAX_VALUE;
    for (int run = 0; run < RUNS; run++) {
      fastest = Math.min(fastest, compaction(percentExpired));
    }
    return fastest;
  }

  private static double compaction(int percentExpired) {
    Path folder = Data.folder();
    RocksSettings settings = RocksSettings.DEFAULT.withGrace(Duration.ZERO);
    try (RocksStore store = Data.store(folder.resolve("store"), InstantSource.system(), settings)) {
      Instant soon = Instant.now().plus(LOADING);
      Instant later = soon.plus(Duration.ofHours(20));
      for (int from = 0; from < RECORDS; from += BATCH) {
        int first = from;
        store.transact(
            transaction -> {
              for (int n = first; n < first + BATCH; n++) {
                Instant expiresAt = n % 100 < percentExpired ? soon : later;
                transaction.put(Data.scopedKey(n), Data.value(n), expiresAt);
              }
              return null;
            });
      }
      if (!Instant.now().isBefore(soon)) {
        throw new IllegalStateException("loading took too long: set -Dloading to more seconds");
      }
      await(soon);
      long before = store.bytesOnDisk().getOrDefault("expiring-day", 0L);
      long begin = System.nanoTime();
      store.compact();
      double seconds = (System.nanoTime() - begin) / 1e9;
      long after = store.bytesOnDisk().getOrDefault("expiring-day", 0L);
      System.err.printf(
          "%d %% expired: %.2f s, %,d -> %,d bytes%n", percentExpired, seconds, before, after);
      return seconds;
    } finally {
      Data.delete(folder);
    }
  }

  /// A day is played in two minutes: 90 % of the writes are permanent records, 10 % live for two
  /// hours, and the collector runs every hour; next to the same writes where nothing expires.
  private static void amplification() {
    System.out.println("| a day of writes | user MB | written MB | amplification |");
    System.out.println("|---|---:|---:|---:|");
    for (boolean expiring : new boolean[] {false, true}) {
      Path folder = Data.folder();
      SplittableRandom random = new SplittableRandom(1);
      long user = 0;
      long before = writtenBytes();
      RocksSettings settings =
          RocksSettings.DEFAULT
              .withWriteBufferBytes(16L << 20)
              .withGrace(Duration.ZERO)
              .withCompactionInterval(HOUR);
      try (RocksStore store =
          Data.store(folder.resolve("store"), InstantSource.system(), settings)) {
        Instant begin = Instant.now();
        for (int hour = 1; hour <= 24; hour++) {
          for (int batch = 0; batch < 100; batch++) {
            user += dayBatch(store, random, expiring);
          }
          await(begin.plus(HOUR.multipliedBy(hour)));
          store.collector().runOnce();
        }
      } finally {
        Data.delete(folder);
      }
      long written = writtenBytes() - before;
      System.out.printf(
          "| %s | %d | %d | %.2f |%n",
          expiring ? "10 % live for two hours" : "all permanent",
          user >> 20,
          written >> 20,
          (double) written / user);
    }
  }

  private static void await(Instant time) {
    Duration rest = Duration.between(Instant.now(), time);
    if (rest.isPositive()) {
      try {
        Thread.sleep(rest);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static long dayBatch(RocksStore store, SplittableRandom random, boolean expiring) {
    return store
        .transact(
            transaction -> {
              long bytes = 0;
              for (int i = 0; i < 1_000; i++) {
                long n = random.nextLong(10_000_000);
                byte[] key = Data.scopedKey(n);
                byte[] value = Data.value(n);
                bytes += key.length + value.length;
                if (expiring && i % 10 == 0) {
                  transaction.put(key, value, transaction.now().plus(HOUR.multipliedBy(2)));
                } else {
                  transaction.put(key, value);
                }
              }
              return bytes;
            })
        .result();
  }

  /// What this process has sent to the disk: log, flushes and compactions.
  static long writtenBytes() {
    try {
      return Files.readAllLines(Path.of("/proc/self/io")).stream()
          .filter(line -> line.startsWith("write_bytes: "))
          .mapToLong(line -> Long.parseLong(line.substring("write_bytes: ".length())))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
