package dev.veridex.store.rocks;

import dev.veridex.common.Expiry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;

/// Knows, without looking at the records, which expiring families have something to collect.
///
/// It counts what is written by when it expires, in slots; each commit adds to the counts on disk,
/// so that they outlive the process. Records that were overwritten or deleted stay counted: a count
/// is a reason to look, never less than the truth.
final class ExpirySchedules {
  /// A family is collected before its time when so many of its records, and every fourth, are due.
  private static final long MANY = 10_000;

  private static final int SLOTS_AN_INTERVAL = 12;

  private final Map<Family, Schedule> schedules = new EnumMap<>(Family.class);
  private final RocksSettings settings;

  ExpirySchedules(RocksSettings settings) {
    this.settings = settings;
    Family.EXPIRING.forEach(family -> schedules.put(family, new Schedule()));
  }

  /// Reads the counts that a database holds.
  synchronized void load(RocksDatabase database) throws RocksDBException {
    schedules.values().forEach(schedule -> schedule.bySlotEnd.clear());
    try (RocksIterator iterator = database.rocks().newIterator(database.handle(Family.SLOTS))) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        ByteBuffer key = ByteBuffer.wrap(iterator.key());
        Schedule schedule = schedule(Family.EXPIRING.get(key.get()));
        schedule.bySlotEnd.put(key.getLong(), CounterValue.decode(iterator.value()));
      }
      iterator.status();
    }
  }

  /// The counts that one batch adds.
  final class Additions {
    private final Map<Family, Map<Long, Long>> bySlotEnd = new EnumMap<>(Family.class);

    /// @param goneAtMicros when the engine may drop it
    void written(Family family, long goneAtMicros) {
      bySlotEnd
          .computeIfAbsent(family, _ -> new HashMap<>())
          .merge(slotEnd(family, goneAtMicros), 1L, Long::sum);
    }

    /// Puts them into the batch, and into what is known.
    void addTo(WriteBatch batch, RocksDatabase database) throws RocksDBException {
      for (var family : bySlotEnd.entrySet()) {
        for (var slot : family.getValue().entrySet()) {
          batch.merge(
              database.handle(Family.SLOTS),
              slotKey(family.getKey(), slot.getKey()),
              CounterValue.encode(slot.getValue()));
          count(family.getKey(), slot.getKey(), slot.getValue());
        }
      }
    }
  }

  /// Whether a family should be collected now.
  synchronized boolean isDue(Family family, Instant now) {
    Schedule schedule = schedule(family);
    long due = sum(due(schedule, now));
    if (due == 0) {
      return false;
    }
    return !now.isBefore(schedule.collected.plus(interval(family)))
        || (due >= MANY && due >= sum(schedule.bySlotEnd) / 4);
  }

  /// A family was collected, up to what was due at `now`.
  ///
  /// @return the keys of the counts that are settled
  synchronized List<byte[]> collected(Family family, Instant now) {
    Schedule schedule = schedule(family);
    NavigableMap<Long, Long> settled = due(schedule, now);
    List<byte[]> keys = settled.keySet().stream().map(slot -> slotKey(family, slot)).toList();
    settled.clear();
    schedule.collected = now;
    return keys;
  }

  private synchronized void count(Family family, long slotEnd, long records) {
    schedule(family).bySlotEnd.merge(slotEnd, records, Long::sum);
  }

  /// The slots all of whose records are past their grace.
  private static NavigableMap<Long, Long> due(Schedule schedule, Instant now) {
    return schedule.bySlotEnd.headMap(Expiry.micros(now), true);
  }

  private Duration interval(Family family) {
    return settings.compactionInterval().multipliedBy(family.intervals());
  }

  private long slotEnd(Family family, long goneAtMicros) {
    long slot = Math.max(1, interval(family).toMillis() * 1000 / SLOTS_AN_INTERVAL);
    return (goneAtMicros / slot + 1) * slot;
  }

  private static byte[] slotKey(Family family, long slotEnd) {
    return ByteBuffer.allocate(1 + Long.BYTES)
        .put((byte) Family.EXPIRING.indexOf(family))
        .putLong(slotEnd)
        .array();
  }

  private static long sum(Map<Long, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  private Schedule schedule(Family family) {
    Schedule schedule = schedules.get(family);
    if (schedule == null) {
      throw new IllegalArgumentException("records of this family do not expire");
    }
    return schedule;
  }

  private static final class Schedule {
    private final NavigableMap<Long, Long> bySlotEnd = new TreeMap<>();

    /// When this process last collected: at first never, so that what is due is not put off by
    /// restarts.
    private Instant collected = Instant.EPOCH;
  }
}
