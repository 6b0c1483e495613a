package dev.veridex.documents.receive;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.documents.registry.Violation;
import java.util.List;
import java.util.Optional;

/// The result of receiving a document.
public sealed interface ReceiveResult {
  String pk();

  /// The document is stored and will be published.
  ///
  /// @param expired whether its life was over when it came: it is remembered, and not to be found
  record Accepted(String pk, boolean expired) implements ReceiveResult {}

  /// The same document is stored already.
  record Duplicate(String pk) implements ReceiveResult {}

  /// The document is not stored.
  ///
  /// @param violations all reasons, at least one; the code is that of the first
  record Refused(String pk, List<Violation> violations) implements ReceiveResult {
    public Refused {
      violations = List.copyOf(violations);
    }

    static Refused of(String pk, ErrorCode code, String detail) {
      return new Refused(pk, List.of(new Violation(code, detail, "")));
    }

    static Refused of(String pk, Problem problem) {
      return new Refused(
          pk,
          List.of(new Violation(problem.code(), problem.detail(), problem.pointer().orElse(""))));
    }

    ErrorCode first() {
      return violations.getFirst().code();
    }
  }

  /// Its text in answers: `ACK`, `ACK_DUPLICATE`, or the code of what is wrong.
  default String status() {
    return switch (this) {
      case Accepted _ -> "ACK";
      case Duplicate _ -> "ACK_DUPLICATE";
      case Refused refused -> refused.first().name();
    };
  }

  /// The code of what is wrong; absent if it was accepted.
  default Optional<ErrorCode> code() {
    return this instanceof Refused refused ? Optional.of(refused.first()) : Optional.empty();
  }

  /// All that is wrong with it.
  default List<Violation> violations() {
    return this instanceof Refused(_, List<Violation> all) ? all : List.of();
  }

  /// Whether it was accepted, and its life was over when it came.
  default boolean expired() {
    return this instanceof Accepted(_, boolean expired) && expired;
  }

  /// Whether the same document may be accepted later.
  ///
  /// What others stored is no reason to try again.
  default boolean retryable() {
    return code().filter(each -> each.retryable() && each != ErrorCode.CONFLICT).isPresent();
  }

  /// The same for somebody who may not know what is stored.
  default ReceiveResult hidden() {
    return switch (this) {
      case Accepted accepted -> accepted;
      case Duplicate(String pk) -> new Accepted(pk, false);
      case Refused refused ->
          switch (refused.first()) {
            case STALE_DOCUMENT, CONFLICT, TOO_LATE ->
                Refused.of(refused.pk, ErrorCode.REJECTED, "the document was not accepted");
            default -> refused;
          };
    };
  }
}
