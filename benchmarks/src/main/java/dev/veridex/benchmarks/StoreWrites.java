package dev.veridex.benchmarks;

import dev.veridex.store.Store;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongConsumer;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/// A load driver: durable transactions per second of many writers, next to synced batches of the
/// same size on RocksDB itself, round by round in turn, so that both see the same machine.
final class StoreWrites {
  private static final int ROUNDS = Integer.getInteger("rounds", 3);
  private static final long ROUND_NANOS = Integer.getInteger("seconds", 4) * 1_000_000_000L;

  private StoreWrites() {}

  private record Result(double perSecond, long p50Micros, long p99Micros) {}

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
    List<Result> raw = new ArrayList<>();
    List<Result> ours = new ArrayList<>();
    try (RawRocks rocks = new RawRocks(rawFolder.resolve("db"));
        Store store = Data.store(ourFolder.resolve("store"), InstantSource.system())) {
      LongConsumer writeRaw = n -> writeRaw(rocks, n, records);
      LongConsumer writeOurs = n -> writeOurs(store, n, records);
      for (int round = 0; round <= ROUNDS; round++) {
        Result rawRound = drive(writers, round, writeRaw, false);
        Result ourRound = drive(writers, round, writeOurs, true);
        if (round > 0) { // The first warms up.
          raw.add(rawRound);
          ours.add(ourRound);
        }
      }
    } finally {
      Data.delete(rawFolder);
      Data.delete(ourFolder);
    }
    Result rawMedian = median(raw);
    Result ourMedian = median(ours);
    System.out.printf(
        "| %d | %d | %,.0f | %d / %d | %,.0f | %d / %d | %.2f |%n",
        writers,
        records,
        rawMedian.perSecond,
        rawMedian.p50Micros,
        rawMedian.p99Micros,
        ourMedian.perSecond,
        ourMedian.p50Micros,
        ourMedian.p99Micros,
        ourMedian.perSecond / rawMedian.perSecond);
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

  /// Runs writers for a round. RocksDB gets platform threads, which its calls would hold anyway;
  /// our store gets virtual ones, as the server gives it.
  private static Result drive(int writers, int round, LongConsumer write, boolean virtual) {
    CountDownLatch start = new CountDownLatch(1);
    long[][] latencies = new long[writers][];
    List<Thread> threads = new ArrayList<>();
    for (int writer = 0; writer < writers; writer++) {
      int number = writer;
      Runnable work =
          () ->
              latencies[number] =
                  writeForARound(start, ((long) round * writers + number) << 24, write);
      threads.add(virtual ? Thread.ofVirtual().start(work) : Thread.ofPlatform().start(work));
    }
    long begin = System.nanoTime();
    start.countDown();
    threads.forEach(StoreWrites::join);
    double seconds = (System.nanoTime() - begin) / 1e9;
    long[] all = Arrays.stream(latencies).flatMapToLong(Arrays::stream).sorted().toArray();
    return new Result(
        all.length / seconds, all[all.length / 2] / 1000, all[all.length * 99 / 100] / 1000);
  }

  private static long[] writeForARound(CountDownLatch start, long first, LongConsumer write) {
    try {
      start.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    long[] latencies = new long[1 << 16];
    int count = 0;
    long begin = System.nanoTime();
    long before = begin;
    while (before - begin < ROUND_NANOS) {
      write.accept(first + count);
      long after = System.nanoTime();
      if (count == latencies.length) {
        latencies = Arrays.copyOf(latencies, 2 * count);
      }
      latencies[count++] = after - before;
      before = after;
    }
    return Arrays.copyOf(latencies, count);
  }

  private static Result median(List<Result> results) {
    List<Result> sorted =
        results.stream()
            .sorted((one, other) -> Double.compare(one.perSecond, other.perSecond))
            .toList();
    return sorted.get(sorted.size() / 2);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
