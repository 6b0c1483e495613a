package dev.veridex.common;

import java.util.Optional;

/// An account, or one of its environments: where buckets and services are.
public record Namespace(String account, Optional<String> environment) {

  public static Namespace of(Scope scope) {
    return switch (scope) {
      case Scope.Tenant(String account) -> new Namespace(account, Optional.empty());
      case Scope.TenantEnvironment(String account, String environment) ->
          new Namespace(account, Optional.of(environment));
      case Scope.Global _, Scope.Environment _, Scope.Custom _ ->
          throw new IllegalArgumentException(
              "a namespace is an account or one of its environments");
    };
  }

  public Scope scope() {
    return environment
        .<Scope>map(name -> new Scope.TenantEnvironment(account, name))
        .orElseGet(this::accountScope);
  }

  /// The scope of the account, also for an environment of it.
  public Scope.Tenant accountScope() {
    return new Scope.Tenant(account);
  }
}
