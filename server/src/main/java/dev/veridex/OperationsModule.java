package dev.veridex;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.IntegrityScan;
import dev.veridex.common.Problem;
import dev.veridex.http.Admission;
import dev.veridex.http.Route;
import dev.veridex.http.routes.admin.AdminRoutes;
import dev.veridex.http.routes.admin.SystemRoutes;
import dev.veridex.identity.AuditLog;
import dev.veridex.metrics.Metrics;
import dev.veridex.metrics.ProcessMetrics;
import dev.veridex.operations.Backups;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Operations on the server as a whole: health, metrics, backups, and the integrity scans of all
/// other modules.
record OperationsModule(
    List<ServerModule> others,
    AuditLog audit,
    IndexerPool indexers,
    Admission admission,
    Metrics metrics)
    implements ServerModule {
  private static final Duration COLLECT_EVERY = Duration.ofMinutes(1);

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    Config config = context.config();
    Backups backups =
        new Backups(config.data().resolve("backups"), context.store(), audit, context.clock());
    List<Route<?, ?>> routes = new ArrayList<>();
    routes.addAll(
        new AdminRoutes(
                backups,
                allScans(context),
                () -> context.seal().seal(context.store().revision()),
                context.seal(),
                context.operator())
            .routes());
    routes.addAll(
        new SystemRoutes(
                metrics,
                () -> notReady(context.store()),
                () -> indexers.state().waiting(),
                config.http().openMetrics())
            .routes());
    return routes;
  }

  /// The store first: what its files do not hold, nothing else can be derived from.
  private List<IntegrityScan> allScans(ServerContext context) {
    List<IntegrityScan> scans = new ArrayList<>();
    scans.add(new StoreIntegrity(context.store()));
    others.forEach(module -> scans.addAll(module.scans(context.store())));
    return scans;
  }

  @Override
  public List<Task> tasks(ServerContext context) {
    return List.of(new Task("collector", context.store().collector(), COLLECT_EVERY));
  }

  @Override
  public void register(Metrics registry, ServerContext context) {
    registry.registerProcess();
    registry.counter(
        "veridex_store_commits_total",
        "Commits since the store was made",
        Map.of(),
        () -> (double) context.store().revision().sequence());
    context
        .store()
        .bytesOnDisk()
        .keySet()
        .forEach(
            family ->
                registry.gauge(
                    "veridex_store_bytes",
                    "Bytes of sorted files, by family of records",
                    Map.of("family", family),
                    () -> context.store().bytesOnDisk().getOrDefault(family, 0L).doubleValue()));
    ProcessMetrics.register(registry);
  }

  /// Why not all requests can be served.
  private Optional<Problem> notReady(Store store) {
    if (admission.isStopping()) {
      return Optional.of(Problem.of(ErrorCode.STOPPING, "the server is about to stop"));
    }
    try (Snapshot snapshot = store.snapshot()) {
      if (snapshot.now().equals(Instant.EPOCH)) {
        return Optional.of(Problem.of(ErrorCode.UNAVAILABLE, "the store has no time yet"));
      }
    } catch (StoreException e) {
      return Optional.of(e.problem());
    }
    return indexers
        .startProgress()
        .map(
            starting ->
                Problem.of(
                        ErrorCode.INDEX_BUILDING,
                        "search indexes catch up with what was accepted before the start")
                    .with("searchIndexes", starting.indexes())
                    .with("percent", starting.percent()));
  }
}
