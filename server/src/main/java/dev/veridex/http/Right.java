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

  /// What a bucket's ACL says; no token is needed where it names everybody. The gateway looks at
  /// the scope, the domain at the ACL.
  ///
  /// @param text what the ACL must allow, in words
  /// @param early looks at the ACL before a body is read: whoever may not need not send one
  record Allowed<Q>(Where<Q> where, String text, Early early) implements Right<Q> {
    public Allowed(Where<Q> where, String text) {
      this(where, text, _ -> {});
    }
  }

  /// Refuses a call whose body is not read yet.
  @FunctionalInterface
  interface Early {
    void check(Call<?> call);
  }

  /// The right in words, for the API's description.
  default String text() {
    return switch (this) {
      case Open<Q>() -> "no token";
      case Reaches<Q> _ -> "any token that reaches it";
      case Owns<Q>(_, String who) -> who;
      case Allowed<Q>(_, String what, _) -> what;
      case Administers<Q>(Where<Q> where) ->
          switch (where) {
            case Where.Server<Q>() -> "Global admin";
            case Where.Query<Q>(), Where.Body<Q> _, Where.Account<Q>(), Where.Inside<Q>() ->
                "scope admin";
            case Where.Callers<Q>() -> "admin of the scope it belongs to";
          };
    };
  }
}
