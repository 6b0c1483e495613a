package dev.veridex.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.veridex.common.TtlPolicy.Life;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TtlPolicyTest {
  private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");
  private static final Duration MIN = Duration.ofMinutes(1);
  private static final Duration MAX = Duration.ofDays(365);
  private final TtlPolicy policy = TtlPolicy.STANDARD;

  @Test
  void withoutTtlAndDefaultARecordLivesForEver() {
    assertThat(settle(policy, null, null)).isEqualTo(new Life.Forever());
  }

  @Test
  void withoutTtlTheDefaultCounts() {
    assertThat(settle(TtlPolicy.TEMPORARY, null, null))
        .isEqualTo(new Life.Until(NOW.plus(Duration.ofHours(1)), false));
  }

  @Test
  void theBoundsThemselvesAreAllowed() {
    for (Duration ttl : new Duration[] {MIN, MAX}) {
      assertThat(settle(policy, ttl, null)).isEqualTo(new Life.Until(NOW.plus(ttl), false));
      assertThat(settle(policy, null, NOW.plus(ttl)))
          .isEqualTo(new Life.Until(NOW.plus(ttl), false));
    }
  }

  @Test
  void outsideTheBoundsIsRefusedAndNeverClamped() {
    for (Duration ttl : new Duration[] {MIN.minusNanos(1), MAX.plusNanos(1)}) {
      assertRefused(settle(policy, ttl, null), ttl);
      assertRefused(settle(policy, null, NOW.plus(ttl)), ttl);
    }
  }

  private static void assertRefused(Life life, Duration given) {
    assertThat(life)
        .isInstanceOfSatisfying(
            Life.Refused.class,
            refused -> {
              assertThat(refused.problem().code()).isEqualTo(ErrorCode.INVALID_TTL);
              assertThat(refused.problem().values())
                  .containsEntry("given", given.toString())
                  .containsEntry("min", MIN.toString())
                  .containsEntry("max", MAX.toString());
            });
  }

  @Test
  void aPolicyThatOnlyAdvisesWarns() {
    TtlPolicy advisory = new TtlPolicy(Optional.empty(), MIN, MAX, false);
    assertThat(settle(advisory, Duration.ofSeconds(1), null))
        .isEqualTo(new Life.Until(NOW.plusSeconds(1), true));
    assertThat(settle(advisory, MAX.plusDays(1), null))
        .isEqualTo(new Life.Until(NOW.plus(MAX.plusDays(1)), true));
    assertThat(settle(advisory, MIN, null)).isEqualTo(new Life.Until(NOW.plus(MIN), false));
    assertThat(settle(advisory, Duration.ZERO, null)).isInstanceOf(Life.Refused.class);
    assertThat(settle(advisory, Duration.ofSeconds(-1), null)).isInstanceOf(Life.Refused.class);
    assertThat(settle(advisory, null, NOW)).isInstanceOf(Life.Refused.class);
    assertThat(settle(advisory, Duration.ofSeconds(Long.MAX_VALUE), null))
        .isInstanceOf(Life.Refused.class);
  }

  @Test
  void extremesAreRefusedNotThrown() {
    Instant[] instants = {Instant.MIN, Instant.MAX};
    Duration[] durations = {
      Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(Long.MAX_VALUE), Duration.ZERO
    };
    for (Instant instant : instants) {
      assertThat(settle(policy, null, instant)).isInstanceOf(Life.Refused.class);
      for (Duration duration : durations) {
        assertThat(settle(policy, duration, instant)).isInstanceOf(Life.Refused.class);
        assertThat(settle(policy, duration, null)).isInstanceOf(Life.Refused.class);
      }
    }
  }

  @Test
  void ttlAndExpiryMustAgree() {
    Duration ttl = Duration.ofHours(1);
    assertThat(settle(policy, ttl, NOW.plus(ttl))).isEqualTo(new Life.Until(NOW.plus(ttl), false));
    Instant slightlyOff = NOW.plus(ttl).minusMillis(800);
    assertThat(settle(policy, ttl, slightlyOff)).isEqualTo(new Life.Until(slightlyOff, false));
    assertThat(settle(policy, ttl, NOW.plus(ttl).plusSeconds(2))).isInstanceOf(Life.Refused.class);
  }

  @Test
  void aPolicyThatContradictsItselfIsRefused() {
    assertInvalid(Optional.empty(), MAX, MIN);
    assertInvalid(Optional.of(Duration.ofSeconds(1)), MIN, MAX);
    assertInvalid(Optional.of(MAX.plusSeconds(1)), MIN, MAX);
    assertInvalid(Optional.empty(), Duration.ZERO, MAX);
    assertInvalid(Optional.empty(), Duration.ofSeconds(-1), MAX);
    assertThat(new TtlPolicy(Optional.of(MIN), MIN, MIN, true).max()).isEqualTo(MIN);
  }

  private static void assertInvalid(Optional<Duration> defaultTtl, Duration min, Duration max) {
    assertThatExceptionOfType(VeridexException.class)
        .isThrownBy(() -> new TtlPolicy(defaultTtl, min, max, false))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_TTL_POLICY));
  }

  private static Life settle(
      TtlPolicy policy, @Nullable Duration ttl, @Nullable Instant expiresAt) {
    return policy.settle(NOW, Optional.ofNullable(ttl), Optional.ofNullable(expiresAt));
  }
}
