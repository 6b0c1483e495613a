package dev.veridex.store.optimistic;

import dev.veridex.store.KeyRange;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.NavigableMap;
import java.util.TreeMap;

/// The keys and ranges that recent commits wrote, with the sequence of the last write of each.
///
/// It reaches back as far as the oldest running transaction needs, but holds no more than its
/// capacity: a transaction that outlives it has to run again. Not thread-safe: the committer owns
/// it.
public final class ConflictWindow {
  private static final int LARGE = 256;
  private static final long LARGE_BYTES = 32L << 20;

  private final Space records;
  private final Space counters;
  private final int capacity;
  private long forgottenUpTo;
  private long lastSequence;

  /// @param sequence the store's newest commit: nothing is known of what was before
  public ConflictWindow(long sequence, int capacity) {
    this(sequence, capacity, LARGE);
  }

  /// @param large how many keys a commit has that is kept as it is
  ConflictWindow(long sequence, int capacity, int large) {
    this.records = new Space(large);
    this.counters = new Space(large);
    this.forgottenUpTo = sequence;
    this.lastSequence = sequence;
    this.capacity = capacity;
  }

  /// Remembers what the commit with `sequence` wrote.
  public void add(WriteSet writes, long sequence) {
    lastSequence = sequence;
    records.put(writes.records(), writes.bytes(), sequence);
    writes.appends().forEach(append -> records.put(append.handle().keyAt(sequence), sequence));
    writes.additions().keySet().forEach(key -> counters.put(key, sequence));
    for (KeyRange range : writes.deletedRanges()) {
      records.put(range, sequence);
      counters.put(range, sequence);
    }
    while (records.size() + counters.size() > capacity && forgottenUpTo < lastSequence) {
      forget(Math.min(records.oldest(), counters.oldest()));
    }
  }

  /// Forgets the commits up to `sequence`, which every running transaction has seen.
  public void forget(long sequence) {
    if (sequence > forgottenUpTo) {
      forgottenUpTo = sequence;
      records.forget(sequence);
      counters.forget(sequence);
    }
  }

  /// Whether a known commit after `sequence` wrote a record at this very key.
  public boolean wroteAfter(byte[] key, long sequence) {
    return records.wroteAfter(key, sequence);
  }

  /// Whether some commit after `sequence` is no longer known, so that nothing can be said.
  boolean isForgotten(long sequence) {
    return sequence < forgottenUpTo;
  }

  long lastSequence() {
    return lastSequence;
  }

  Space records() {
    return records;
  }

  Space counters() {
    return counters;
  }

  /// The recent writes of one key space.
  static final class Space {
    private record KeyWrite(byte[] key, long sequence) {}

    private record RangeDelete(KeyRange range, long sequence) {}

    /// The writes of a large commit, as they were handed over: to enter its keys one by one would
    /// take longer than the rest of the commit.
    private record LargeCommit(NavigableMap<byte[], ?> keys, long bytes, long sequence) {}

    private final int largeKeys;
    private final NavigableMap<byte[], Long> lastWrite = new TreeMap<>(Arrays::compareUnsigned);
    private final Deque<KeyWrite> written = new ArrayDeque<>();
    private final Deque<RangeDelete> deleted = new ArrayDeque<>();
    private final Deque<LargeCommit> large = new ArrayDeque<>();
    private int keysOfLarge;
    private long bytesOfLarge;

    private Space(int largeKeys) {
      this.largeKeys = largeKeys;
    }

    private boolean wroteAfter(byte[] key, long sequence) {
      Long last = lastWrite.get(key);
      if (last != null && last > sequence) {
        return true;
      }
      for (LargeCommit commit : large) {
        if (commit.sequence > sequence && commit.keys.containsKey(key)) {
          return true;
        }
      }
      return false;
    }

    boolean changedAfter(byte[] key, long sequence) {
      return wroteAfter(key, sequence) || deletedAfter(key, sequence);
    }

    private boolean deletedAfter(byte[] key, long sequence) {
      return deleted.stream()
          .anyMatch(range -> range.sequence > sequence && range.range.contains(key));
    }

    boolean changedAfter(KeyRange range, long sequence) {
      for (long last : WriteSet.covered(lastWrite, range).values()) {
        if (last > sequence) {
          return true;
        }
      }
      for (LargeCommit commit : large) {
        if (commit.sequence > sequence && !WriteSet.covered(commit.keys, range).isEmpty()) {
          return true;
        }
      }
      return deleted.stream()
          .anyMatch(other -> other.sequence > sequence && overlap(other.range, range));
    }

    /// @param bytes how much memory it holds if it is kept as it is, with its values
    private void put(NavigableMap<byte[], ?> keys, long bytes, long sequence) {
      if (keys.size() < largeKeys || bytesOfLarge + bytes > LARGE_BYTES) {
        keys.keySet().forEach(key -> put(key, sequence));
      } else {
        large.addLast(new LargeCommit(keys, bytes, sequence));
        keysOfLarge += keys.size();
        bytesOfLarge += bytes;
      }
    }

    private void put(byte[] key, long sequence) {
      lastWrite.put(key, sequence);
      written.addLast(new KeyWrite(key, sequence));
    }

    private void put(KeyRange range, long sequence) {
      deleted.addLast(new RangeDelete(range, sequence));
    }

    private int size() {
      return written.size() + deleted.size() + keysOfLarge;
    }

    private long oldest() {
      long key = written.isEmpty() ? Long.MAX_VALUE : written.getFirst().sequence;
      long range = deleted.isEmpty() ? Long.MAX_VALUE : deleted.getFirst().sequence;
      long commit = large.isEmpty() ? Long.MAX_VALUE : large.getFirst().sequence;
      return Math.min(Math.min(key, range), commit);
    }

    private void forget(long sequence) {
      while (!written.isEmpty() && written.getFirst().sequence <= sequence) {
        KeyWrite oldest = written.removeFirst();
        // A later write of the same key has its own place in the queue and must stay.
        lastWrite.remove(oldest.key, oldest.sequence);
      }
      while (!deleted.isEmpty() && deleted.getFirst().sequence <= sequence) {
        deleted.removeFirst();
      }
      while (!large.isEmpty() && large.getFirst().sequence <= sequence) {
        LargeCommit oldest = large.removeFirst();
        keysOfLarge -= oldest.keys.size();
        bytesOfLarge -= oldest.bytes;
      }
    }

    private static boolean overlap(KeyRange one, KeyRange other) {
      return !one.isEmpty()
          && !other.isEmpty()
          && one.to().map(to -> Arrays.compareUnsigned(other.from(), to) < 0).orElse(true)
          && other.to().map(to -> Arrays.compareUnsigned(one.from(), to) < 0).orElse(true);
    }
  }
}
