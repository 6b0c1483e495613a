package dev.veridex.benchmarks;

import dev.veridex.store.rocks.RocksStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// What reaches the disk for each byte of documents.
///
/// Counted is what this process sends to the disk (`write_bytes` of the system): log, flushes and
/// compactions, until nothing more comes; and what is in sorted files then.
final class DocumentDisk {
  private static final int DOCUMENTS = Integer.getInteger("documents", 500_000);
  private static final Duration QUIET = Duration.ofSeconds(2);
  private static final int ONE_BY_ONE = 64;

  private DocumentDisk() {}

  static void run() {
    System.out.printf(
        "%namplification: %,d documents of %d bytes%n%n", DOCUMENTS, DocumentData.BYTES);
    System.out.println(
        "| what | documents MB | written MB | written/documents | in sorted files MB |");
    System.out.println("|---|---:|---:|---:|---:|");
    raw();
    received("received in bulk", false, false);
    received("received one by one, " + ONE_BY_ONE + " in flight", true, false);
    received("received in bulk and sent to the topic", false, true);
  }

  private static void raw() {
    Path folder = Data.folder();
    try (RocksStore store = Data.store(folder.resolve("store"), InstantSource.system())) {
      long before = settled();
      for (int n = 0; n < DOCUMENTS; n += DocumentData.BATCH) {
        DocumentRaw.transact(store, DocumentData.BATCH);
      }
      print("our store's batches of the same records", settled() - before, store);
    } finally {
      Data.delete(folder);
    }
  }

  private static void received(String what, boolean oneByOne, boolean sent) {
    try (DocumentWorld world = new DocumentWorld()) {
      world.drain(world.waiting());
      long before = settled();
      if (oneByOne) {
        AtomicLong left = new AtomicLong(DOCUMENTS);
        Driver.inParallel(
            ONE_BY_ONE,
            () -> {
              while (left.getAndDecrement() > 0) {
                world.receive(DocumentData.messages(1));
              }
            });
      } else {
        world.fill(DOCUMENTS);
      }
      if (sent) {
        world.drain(DOCUMENTS);
      }
      print(what, settled() - before, world.store);
    }
  }

  /// What was written, once nothing more is.
  private static long settled() {
    return settled(QUIET);
  }

  /// @param quiet how long nothing must have been written
  static long settled(Duration quiet) {
    long before = -1;
    long now = StoreCompaction.writtenBytes();
    while (now != before) {
      LockSupport.parkNanos(quiet.toNanos());
      before = now;
      now = StoreCompaction.writtenBytes();
    }
    return now;
  }

  private static void print(String what, long written, RocksStore store) {
    long user = (long) DOCUMENTS * DocumentData.BYTES;
    long kept = store.bytesOnDisk().values().stream().mapToLong(Long::longValue).sum();
    System.out.printf(
        "| %s | %d | %d | %.2f | %d |%n",
        what, user >> 20, written >> 20, (double) written / user, kept >> 20);
  }
}
