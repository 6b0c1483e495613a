package dev.veridex.common;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// An error in the shape that clients receive (RFC 9457 with our extension members).
///
/// The detail is a fixed sentence; what varies stands in `values`, so that logs and clients can
/// group problems by their text.
///
/// @param code the kind of failure
/// @param detail one sentence for a person
/// @param pointer the JSON pointer of the member at fault, where there is one
/// @param values the facts of this very case, by name, in the order of their names
public record Problem(
    ErrorCode code, String detail, Optional<String> pointer, Map<String, String> values) {

  public Problem {
    values = Collections.unmodifiableMap(new TreeMap<>(values));
  }

  public static Problem of(ErrorCode code, String detail) {
    return new Problem(code, detail, Optional.empty(), Map.of());
  }

  /// The same problem with one more fact.
  public Problem with(String name, Object value) {
    Map<String, String> more = new TreeMap<>(values);
    more.put(name, String.valueOf(value));
    return new Problem(code, detail, pointer, more);
  }

  /// The same problem, blaming the member at `pointer`.
  public Problem at(String pointer) {
    return new Problem(code, detail, Optional.of(pointer), values);
  }

  public boolean retryable() {
    return code.retryable();
  }

  @Override
  public String toString() {
    return code + ": " + detail + (values.isEmpty() ? "" : " " + values);
  }
}
