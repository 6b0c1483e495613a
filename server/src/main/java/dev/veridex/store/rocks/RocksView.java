package dev.veridex.store.rocks;

import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader.Counter;
import dev.veridex.store.optimistic.StoredCursor;
import dev.veridex.store.optimistic.StoredValue;
import dev.veridex.store.optimistic.View;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.Snapshot;

/// The state of a database after a commit, shared by everybody who reads it.
///
/// One view is made per group of commits, not per reader: opening a transaction is counting up a
/// number. The database's own hold counts too, until the next view replaces this one.
final class RocksView implements View {
  private final RocksDatabase database;
  private final long sequence;
  private final Snapshot snapshot;
  private final ReadOptions options;
  private final AtomicInteger holds = new AtomicInteger(1);
  private final AtomicInteger transactions = new AtomicInteger();
  private volatile boolean released;

  RocksView(RocksDatabase database, long sequence) {
    this.database = database;
    this.sequence = sequence;
    this.snapshot = database.rocks().getSnapshot();
    this.options = new ReadOptions().setSnapshot(snapshot);
  }

  /// Holds it, unless everybody has let go.
  boolean hold() {
    int before;
    do {
      before = holds.get();
      if (before == 0) {
        return false;
      }
    } while (!holds.compareAndSet(before, before + 1));
    return true;
  }

  void letGo() {
    if (holds.decrementAndGet() == 0) {
      options.close();
      database.rocks().releaseSnapshot(snapshot);
      snapshot.close();
      released = true;
    }
  }

  /// Whether nothing native of it is left, so that the database may be closed.
  boolean isReleased() {
    return released;
  }

  int holds() {
    return holds.get();
  }

  /// How many running transactions read it: what was written after it must be remembered for them.
  AtomicInteger transactions() {
    return transactions;
  }

  RocksDatabase database() {
    return database;
  }

  Snapshot snapshot() {
    return snapshot;
  }

  @Override
  public long sequence() {
    return sequence;
  }

  @Override
  public @Nullable StoredValue get(byte[] key) {
    byte[] permanent = raw(Family.PERMANENT, key);
    if (permanent != null) {
      return StoredValue.permanent(permanent);
    }
    for (Family family : Family.EXPIRING) {
      byte[] frame = database.mayHold(family, key) ? raw(family, key) : null;
      if (frame != null) {
        return ExpiryFrame.decode(frame);
      }
    }
    return null;
  }

  @Override
  public List<@Nullable StoredValue> getAll(List<byte[]> keys) {
    List<@Nullable StoredValue> answers = new ArrayList<>(keys.size());
    List<Integer> missing = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      answers.add(null);
      missing.add(i);
    }
    for (Family family : Family.RECORDS) {
      missing = fill(answers, keys, missing, family);
    }
    return answers;
  }

  /// Answers what a family can answer.
  ///
  /// @return what is still missing
  private List<Integer> fill(
      List<@Nullable StoredValue> answers,
      List<byte[]> keys,
      List<Integer> missing,
      Family family) {
    List<byte[]> wanted = new ArrayList<>();
    List<Integer> positions = new ArrayList<>();
    List<Integer> stillMissing = new ArrayList<>();
    for (int position : missing) {
      if (database.mayHold(family, keys.get(position))) {
        wanted.add(keys.get(position));
        positions.add(position);
      } else {
        stillMissing.add(position);
      }
    }
    if (wanted.isEmpty()) {
      return missing;
    }
    List<byte @Nullable []> values = MultiGet.run(database, family, options, wanted);
    for (int i = 0; i < wanted.size(); i++) {
      byte[] value = values.get(i);
      if (value == null) {
        stillMissing.add(positions.get(i));
      } else {
        answers.set(
            positions.get(i),
            family.expires() ? ExpiryFrame.decode(value) : StoredValue.permanent(value));
      }
    }
    return stillMissing;
  }

  @Override
  public StoredCursor scan(KeyRange range, Direction direction) {
    return new RecordCursor(database, snapshot, range, direction);
  }

  @Override
  public long counter(byte[] key) {
    byte[] sum = raw(Family.COUNTERS, key);
    return sum == null ? 0 : CounterValue.decode(sum);
  }

  @Override
  public List<Counter> counters(KeyRange range) {
    List<Counter> counters = new ArrayList<>();
    try (ScanOptions bounds = new ScanOptions(snapshot, range);
        FamilyCursor cursor =
            new FamilyCursor(database, Family.COUNTERS, bounds, Direction.FORWARD)) {
      while (cursor.next()) {
        counters.add(new Counter(cursor.key(), CounterValue.decode(cursor.value())));
      }
    }
    return counters;
  }

  /// What a family holds at a key, as it is.
  byte @Nullable [] raw(Family family, byte[] key) {
    try {
      return database.rocks().get(database.handle(family), options, key);
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    }
  }
}
