package dev.veridex.documents.receive;

import dev.veridex.common.Problem;
import dev.veridex.documents.registry.Violation;
import dev.veridex.protocol.RawDocument;
import java.util.List;

/// A document as it came.
public sealed interface DocumentInput {
  /// A document that could be parsed.
  ///
  /// @param violations what was wrong with it so far
  record Parsed(RawDocument document, List<Violation> violations) implements DocumentInput {}

  /// An input that is not a document.
  record Invalid(Problem problem) implements DocumentInput {}
}
