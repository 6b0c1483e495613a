package dev.veridex.benchmarks;

import dev.veridex.store.Store;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/// A load driver: durable transactions per second of many writers, next to synced batches of the
/// same size on RocksDB itself, round by round in turn, so that both see the same machine.
final class StoreWrites {
  private StoreWrites() {}

  static void run() {
    System.out.println(
        "| writers | records each | raw tx/s | raw p50/p99 µs | ours tx/s | ours p50/p99 µs | ours/raw |");
    System.out.println("|---:|---:|---:|---:|---:|---:|---:|");
    for (int records : new int[] {1, 10}) {
      for (int writers : new int[] {1, 8, 64}) {
        compare(writers, records);
      }
    }
  }

  private static void compare(int writers, int records) {
    Path rawFolder = Data.folder();
    Path ourFolder = Data.folder();
    List<Driver.Result> raw = new ArrayList<>();
    List<Driver.Result> ours = new ArrayList<>();
    try (RawRocks rocks = new RawRocks(rawFolder.resolve("db"));
        Store store = Data.store(ourFolder.resolve("store"), InstantSource.system())) {
      LongConsumer writeRaw = n -> writeRaw(rocks, n, records);
      LongConsumer writeOurs = n -> writeOurs(store, n, records);
      for (int round = 0; round <= Driver.ROUNDS; round++) {
        Driver.Result rawRound = Driver.drive(writers, round, _ -> writeRaw, false);
        Driver.Result ourRound = Driver.drive(writers, round, _ -> writeOurs, true);
        if (round > 0) { // The first warms up.
          raw.add(rawRound);
          ours.add(ourRound);
        }
      }
    } finally {
      Data.delete(rawFolder);
      Data.delete(ourFolder);
    }
    Driver.Result rawMedian = Driver.median(raw);
    Driver.Result ourMedian = Driver.median(ours);
    System.out.printf(
        "| %d | %d | %,.0f | %d / %d | %,.0f | %d / %d | %.2f |%n",
        writers,
        records,
        rawMedian.perSecond(),
        rawMedian.p50Micros(),
        rawMedian.p99Micros(),
        ourMedian.perSecond(),
        ourMedian.p50Micros(),
        ourMedian.p99Micros(),
        ourMedian.perSecond() / rawMedian.perSecond());
  }

  private static void writeRaw(RawRocks rocks, long n, int records) {
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = 0; i < records; i++) {
        batch.put(Data.scopedKey(n * records + i), Data.value(n));
      }
      rocks.db.write(rocks.synced, batch);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void writeOurs(Store store, long n, int records) {
    store.transact(
        transaction -> {
          for (int i = 0; i < records; i++) {
            transaction.put(Data.scopedKey(n * records + i), Data.value(n));
          }
          return null;
        });
  }
}
