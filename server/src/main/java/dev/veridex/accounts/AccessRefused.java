package dev.veridex.accounts;

import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;

/// Somebody may not do what they tried. Its problem is what they hear of it, which may be that
/// there is nothing there; this type tells those who keep the audit log.
public final class AccessRefused extends VeridexException {
  public AccessRefused(Problem problem) {
    super(problem);
  }
}
