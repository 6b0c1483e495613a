package dev.veridex.store.rocks;

import dev.veridex.common.Expiry;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/// Knows, without looking at the records, which expiring families have something to collect.
///
/// It counts what was written by when it expires, in slots of a twelfth of the interval. Records
/// that were there before this process started are not counted; a family that had some is collected
/// once without knowing.
final class ExpirySchedules {
  /// A family is collected before its time when so many of its records, and every fourth, are due.
  private static final long MANY = 10_000;

  private static final int SLOTS_AN_INTERVAL = 12;

  private final Map<Family, Schedule> schedules = new EnumMap<>(Family.class);
  private final RocksSettings settings;
  private final long slotMicros;

  ExpirySchedules(RocksSettings settings, Instant now) {
    this.settings = settings;
    long interval = settings.compactionInterval().toMillis() * 1000;
    this.slotMicros = Math.max(1, interval / SLOTS_AN_INTERVAL);
    Family.EXPIRING.forEach(family -> schedules.put(family, new Schedule(now)));
  }

  /// The family was there before and may hold records that nobody counted.
  synchronized void foundInUse(Family family) {
    schedule(family).uncounted = true;
  }

  synchronized void written(Family family, long expiresAtMicros) {
    schedule(family).bySlot.merge(expiresAtMicros / slotMicros, 1L, Long::sum);
  }

  /// Whether a family should be collected now.
  synchronized boolean isDue(Family family, Instant now) {
    Schedule schedule = schedule(family);
    long due = schedule.due(lastDueSlot(now)).values().stream().mapToLong(Long::longValue).sum();
    if (due == 0 && !schedule.uncounted) {
      return false;
    }
    Duration interval = settings.compactionInterval().multipliedBy(family.intervals());
    long all = schedule.bySlot.values().stream().mapToLong(Long::longValue).sum();
    return !now.isBefore(schedule.collected.plus(interval)) || (due >= MANY && due >= all / 4);
  }

  /// A family was collected, up to what was due at `now`.
  synchronized void collected(Family family, Instant now) {
    Schedule schedule = schedule(family);
    schedule.due(lastDueSlot(now)).clear();
    schedule.uncounted = false;
    schedule.collected = now;
  }

  /// The last slot all of whose records are past their grace.
  private long lastDueSlot(Instant now) {
    return Expiry.micros(now.minus(settings.grace())) / slotMicros - 1;
  }

  private Schedule schedule(Family family) {
    Schedule schedule = schedules.get(family);
    if (schedule == null) {
      throw new IllegalArgumentException("records of this family do not expire");
    }
    return schedule;
  }

  private static final class Schedule {
    private final NavigableMap<Long, Long> bySlot = new TreeMap<>();
    private Instant collected;
    private boolean uncounted;

    private Schedule(Instant now) {
      this.collected = now;
    }

    private NavigableMap<Long, Long> due(long lastSlot) {
      return bySlot.headMap(lastSlot, true);
    }
  }
}
