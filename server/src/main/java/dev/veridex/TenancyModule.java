package dev.veridex;

import dev.veridex.common.IntegrityScan;
import dev.veridex.common.Scope;
import dev.veridex.http.Route;
import dev.veridex.http.routes.admin.AccountRoutes;
import dev.veridex.http.routes.admin.AuditRoutes;
import dev.veridex.http.routes.admin.EnvironmentRoutes;
import dev.veridex.http.routes.admin.ServiceRoutes;
import dev.veridex.http.routes.admin.TokenRoutes;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.TokenIntegrity;
import dev.veridex.identity.Tokens;
import dev.veridex.store.Store;
import dev.veridex.tenancy.Accounts;
import dev.veridex.tenancy.AdminChanges;
import dev.veridex.tenancy.DeletionCleaner;
import dev.veridex.tenancy.Environments;
import dev.veridex.tenancy.IncarnationRecords;
import dev.veridex.tenancy.OwnerPresence;
import dev.veridex.tenancy.Services;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// Accounts, their environments and services, and the tokens of those who call.
public record TenancyModule(
    AuditLog audit,
    Tokens tokens,
    Accounts accounts,
    Environments environments,
    Services services,
    OwnerPresence owners,
    AdminChanges administration,
    DeletionCleaner cleaner)
    implements ServerModule {
  private static final Duration CLEAN_EVERY = Duration.ofSeconds(1);

  /// @param secrets an unpredictable source: the secrets of tokens come from it
  /// @param issuers whether an issuer may vouch for somebody in a scope
  static TenancyModule on(Store store, RandomGenerator secrets, Predicate<Scope> issuers) {
    IncarnationRecords incarnations = new IncarnationRecords();
    AuditLog audit = new AuditLog(incarnations);
    Tokens tokens = new Tokens(store, audit, incarnations, secrets);
    AdminChanges administration = new AdminChanges(store, audit, incarnations);
    return new TenancyModule(
        audit,
        tokens,
        new Accounts(store, audit, incarnations),
        new Environments(store, administration, incarnations),
        new Services(store, administration, incarnations),
        new OwnerPresence(store, tokens, issuers),
        administration,
        new DeletionCleaner(store, incarnations));
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    List<Route<?, ?>> routes = new ArrayList<>();
    routes.addAll(new AccountRoutes(accounts, context.seal()).routes());
    routes.addAll(new EnvironmentRoutes(environments, context.seal()).routes());
    routes.addAll(new ServiceRoutes(services, context.seal()).routes());
    routes.addAll(new TokenRoutes(tokens, context.seal()).routes());
    routes.addAll(new AuditRoutes(context.store(), audit).routes());
    return routes;
  }

  @Override
  public List<Task> tasks(ServerContext context) {
    return List.of(new Task("cleaner", cleaner::runAll, CLEAN_EVERY));
  }

  @Override
  public List<IntegrityScan> scans(Store store) {
    return List.of(new TokenIntegrity(store));
  }
}
