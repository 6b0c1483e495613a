package dev.veridex.acl;

import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.Optional;

/// A missing permission. The caller sees its problem, which may be that there is nothing there;
/// this type tells those who keep the audit log.
public final class RefusedException extends VeridexException {
  public RefusedException(Problem problem) {
    super(problem);
  }

  /// Throws it, if there is a reason to.
  public static void throwIf(Optional<Problem> refusal) {
    if (refusal.isPresent()) {
      throw new RefusedException(refusal.get());
    }
  }
}
