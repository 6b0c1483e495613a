package dev.veridex.common;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;

/// A clock that never runs back: it stands still while its source is behind what it showed before.
///
/// It ticks in whole microseconds, the finest time a stored record keeps, so that a comparison with
/// a stored expiry is exact. To hold over a restart, it starts from the latest time that was
/// persisted.
public final class MonotonicClock implements InstantSource {
  private final InstantSource source;
  private final AtomicReference<Instant> latest;

  public MonotonicClock(InstantSource source, Instant atLeast) {
    this.source = source;
    this.latest = new AtomicReference<>(atLeast.truncatedTo(ChronoUnit.MICROS));
  }

  @Override
  public Instant instant() {
    Instant now = source.instant().truncatedTo(ChronoUnit.MICROS);
    Instant shown = latest.get();
    while (now.isAfter(shown)) {
      if (latest.compareAndSet(shown, now)) {
        return now;
      }
      shown = latest.get();
    }
    return shown;
  }
}
