package dev.veridex.documents.registry;

import dev.veridex.common.ErrorCode;

/// A rule that a document breaks.
///
/// @param pointer where in the document, as a JSON pointer
public record Violation(ErrorCode code, String detail, String pointer) {
  /// A pointer to a member of a member.
  public static String pointer(String parent, String name) {
    return parent + "/" + name.replace("~", "~0").replace("/", "~1");
  }
}
