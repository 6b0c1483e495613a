package dev.veridex.store.rocks;

import java.time.Duration;
import java.util.List;

/// A column family: records of one kind, kept in files of their own.
///
/// Records that expire are kept apart from those that do not, and by how long they live, so that
/// collecting short-lived ones rewrites neither long-lived nor permanent ones. A key stands in at
/// most one record family at a time.
enum Family {
  PERMANENT("default", 0),
  /// Records written to live for at most a day.
  DAY("expiring-day", 1),
  /// Records written to live for at most a week.
  WEEK("expiring-week", 7),
  /// Records written to live longer, but not for ever.
  LONG("expiring-long", 24),
  COUNTERS("counters", 0),
  /// How many expiring records were written, by family and time of expiry.
  SLOTS("expiry-slots", 0),
  /// The history of commits, by sequence.
  LOG("log", 0);

  static final List<Family> EXPIRING = List.of(DAY, WEEK, LONG);
  static final List<Family> RECORDS = List.of(PERMANENT, DAY, WEEK, LONG);

  private static final long DAY_MICROS = Duration.ofDays(1).toSeconds() * 1_000_000;

  private final String columnFamily;
  private final int intervals;

  Family(String columnFamily, int intervals) {
    this.columnFamily = columnFamily;
    this.intervals = intervals;
  }

  /// Its name in the database; stored, so never changed.
  String columnFamily() {
    return columnFamily;
  }

  boolean expires() {
    return intervals > 0;
  }

  /// How long its records wait for collection, as a multiple of the shortest class's interval.
  int intervals() {
    return intervals;
  }

  /// Whether its values are sums that additions are merged into.
  boolean adds() {
    return this == COUNTERS || this == SLOTS;
  }

  /// The family for a record that is to live so long.
  static Family forLife(long lifeMicros) {
    if (lifeMicros <= DAY_MICROS) {
      return DAY;
    }
    return lifeMicros <= 7 * DAY_MICROS ? WEEK : LONG;
  }
}
