package dev.veridex.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.VeridexException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class AdmissionTest {
  private static void refuses(ErrorCode code, ThrowingCallable attempt) {
    assertThatThrownBy(attempt)
        .isInstanceOfSatisfying(VeridexException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void noMoreThanItTakes() {
    Admission admission = new Admission(2, 10);
    admission.enter();
    admission.enter();
    refuses(ErrorCode.OVERLOADED, admission::enter);
    assertThat(admission.inFlight()).isEqualTo(2);
    admission.leave();
    admission.enter();
  }

  @Test
  void bytesOfBodiesAreLimitedTogether() {
    Admission admission = new Admission(2, 10);
    admission.reserve(6);
    refuses(ErrorCode.OVERLOADED, () -> admission.reserve(5));
    admission.reserve(4);
    admission.release(6);
    admission.reserve(6);
  }

  @Test
  void stoppingWaitsForThoseInside() throws Exception {
    Admission admission = new Admission(2, 10);
    admission.enter();
    assertThat(admission.stop(Duration.ZERO)).as("somebody is still inside").isFalse();
    refuses(ErrorCode.STOPPING, admission::enter);
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Boolean> stopped = executor.submit(() -> admission.stop(Duration.ofMinutes(1)));
      admission.leave();
      assertThat(stopped.get()).isTrue();
    }
    refuses(ErrorCode.STOPPING, admission::enter);
  }
}
