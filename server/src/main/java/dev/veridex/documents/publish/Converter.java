package dev.veridex.documents.publish;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.registry.DocumentConversion;
import dev.veridex.index.Schema;
import dev.veridex.protocol.RawDocument;
import java.util.Optional;

/// Turns a document into what an index of some schema holds.
@FunctionalInterface
public interface Converter {
  /// Converts a document to a schema.
  ///
  /// @param own whether the document was made for this very schema
  /// @return nothing, if it was not, and the schema does not allow it
  /// @throws VeridexException if it cannot be converted at all
  Optional<RawDocument> convert(RawDocument document, Schema schema, boolean own);

  /// The usual one.
  Converter USUAL =
      (document, schema, own) -> {
        Optional<RawDocument> converted = DocumentConversion.to(document, schema);
        if (own && converted.isEmpty()) {
          throw new VeridexException(
              Problem.of(
                  ErrorCode.SCHEMA_MISMATCH,
                  "the document does not fit the schema that it was made for"));
        }
        return converted;
      };
}
