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
  private final Space records = new Space();
  private final Space counters = new Space();
  private final int capacity;
  private long forgottenUpTo;
  private long lastSequence;

  /// @param sequence the store's newest commit: nothing is known of what was before
  public ConflictWindow(long sequence, int capacity) {
    this.forgottenUpTo = sequence;
    this.lastSequence = sequence;
    this.capacity = capacity;
  }

  /// Remembers what the commit with `sequence` wrote.
  public void add(Writes writes, long sequence) {
    lastSequence = sequence;
    writes.records().keySet().forEach(key -> records.put(key, sequence));
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
    Long last = records.lastWrite.get(key);
    return last != null && last > sequence;
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
    private record Written(byte[] key, long sequence) {}

    private record Deleted(KeyRange range, long sequence) {}

    private final NavigableMap<byte[], Long> lastWrite = new TreeMap<>(Arrays::compareUnsigned);
    private final Deque<Written> written = new ArrayDeque<>();
    private final Deque<Deleted> deleted = new ArrayDeque<>();

    boolean changedAfter(byte[] key, long sequence) {
      Long last = lastWrite.get(key);
      if (last != null && last > sequence) {
        return true;
      }
      return deleted.stream()
          .anyMatch(range -> range.sequence > sequence && range.range.contains(key));
    }

    boolean changedAfter(KeyRange range, long sequence) {
      for (long last : Writes.covered(lastWrite, range).values()) {
        if (last > sequence) {
          return true;
        }
      }
      return deleted.stream()
          .anyMatch(other -> other.sequence > sequence && overlap(other.range, range));
    }

    private void put(byte[] key, long sequence) {
      lastWrite.put(key, sequence);
      written.addLast(new Written(key, sequence));
    }

    private void put(KeyRange range, long sequence) {
      deleted.addLast(new Deleted(range, sequence));
    }

    private int size() {
      return written.size() + deleted.size();
    }

    private long oldest() {
      long key = written.isEmpty() ? Long.MAX_VALUE : written.getFirst().sequence;
      long range = deleted.isEmpty() ? Long.MAX_VALUE : deleted.getFirst().sequence;
      return Math.min(key, range);
    }

    private void forget(long sequence) {
      while (!written.isEmpty() && written.getFirst().sequence <= sequence) {
        Written oldest = written.removeFirst();
        // A later write of the same key has its own place in the queue and must stay.
        lastWrite.remove(oldest.key, oldest.sequence);
      }
      while (!deleted.isEmpty() && deleted.getFirst().sequence <= sequence) {
        deleted.removeFirst();
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
