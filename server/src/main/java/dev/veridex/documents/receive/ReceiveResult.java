package dev.veridex.documents.receive;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.documents.registry.Violation;
import java.util.List;
import java.util.Optional;

/// The result of receiving a document.
///
/// @param status `ACK`, `ACK_DUPLICATE`, or the code of what is wrong
/// @param code absent if it was accepted
/// @param violations all that is wrong with it
/// @param expired whether its life was over when it came: it is remembered, and not to be found
public record ReceiveResult(
    String pk,
    String status,
    Optional<ErrorCode> code,
    List<Violation> violations,
    boolean expired) {
  private static final String ACK = "ACK";
  private static final String ACK_DUPLICATE = "ACK_DUPLICATE";

  static ReceiveResult ack(String pk, boolean expired) {
    return new ReceiveResult(pk, ACK, Optional.empty(), List.of(), expired);
  }

  static ReceiveResult duplicate(String pk) {
    return new ReceiveResult(pk, ACK_DUPLICATE, Optional.empty(), List.of(), false);
  }

  static ReceiveResult refused(String pk, List<Violation> violations) {
    ErrorCode first = violations.getFirst().code();
    return new ReceiveResult(pk, first.name(), Optional.of(first), violations, false);
  }

  static ReceiveResult refused(String pk, ErrorCode code, String detail) {
    return refused(pk, List.of(new Violation(code, detail, "")));
  }

  static ReceiveResult refused(String pk, Problem problem) {
    return refused(
        pk, List.of(new Violation(problem.code(), problem.detail(), problem.pointer().orElse(""))));
  }

  /// Whether the same document may be accepted later.
  ///
  /// What others stored is no reason to try again.
  public boolean retryable() {
    return code.filter(each -> each.retryable() && each != ErrorCode.CONFLICT).isPresent();
  }

  /// The same for somebody who may not know what is stored.
  ReceiveResult hidden() {
    boolean tells =
        code.filter(
                each ->
                    each == ErrorCode.STALE_DOCUMENT
                        || each == ErrorCode.CONFLICT
                        || each == ErrorCode.TOO_LATE)
            .isPresent();
    if (tells) {
      return refused(pk, ErrorCode.REJECTED, "the document was not accepted");
    }
    return status.equals(ACK_DUPLICATE) ? ack(pk, false) : this;
  }
}
