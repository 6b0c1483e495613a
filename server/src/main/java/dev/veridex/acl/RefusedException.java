package dev.veridex.acl;

import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.List;
import java.util.Optional;

/// A missing permission. The caller sees its problem, which may be that there is nothing there;
/// this type tells those who keep the audit log.
public final class RefusedException extends VeridexException {
  private static final long serialVersionUID = 1;

  private final transient List<String> key;

  public RefusedException(Problem problem) {
    this(problem, List.of());
  }

  /// @param key the parts of what it is about, where a request's path does not name it
  public RefusedException(Problem problem, List<String> key) {
    super(problem);
    this.key = List.copyOf(key);
  }

  /// The parts of what it is about; none: the request's path names it.
  public List<String> key() {
    return key;
  }

  /// Throws it, if there is a reason to.
  public static void throwIf(Optional<Problem> refusal) {
    if (refusal.isPresent()) {
      throw new RefusedException(refusal.get());
    }
  }
}
