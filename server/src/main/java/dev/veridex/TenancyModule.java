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
import dev.veridex.jobs.JobKind;
import dev.veridex.jobs.Jobs;
import dev.veridex.store.Store;
import dev.veridex.tenancy.Accounts;
import dev.veridex.tenancy.AdminChanges;
import dev.veridex.tenancy.DeletionCleaner;
import dev.veridex.tenancy.Environments;
import dev.veridex.tenancy.IncarnationRecords;
import dev.veridex.tenancy.OwnerPresence;
import dev.veridex.tenancy.Services;
import dev.veridex.tenancy.TtlPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// Accounts, their environments and services, the tokens of those who call, and TTL policies.
///
/// More than eight components: each is handed to other modules on its own.
public record TenancyModule(
    AuditLog audit,
    Tokens tokens,
    Accounts accounts,
    Environments environments,
    Services services,
    OwnerPresence owners,
    AdminChanges administration,
    DeletionCleaner cleaner,
    TtlPolicies policies,
    Jobs jobs)
    implements ServerModule {
  /// @param secrets an unpredictable source: the secrets of tokens come from it
  /// @param issuers whether an issuer may vouch for somebody in a scope
  /// @param ids a source of what only has to differ
  static TenancyModule on(
      Store store, RandomGenerator secrets, Predicate<Scope> issuers, RandomGenerator ids) {
    IncarnationRecords incarnations = new IncarnationRecords();
    AuditLog audit = new AuditLog(incarnations);
    Tokens tokens = new Tokens(store, audit, incarnations, secrets);
    AdminChanges administration = new AdminChanges(store, audit, incarnations);
    Jobs jobs = new Jobs(store, audit, incarnations, ids);
    DeletionCleaner cleaner = new DeletionCleaner(incarnations, jobs);
    return new TenancyModule(
        audit,
        tokens,
        new Accounts(store, audit, incarnations, cleaner),
        new Environments(store, administration, incarnations, cleaner),
        new Services(store, administration, incarnations),
        new OwnerPresence(store, tokens, issuers),
        administration,
        cleaner,
        new TtlPolicies(store, audit, incarnations),
        jobs);
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
  public List<JobKind> jobKinds() {
    return cleaner.kinds();
  }

  @Override
  public List<IntegrityScan> scans(Store store) {
    return List.of(new TokenIntegrity(store));
  }
}
