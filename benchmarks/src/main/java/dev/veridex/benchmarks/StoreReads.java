package dev.veridex.benchmarks;

import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.rocks.RocksStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// Gets and scans of a million records, next to RocksDB itself with the same keys and values.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class StoreReads {
  private static final int RECORDS = 1_000_000;
  private static final int BATCH = 1_000;
  private static final int SCAN = 100;

  /// Which of our records expire, some day: none, one in ten that are of another kind than those
  /// read, or one in ten of those read. RocksDB's never do.
  @Param({"none", "others", "some"})
  public String expiring;

  private Path folder;
  private RawRocks raw;
  private RocksStore store;
  private Snapshot snapshot;
  private final SplittableRandom random = new SplittableRandom(7);

  /// Made beforehand, so that making keys is not what is measured.
  private final byte[][] some = new byte[1 << 18][];

  private final byte[][] bareKeys = new byte[some.length][];
  private RawRocks bare;

  @Setup(Level.Trial)
  public void load() throws RocksDBException {
    for (int i = 0; i < some.length; i++) {
      int n = random.nextInt(RECORDS);
      some[i] = Data.scopedKey(n);
      bareKeys[i] = Data.rawKey(n);
    }
    folder = Data.folder();
    raw = new RawRocks(folder.resolve("raw"));
    bare = new RawRocks(folder.resolve("bare"));
    store = Data.store(folder.resolve("store"), InstantSource.system());
    try (WriteOptions unsynced = new WriteOptions()) {
      for (int from = 0; from < RECORDS; from += BATCH) {
        try (WriteBatch batch = new WriteBatch();
            WriteBatch bareBatch = new WriteBatch()) {
          for (int n = from; n < from + BATCH; n++) {
            batch.put(Data.scopedKey(n), Data.value(n));
            bareBatch.put(Data.rawKey(n), Data.value(n));
          }
          raw.db.write(unsynced, batch);
          bare.db.write(unsynced, bareBatch);
        }
        int first = from;
        store.transact(
            transaction -> {
              for (int n = first; n < first + BATCH; n++) {
                Instant expiresAt = transaction.now().plus(Duration.ofDays(n % 300 + 1));
                boolean tenth = n % 100 < 10;
                if (tenth && expiring.equals("some")) {
                  transaction.put(Data.scopedKey(n), Data.value(n), expiresAt);
                } else {
                  transaction.put(Data.scopedKey(n), Data.value(n));
                }
                if (tenth && expiring.equals("others")) {
                  transaction.put(Data.otherKey(n), Data.value(n), expiresAt);
                }
              }
              return null;
            });
      }
    }
    raw.compact();
    bare.compact();
    store.compact();
    snapshot = store.snapshot();
  }

  @TearDown(Level.Trial)
  public void remove() {
    snapshot.close();
    store.close();
    raw.close();
    bare.close();
    Data.delete(folder);
  }

  @Benchmark
  public byte[] getRaw() throws RocksDBException {
    return raw.db.get(key());
  }

  /// What scoped keys cost: the same with nothing around the id.
  @Benchmark
  public byte[] getRawBareKey() throws RocksDBException {
    return bare.db.get(bareKeys[random.nextInt(bareKeys.length)]);
  }

  @Benchmark
  public byte[] getOurs() {
    return snapshot.get(key()).orElseThrow();
  }

  @Benchmark
  public byte[] getOursInATransaction() {
    byte[] key = key();
    return store.transact(transaction -> transaction.get(key).orElseThrow()).result();
  }

  @Benchmark
  public void multiGetRaw(Blackhole blackhole) throws RocksDBException {
    blackhole.consume(raw.db.multiGetAsList(keys()));
  }

  @Benchmark
  public void multiGetOurs(Blackhole blackhole) {
    blackhole.consume(snapshot.getAll(keys()));
  }

  private byte[] key() {
    return some[random.nextInt(some.length)];
  }

  private List<byte[]> keys() {
    List<byte[]> keys = new ArrayList<>(SCAN);
    for (int i = 0; i < SCAN; i++) {
      keys.add(key());
    }
    return keys;
  }

  @Benchmark
  public void scanRaw(Blackhole blackhole) throws RocksDBException {
    try (RocksIterator iterator = raw.db.newIterator()) {
      int left = SCAN;
      for (iterator.seek(key()); left > 0 && iterator.isValid(); iterator.next()) {
        blackhole.consume(iterator.key());
        blackhole.consume(iterator.value());
        left--;
      }
      iterator.status();
    }
  }

  @Benchmark
  public void scanOurs(Blackhole blackhole) {
    KeyRange range = KeyRange.between(key(), Data.END);
    try (Cursor cursor = snapshot.scan(range, Direction.FORWARD)) {
      for (int left = SCAN; left > 0 && cursor.next(); left--) {
        blackhole.consume(cursor.key());
        blackhole.consume(cursor.value());
      }
    }
  }
}
