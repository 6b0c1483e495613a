package dev.veridex.http;

/// What a caller needs for a route.
public sealed interface Right<Q> {
  /// No token at all.
  record Open<Q>() implements Right<Q> {}

  /// A token with the flag `admin` whose scope reaches the requested one.
  record Administers<Q>(Where<Q> where) implements Right<Q> {}

  /// Any token whose scope reaches the requested one.
  record Reaches<Q>(Where<Q> where) implements Right<Q> {}

  /// What only the thing itself can say, such as who owns it. The gateway looks at the scope; the
  /// domain decides the rest inside its transaction.
  ///
  /// @param text who may, in words
  record Owns<Q>(Where<Q> where, String text) implements Right<Q> {}

  /// The right in words, for the API's description.
  default String text() {
    return switch (this) {
      case Open<Q>() -> "no token";
      case Reaches<Q> _ -> "any token that reaches it";
      case Owns<Q>(_, String who) -> who;
      case Administers<Q>(Where<Q> where) ->
          switch (where) {
            case Where.Server<Q>() -> "Global admin";
            case Where.Query<Q>(), Where.Body<Q> _, Where.Account<Q>() -> "scope admin";
            case Where.Callers<Q>() -> "admin of the scope it belongs to";
          };
    };
  }
}
