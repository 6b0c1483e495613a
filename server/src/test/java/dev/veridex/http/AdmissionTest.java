package dev.veridex.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.VeridexException;
import org.junit.jupiter.api.Test;

final class AdmissionTest {
  private final Admission admission = new Admission(2, 100);

  @Test
  void answersHaveRoomOfTheirOwn() {
    admission.reserve(100);
    admission.reserveAnswer(60);
    assertThatExceptionOfType(VeridexException.class)
        .as("who takes no answers keeps others from getting any, and from nothing else")
        .isThrownBy(() -> admission.reserveAnswer(50))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
    admission.releaseAnswer(60);
    admission.reserveAnswer(100);
    assertThatExceptionOfType(VeridexException.class).isThrownBy(() -> admission.reserve(1));
  }
}
