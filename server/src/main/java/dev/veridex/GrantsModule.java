package dev.veridex;

import dev.veridex.access.GrantedRights;
import dev.veridex.common.IntegrityScan;
import dev.veridex.grants.GrantIntegrity;
import dev.veridex.grants.GrantKind;
import dev.veridex.grants.GrantReader;
import dev.veridex.grants.GrantRules;
import dev.veridex.grants.GrantWriter;
import dev.veridex.grants.RelationshipPaths;
import dev.veridex.grants.ScopeWork;
import dev.veridex.http.Route;
import dev.veridex.http.routes.grants.GrantRoutes;
import dev.veridex.http.routes.grants.PathRoutes;
import dev.veridex.http.routes.grants.ScopeRoutes;
import dev.veridex.jobs.JobKind;
import dev.veridex.store.Store;
import dev.veridex.tenancy.IncarnationRecords;
import java.util.ArrayList;
import java.util.List;

/// Approvals, relationships, and long work on the scopes that they are in.
public record GrantsModule(
    TenancyModule tenancy,
    GrantWriter writer,
    GrantReader reader,
    RelationshipPaths paths,
    ScopeWork scopes,
    GrantedRights rights)
    implements ServerModule {
  /// @param strict whether Global is for Global administrators alone
  static GrantsModule on(Store store, TenancyModule tenancy, GrantedRights rights, boolean strict) {
    IncarnationRecords incarnations = new IncarnationRecords();
    GrantRules rules = new GrantRules(strict);
    GrantReader reader = new GrantReader(store, incarnations, rules);
    return new GrantsModule(
        tenancy,
        new GrantWriter(store, incarnations, rules, tenancy.audit(), rights),
        reader,
        new RelationshipPaths(store, reader, rules),
        new ScopeWork(store, incarnations, reader, tenancy.audit(), tenancy.jobs(), rights),
        rights);
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    List<Route<?, ?>> routes = new ArrayList<>();
    for (GrantKind kind : GrantKind.values()) {
      routes.addAll(new GrantRoutes(kind, writer, reader, context.seal()).routes());
    }
    routes.addAll(new PathRoutes(paths, context.seal()).routes());
    routes.addAll(
        new ScopeRoutes(tenancy.policies(), scopes, tenancy.jobs(), context.seal()).routes());
    return routes;
  }

  @Override
  public List<JobKind> jobKinds() {
    return scopes.kinds();
  }

  @Override
  public List<IntegrityScan> scans(Store store) {
    return List.of(new GrantIntegrity(store, new IncarnationRecords(), rights));
  }
}
