package dev.veridex.documents.registry;

import dev.veridex.common.ErrorCode;

/// A rule that a document breaks.
///
/// @param pointer where in the document, as a JSON pointer
public record Violation(ErrorCode code, String detail, String pointer) {}
