package dev.veridex.documents.receive;

import dev.veridex.common.Problem;
import dev.veridex.documents.registry.Violation;
import dev.veridex.protocol.RawDocument;
import java.util.List;

/// A document as it came.
public sealed interface DocumentInput {
  /// One that can be read.
  ///
  /// @param violations what was wrong with it so far
  record Parsed(RawDocument document, List<Violation> violations) implements DocumentInput {}

  /// Something that is no document at all.
  record Invalid(Problem problem) implements DocumentInput {}
}
