package dev.veridex;

import dev.veridex.access.AccessIndex;
import dev.veridex.access.AccessIndexRebuild;
import dev.veridex.access.AccessIndexStates;
import dev.veridex.access.AccessIntegrity;
import dev.veridex.access.AccessSettings;
import dev.veridex.access.ChangeFeed;
import dev.veridex.access.ChangeSignals;
import dev.veridex.access.CompiledIndexes;
import dev.veridex.access.GrantSource;
import dev.veridex.access.GrantedRights;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.RightsLists;
import dev.veridex.access.ScopeLocks;
import dev.veridex.access.StoredResources;
import dev.veridex.access.Visibility;
import dev.veridex.access.WhatIf;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.statement.Rights;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.common.IntegrityScan;
import dev.veridex.common.RevisionSeal;
import dev.veridex.http.Route;
import dev.veridex.http.routes.access.AccessListRoutes;
import dev.veridex.http.routes.access.AccessRoutes;
import dev.veridex.http.routes.access.AuthZenRoutes;
import dev.veridex.http.routes.access.ChangeRoutes;
import dev.veridex.http.routes.access.CheckRoutes;
import dev.veridex.http.routes.access.WhatIfRoutes;
import dev.veridex.identity.AuditLog;
import dev.veridex.jobs.JobKind;
import dev.veridex.jobs.Jobs;
import dev.veridex.metrics.Metrics;
import dev.veridex.store.Store;
import dev.veridex.tenancy.AdminChanges;
import dev.veridex.tenancy.IncarnationRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// The access index: statements go in; checks, lists, what-if, changes and visibility come out.
///
/// More than eight components: its services, each of which others are handed on its own.
public record AccessModule(
    AccessIndex index,
    RightsChecker checker,
    RightsLists lists,
    WhatIf whatIf,
    Visibility visibility,
    GrantedRights grants,
    ChangeFeed changes,
    CompiledIndexes compiled,
    AccessIndexRebuild rebuild,
    Jobs jobs)
    implements ServerModule {

  /// @param grants the stored grants, from which an index can be derived anew
  /// @param stored lists what is stored in buckets, for whoever may know of it
  static AccessModule on(
      Store store,
      TenancyModule tenancy,
      AccessSettings settings,
      GrantSource grants,
      Function<RightsChecker, StoredResources> stored) {
    IncarnationRecords incarnations = new IncarnationRecords();
    AccessIndexLocator indexes = new AccessIndexLocator(incarnations, settings.pastRetention());
    ScopeLocks statements = new ScopeLocks();
    ScopeLocks locks = new ScopeLocks();
    ChangeSignals signals = new ChangeSignals();
    CompiledIndexes compiled =
        new CompiledIndexes(store, indexes, settings.memoryBytes(), settings.loader());
    AdminChanges administration = tenancy.administration();
    AuditLog audit = tenancy.audit();
    AccessIndexStates states =
        new AccessIndexStates(store, indexes, administration, compiled, settings.pastRetention());
    RightsChecker checker = new RightsChecker(states);
    return new AccessModule(
        new AccessIndex(
            store, indexes, administration, audit, statements, locks, compiled, signals),
        checker,
        new RightsLists(states, stored.apply(checker)),
        new WhatIf(states),
        new Visibility(states),
        new GrantedRights(store, indexes, locks, compiled, signals),
        new ChangeFeed(store, indexes, administration, signals, settings.pastRetention()),
        compiled,
        new AccessIndexRebuild(
            store,
            indexes,
            administration,
            incarnations,
            statements,
            locks,
            compiled,
            signals,
            grants,
            tenancy.jobs(),
            audit),
        tenancy.jobs());
  }

  /// The rights on single items and documents.
  ResourceRights resourceRights() {
    return (reader, scope, bucket, subject, resource, right) ->
        (checker.rights(reader, scope, CheckRequest.inBucket(subject, resource, bucket))
                & bit(right))
            != 0;
  }

  private static int bit(ResourceRights.Right right) {
    return switch (right) {
      case CREATE -> Rights.CREATE;
      case READ -> Rights.READ;
      case UPDATE -> Rights.UPDATE;
      case DELETE -> Rights.DELETE;
    };
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    RevisionSeal seal = context.seal();
    List<Route<?, ?>> routes = new ArrayList<>();
    routes.addAll(
        new AccessRoutes(
                index,
                checker,
                rebuild,
                compiled,
                context.config().access().indexFormat(),
                jobs,
                seal)
            .routes());
    routes.addAll(new CheckRoutes(checker, seal).routes());
    routes.addAll(new AccessListRoutes(lists, seal).routes());
    routes.addAll(new AuthZenRoutes(checker, lists, seal).routes());
    routes.addAll(new WhatIfRoutes(whatIf, seal).routes());
    routes.addAll(new ChangeRoutes(index, changes, seal, context.stopping()).routes());
    return routes;
  }

  @Override
  public List<JobKind> longJobKinds() {
    return List.of(rebuild);
  }

  @Override
  public void register(Metrics metrics, ServerContext context) {
    metrics.gauge(
        "veridex_access_memory_bytes",
        "About how much memory access indexes take",
        Map.of(),
        () -> (double) compiled.bytes());
  }

  @Override
  public List<IntegrityScan> scans(Store store) {
    return List.of(new AccessIntegrity(store, new IncarnationRecords()));
  }
}
