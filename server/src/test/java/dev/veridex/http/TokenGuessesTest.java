package dev.veridex.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class TokenGuessesTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final TokenGuesses guesses = new TokenGuesses();

  private Duration fail(String address, Instant when, int times) {
    Duration delay = Duration.ZERO;
    for (int i = 0; i < times; i++) {
      delay = guesses.failed(address, when).delay();
    }
    return delay;
  }

  @Test
  void aHandfulIsFreeThenItGetsSlower() {
    assertThat(fail("192.0.2.1", NOW, TokenGuesses.FREE)).isZero();
    Duration first = fail("192.0.2.1", NOW, 1);
    assertThat(first).isPositive();
    assertThat(fail("192.0.2.1", NOW, 1)).isGreaterThan(first);
    assertThat(fail("192.0.2.1", NOW, 10_000)).isEqualTo(Duration.ofSeconds(5));
    assertThat(fail("192.0.2.2", NOW, 1)).as("another address").isZero();
  }

  @Test
  void timeHeals() {
    fail("192.0.2.1", NOW, TokenGuesses.FREE + 10);
    assertThat(fail("192.0.2.1", NOW.plusSeconds(11), 1)).isZero();
    TokenGuesses.GuessResult later = guesses.failed("192.0.2.1", NOW.plusSeconds(10_000));
    assertThat(later.failures()).as("counted anew").isEqualTo(1);
  }

  @Test
  void slowerThanOneASecondIsNeverSlowedDown() {
    for (int i = 0; i < 1000; i++) {
      assertThat(fail("192.0.2.1", NOW.plusMillis(1001L * i), 1)).isZero();
    }
  }

  @Test
  void aNetworkOfIpv6CountsAsOne() {
    for (int i = 0; i < TokenGuesses.FREE; i++) {
      fail("2001:db8:0:1::" + Integer.toHexString(i), NOW, 1);
    }
    assertThat(fail("2001:db8:0:1:ffff:ffff:ffff:ffff", NOW, 1)).isPositive();
    assertThat(fail("2001:db8:0:2::1", NOW, 1)).isZero();
  }

  @Test
  void theTableIsBounded() {
    fail("192.0.2.1", NOW, TokenGuesses.FREE);
    for (int i = 0; i < 20_000; i++) {
      fail("10.%d.%d.%d".formatted(i >> 16, i >> 8 & 255, i & 255), NOW, 1);
    }
    assertThat(fail("192.0.2.1", NOW, 1)).as("forgotten").isZero();
  }
}
