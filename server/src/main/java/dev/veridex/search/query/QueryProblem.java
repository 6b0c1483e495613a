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

  /// A pointer to a member.
  static String pointer(String parent, String member) {
    return parent + "/" + member.replace("~", "~0").replace("/", "~1");
  }

  static String pointer(String parent, int index) {
    return parent + "/" + index;
  }
}
