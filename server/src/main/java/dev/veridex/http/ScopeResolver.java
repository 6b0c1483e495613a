package dev.veridex.http;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Token;
import dev.veridex.metrics.MetricCounter;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Finds the scope that a request is about.
final class ScopeResolver {
  private final UnscopedMode unscoped;
  private final MetricCounter unscopedCalls;

  ScopeResolver(UnscopedMode unscoped, MetricCounter unscopedCalls) {
    this.unscoped = unscoped;
    this.unscopedCalls = unscopedCalls;
  }

  /// The scope that a request names.
  ///
  /// @param caller who must be known where the caller's own scope counts
  <Q> Scope of(
      ScopeSource<Q> where, Map<String, String> values, Optional<Token> caller, Optional<Q> body) {
    return switch (where) {
      case ScopeSource.Server<Q>() -> new Scope.Global();
      case ScopeSource.Query<Q>() -> scopeOfQuery(values);
      case ScopeSource.Body<Q>(Function<Q, Scope> scopeOf) -> scopeOf.apply(body.orElseThrow());
      case ScopeSource.Named<Q>(Function<Q, Optional<Scope>> scopeOf) ->
          named(values, scopeOf.apply(body.orElseThrow()));
      case ScopeSource.Path<Q>() ->
          Route.PATH_SCOPE
              .type()
              .parse(values.getOrDefault(Route.PATH_SCOPE.name(), ""), Route.PATH_SCOPE.name());
      case ScopeSource.Account<Q>() ->
          new Scope.Tenant(values.getOrDefault(Route.ACCOUNT.name(), ""));
      case ScopeSource.Inside<Q>() -> inside(values);
      case ScopeSource.Callers<Q>() -> caller.orElseThrow().scope();
    };
  }

  private Scope named(Map<String, String> values, Optional<Scope> inBody) {
    boolean inQuery = values.containsKey(Route.SCOPE.name());
    if (inQuery && inBody.filter(scope -> !scope.equals(scopeOfQuery(values))).isPresent()) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "The scopes in the query and in the body differ.")
              .at("/scope")
              .with("parameter", Route.SCOPE.name()));
    }
    return inBody.orElseGet(() -> scopeOfQuery(values));
  }

  private static Scope inside(Map<String, String> values) {
    String account = values.getOrDefault(Route.ACCOUNT.name(), "");
    String environment = values.get(Route.ENV.name());
    return environment == null
        ? new Scope.Tenant(account)
        : new Scope.TenantEnvironment(account, environment);
  }

  private Scope scopeOfQuery(Map<String, String> values) {
    String text = values.get(Route.SCOPE.name());
    if (text != null) {
      return Route.SCOPE.type().parse(text, Route.SCOPE.name());
    }
    if (unscoped == UnscopedMode.STRICT) {
      throw new VeridexException(
          Problem.of(ErrorCode.SCOPE_REQUIRED, "this server insists on a scope")
              .with("parameter", Route.SCOPE.name()));
    }
    unscopedCalls.add();
    return new Scope.Global();
  }
}
