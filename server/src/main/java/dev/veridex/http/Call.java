package dev.veridex.http;

import dev.veridex.accounts.Token;
import dev.veridex.common.Scope;
import dev.veridex.http.shape.Parameter;
import java.util.Map;
import java.util.Optional;

/// A request that may be served: who asks, in which scope, for what.
///
/// @param token of the caller; absent on routes that are open
/// @param scope the requested scope; on routes that name none, the caller's own
/// @param values the parameters, decoded once
/// @param accepts the `Accept` header
public record Call<Q>(
    Optional<Token> token,
    Scope scope,
    Map<String, String> values,
    Q body,
    String accepts,
    String remoteAddress) {

  /// The caller of a route that is not open.
  public Token caller() {
    return token.orElseThrow(() -> new IllegalStateException("this route asks for no token"));
  }

  /// The value of a parameter that is always there.
  public <T> T get(Parameter<T> parameter) {
    return find(parameter).orElseThrow();
  }

  /// The value of a parameter, if it came.
  public <T> Optional<T> find(Parameter<T> parameter) {
    return Optional.ofNullable(values.get(parameter.name()))
        .map(text -> parameter.type().parse(text, parameter.name()));
  }
}
