package dev.veridex.common;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/// A clock that a test moves.
public final class MutableClock implements InstantSource {
  private volatile Instant now;

  public MutableClock(Instant now) {
    this.now = now;
  }

  public static MutableClock daysAgo(int days) {
    Instant now = InstantSource.system().instant().truncatedTo(ChronoUnit.SECONDS);
    return new MutableClock(now.minus(Duration.ofDays(days)));
  }

  @Override
  public Instant instant() {
    return now;
  }

  public void set(Instant instant) {
    now = instant;
  }

  public synchronized void advance(Duration duration) {
    now = now.plus(duration);
  }
}
