package dev.veridex.search.query;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;

/// Errors in a query, with a pointer into it.
final class QueryProblem {
  private QueryProblem() {}

  static VeridexException at(String pointer, String detail) {
    return new VeridexException(Problem.of(ErrorCode.BAD_QUERY, detail).at(pointer));
  }
}
