package dev.veridex.benchmarks;

import dev.veridex.store.Store;
import dev.veridex.store.rocks.RocksStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// Bytes on disk after compaction: a million records of 200 bytes, bare on RocksDB and scoped in
/// our store, permanent and expiring.
final class StoreDisk {
  private static final int RECORDS = Integer.getInteger("records", 1_000_000);
  private static final int BATCH = 1_000;

  private StoreDisk() {}

  static void run() {
    long bare = raw(Data::rawKey);
    long scoped = raw(Data::scopedKey);
    System.out.println("| what | bytes a record | against bare RocksDB |");
    System.out.println("|---|---:|---:|");
    print("RocksDB, bare keys", bare, bare);
    print("RocksDB, our scoped keys", scoped, bare);
    for (boolean expiring : new boolean[] {false, true}) {
      String kind = expiring ? "expiring" : "permanent";
      long[] sizes = ours(expiring);
      print("our " + kind + " records", sizes[0], bare);
      print("their change log, 1000 records a commit", sizes[1], bare);
    }
    print("their change log, 1 record a commit", singles(), bare);
  }

  private static void print(String what, long bytes, long bare) {
    System.out.printf(
        "| %s | %.1f | %.3f |%n", what, (double) bytes / RECORDS, (double) bytes / bare);
  }

  private static long raw(LongFunction<byte[]> key) {
    Path folder = Data.folder();
    try (RawRocks rocks = new RawRocks(folder.resolve("db"));
        WriteOptions unsynced = new WriteOptions()) {
      for (int from = 0; from < RECORDS; from += BATCH) {
        try (WriteBatch batch = new WriteBatch()) {
          for (int n = from; n < from + BATCH; n++) {
            batch.put(key.apply(n), Data.value(n));
          }
          rocks.db.write(unsynced, batch);
        }
      }
      rocks.compact();
      return Data.tableBytes(folder);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    } finally {
      Data.delete(folder);
    }
  }

  /// @return the bytes of the records, and those of the change log
  private static long[] ours(boolean expiring) {
    Path folder = Data.folder();
    try (RocksStore store = Data.store(folder.resolve("store"), InstantSource.system())) {
      load(store, expiring);
      store.compact();
      long log = store.bytesOnDisk().getOrDefault("log", 0L);
      long all = store.bytesOnDisk().values().stream().mapToLong(Long::longValue).sum();
      return new long[] {all - log, log};
    } finally {
      Data.delete(folder);
    }
  }

  /// The change log's bytes if every record has a commit of its own.
  private static long singles() {
    Path folder = Data.folder();
    try (RocksStore store = Data.store(folder.resolve("store"), InstantSource.system())) {
      AtomicInteger next = new AtomicInteger();
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        writers.add(
            Thread.startVirtualThread(
                () -> {
                  for (int n = next.getAndIncrement(); n < RECORDS; n = next.getAndIncrement()) {
                    byte[] key = Data.scopedKey(n);
                    store.transact(
                        transaction -> {
                          transaction.put(key, new byte[1]);
                          return null;
                        });
                  }
                }));
      }
      for (Thread writer : writers) {
        writer.join();
      }
      store.compact();
      return store.bytesOnDisk().getOrDefault("log", 0L);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      Data.delete(folder);
    }
  }

  private static void load(Store store, boolean expiring) {
    for (int from = 0; from < RECORDS; from += BATCH) {
      int first = from;
      store.transact(
          transaction -> {
            for (int n = first; n < first + BATCH; n++) {
              if (expiring) {
                Duration life = Duration.ofDays(100).plusSeconds(n % 1_000_000);
                transaction.put(Data.scopedKey(n), Data.value(n), transaction.now().plus(life));
              } else {
                transaction.put(Data.scopedKey(n), Data.value(n));
              }
            }
            return null;
          });
    }
  }
}
