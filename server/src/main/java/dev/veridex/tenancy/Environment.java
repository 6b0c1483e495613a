package dev.veridex.tenancy;

import dev.veridex.common.Scope;
import java.time.Instant;

/// A part of an account with data and rights of its own: `dev`, `staging`, `prod`. Nothing is
/// inherited between them.
public record Environment(String account, String name, Instant createdAt) {
  public Scope.TenantEnvironment scope() {
    return new Scope.TenantEnvironment(account, name);
  }
}
