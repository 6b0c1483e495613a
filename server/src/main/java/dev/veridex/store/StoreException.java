package dev.veridex.store;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;

/// A failed or rejected operation of a store.
public final class StoreException extends VeridexException {
  public StoreException(Problem problem) {
    super(problem);
  }

  public StoreException(Problem problem, Throwable cause) {
    super(problem, cause);
  }

  public static StoreException of(ErrorCode code, String detail) {
    return new StoreException(Problem.of(code, detail));
  }
}
