package dev.veridex.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ProblemTest {
  @Test
  void keepsItsSentenceApartFromItsFacts() {
    Problem problem =
        Problem.of(ErrorCode.INVALID_TTL, "a TTL is positive").with("given", -3).at("/ttl");
    assertThat(problem.detail()).isEqualTo("a TTL is positive");
    assertThat(problem.values()).containsEntry("given", "-3");
    assertThat(problem.pointer()).contains("/ttl");
    assertThat(problem.retryable()).isFalse();
    assertThat(new VeridexException(problem))
        .hasMessage("INVALID_TTL: a TTL is positive {given=-3}");
  }
}
