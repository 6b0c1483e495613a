package dev.veridex.grants;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.VeridexException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The kinds of grants. They differ in the names of their parts, and in little else.
public enum GrantKind {
  /// The leave of an identity to do an action on a resource.
  APPROVAL("approval", RecordKind.APPROVAL, RecordKind.APPROVAL_BY_RESOURCE, 1),
  /// A relation of a subject to an object.
  RELATIONSHIP("relationship", RecordKind.RELATIONSHIP, RecordKind.RELATIONSHIP_BY_OBJECT, 2);

  private static final int MAX_ID_BYTES = 1024;
  private static final int MAX_NAME_BYTES = 256;

  private final String text;
  private final RecordKind records;
  private final RecordKind reverse;
  private final int target;

  /// @param target the position of the part by which the reverse index is ordered
  GrantKind(String text, RecordKind records, RecordKind reverse, int target) {
    this.text = text;
    this.records = records;
    this.reverse = reverse;
    this.target = target;
  }

  /// Its name in operations and results.
  public String text() {
    return text;
  }

  /// The kind of its records.
  RecordKind records() {
    return records;
  }

  /// The kind of the records of its reverse index.
  RecordKind reverse() {
    return reverse;
  }

  /// The names of the parts of a key, in their order.
  public List<String> parts() {
    return switch (this) {
      case APPROVAL -> List.of("identity", "resource", "action");
      case RELATIONSHIP -> List.of("subject", "relation", "object");
    };
  }

  /// The kind of a name.
  static GrantKind of(String text) {
    return text.equals(APPROVAL.text) ? APPROVAL : RELATIONSHIP;
  }

  /// The position of the part that grants are looked up by in reverse: the resource, the object.
  int target() {
    return target;
  }

  /// @throws VeridexException `BAD_REQUEST` if a part is not what it may be
  void require(List<String> key) {
    for (int i = 0; i < key.size(); i++) {
      String part = key.get(i);
      // The part that is neither who nor on what is a name: an action, a relation.
      int max = i == 0 || i == target ? MAX_ID_BYTES : MAX_NAME_BYTES;
      int bytes = part.getBytes(StandardCharsets.UTF_8).length;
      if (bytes == 0 || bytes > max || !KeyWriter.isWellFormed(part)) {
        throw new VeridexException(
            Problem.of(
                    ErrorCode.BAD_REQUEST,
                    "The %s of %s has 1 to %d bytes of well-formed UTF-8, not %d."
                        .formatted(
                            parts().get(i),
                            this == APPROVAL ? "an approval" : "a relationship",
                            max,
                            bytes))
                .at("/" + parts().get(i))
                .with("max", max)
                .with("given", bytes));
      }
    }
  }
}
