package dev.veridex.index;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;

/// An index cannot be read any more: it has to be made anew.
public final class DamagedIndexException extends VeridexException {
  private static final long serialVersionUID = 1;

  public DamagedIndexException(String name, Throwable cause) {
    super(
        Problem.of(ErrorCode.INDEX_DAMAGED, "the search index is damaged, it is made anew")
            .with("index", name),
        cause);
  }
}
