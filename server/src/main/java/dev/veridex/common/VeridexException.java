package dev.veridex.common;

import java.util.Optional;

/// A fault or a refusal that carries its [Problem]; the root of the small families of each port.
public class VeridexException extends RuntimeException {
  private final transient Problem problem;

  public VeridexException(Problem problem) {
    super(problem.toString());
    this.problem = problem;
  }

  public VeridexException(Problem problem, Throwable cause) {
    super(problem.toString(), cause);
    this.problem = problem;
  }

  /// Throws one, if there is a problem.
  public static void throwIf(Optional<Problem> problem) {
    if (problem.isPresent()) {
      throw new VeridexException(problem.get());
    }
  }

  public final Problem problem() {
    return problem;
  }

  public final ErrorCode code() {
    return problem.code();
  }
}
