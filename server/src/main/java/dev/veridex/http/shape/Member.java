package dev.veridex.http.shape;

/// A named value inside a JSON object.
///
/// @param required whether it is always there
public record Member<T>(String name, Type<T> type, boolean required, String description) {

  /// A member that is always there.
  public static <T> Member<T> required(String name, Type<T> type, String description) {
    return new Member<>(name, type, true, description);
  }

  /// A member that may be absent.
  public static <T> Member<T> optional(String name, Type<T> type, String description) {
    return new Member<>(name, type, false, description);
  }
}
