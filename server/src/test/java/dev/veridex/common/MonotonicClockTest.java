package dev.veridex.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class MonotonicClockTest {
  private static final Instant START = Instant.parse("2026-05-01T12:00:00.123456789Z");
  private static final Instant START_MICROS = Instant.parse("2026-05-01T12:00:00.123456Z");
  private final MutableClock source = new MutableClock(START);

  @Test
  void standsStillWhileItsSourceIsBehind() {
    MonotonicClock clock = new MonotonicClock(source, Instant.EPOCH);
    assertThat(clock.instant()).isEqualTo(START_MICROS);
    source.advance(Duration.ofSeconds(-10));
    assertThat(clock.instant()).isEqualTo(START_MICROS);
    source.advance(Duration.ofSeconds(11));
    assertThat(clock.instant()).isEqualTo(START_MICROS.plusSeconds(1));
  }

  @Test
  void startsFromTheLatestTimeThatWasKept() {
    MonotonicClock clock = new MonotonicClock(source, START_MICROS.plusSeconds(5));
    assertThat(clock.instant()).isEqualTo(START_MICROS.plusSeconds(5));
  }
}
