package dev.veridex.http;

import dev.veridex.common.Scope;
import java.util.Optional;
import java.util.function.Function;

/// The part of a request that names its scope.
public sealed interface ScopeSource<Q> {
  /// The server itself, which is in no scope.
  record Server<Q>() implements ScopeSource<Q> {}

  /// In the query: `?scope=`.
  record Query<Q>() implements ScopeSource<Q> {}

  /// In the body.
  record Body<Q>(Function<Q, Scope> scope) implements ScopeSource<Q> {}

  /// In the body, or in the query: `?scope=`.
  record Named<Q>(Function<Q, Optional<Scope>> scope) implements ScopeSource<Q> {}

  /// In the path: `{scope}`, in its text form.
  record Path<Q>() implements ScopeSource<Q> {}

  /// In the path: `{account}`.
  record Account<Q>() implements ScopeSource<Q> {}

  /// In the path, `{account}`, and in the query, `?env=`, for an environment of it.
  record Inside<Q>() implements ScopeSource<Q> {}

  /// Nowhere: it is about whatever the caller reaches, and the handler must hide the rest.
  record Callers<Q>() implements ScopeSource<Q> {}
}
