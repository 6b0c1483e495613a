package dev.veridex.buckets;

import java.time.Duration;

/// The retention of past revisions.
public sealed interface Retention {
  /// The most revisions that can be kept by number.
  int MAX_COUNT = 1000;

  /// For ever.
  record All() implements Retention {}

  /// The newest `count` of them, the current one among them; the others for a grace.
  record Latest(int count, Duration grace) implements Retention {}

  /// Revisions written no longer ago than this are kept. The current one always stays.
  record Ttl(Duration ttl) implements Retention {}

  /// The newest `count` of those written in the same stretch of time; the others for a grace.
  record Interval(Duration interval, int count, Duration grace) implements Retention {}
}
