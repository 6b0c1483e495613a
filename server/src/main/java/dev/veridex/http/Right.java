package dev.veridex.http;

/// What a caller needs for a route.
public sealed interface Right<Q> {
  /// No token at all.
  record Open<Q>() implements Right<Q> {}

  /// A token with the flag `admin` whose scope reaches the requested one.
  record Administers<Q>(Where<Q> where) implements Right<Q> {}

  /// The right in words, for the API's description.
  default String text() {
    return switch (this) {
      case Open<Q>() -> "no token";
      case Administers<Q>(Where<Q> where) ->
          switch (where) {
            case Where.Server<Q>() -> "Global admin";
            case Where.Query<Q>(), Where.Body<Q> _ -> "scope admin";
            case Where.Callers<Q>() -> "admin of the scope it belongs to";
          };
    };
  }
}
