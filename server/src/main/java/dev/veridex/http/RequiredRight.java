package dev.veridex.http;

/// The right that a caller needs for a route.
public sealed interface RequiredRight<Q> {
  /// No right: the route needs no token.
  record Open<Q>() implements RequiredRight<Q> {}

  /// A token with the flag `admin` whose scope reaches the requested one.
  record Administers<Q>(ScopeSource<Q> where) implements RequiredRight<Q> {}

  /// Any token whose scope reaches the requested one.
  record Reaches<Q>(ScopeSource<Q> where) implements RequiredRight<Q> {}

  /// A right that depends on the resource itself, such as its owner. The gateway checks the scope;
  /// the domain decides the rest inside its transaction.
  ///
  /// @param text who may, in words
  record Owns<Q>(ScopeSource<Q> where, String text) implements RequiredRight<Q> {}

  /// A right that the bucket's ACL grants; no token is needed where it names everybody. The gateway
  /// checks the scope, the domain the ACL.
  ///
  /// @param text what the ACL must allow, in words
  /// @param early looks at the ACL before a body is read: whoever may not need not send one
  record Allowed<Q>(ScopeSource<Q> where, String text, Early early) implements RequiredRight<Q> {
    public Allowed(ScopeSource<Q> where, String text) {
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
      case Administers<Q>(ScopeSource<Q> where) ->
          switch (where) {
            case ScopeSource.Server<Q>() -> "Global admin";
            case ScopeSource.Query<Q>(),
                ScopeSource.Body<Q> _,
                ScopeSource.Named<Q> _,
                ScopeSource.Path<Q>(),
                ScopeSource.Account<Q>(),
                ScopeSource.Inside<Q>() ->
                "scope admin";
            case ScopeSource.Callers<Q>() -> "admin of the scope it belongs to";
          };
    };
  }
}
