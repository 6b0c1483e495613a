package dev.veridex;

import dev.veridex.access.RightsChecker;
import dev.veridex.buckets.BucketAccess;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.BucketTypes;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.buckets.Promotions;
import dev.veridex.buckets.QueueSettings;
import dev.veridex.buckets.TypeUpgrades;
import dev.veridex.buckets.UsageReport;
import dev.veridex.buckets.UsageSweeper;
import dev.veridex.common.IntegrityScan;
import dev.veridex.http.Route;
import dev.veridex.http.routes.admin.PromotionRoutes;
import dev.veridex.http.routes.admin.UsageRoutes;
import dev.veridex.items.ItemVersions;
import dev.veridex.store.Store;
import dev.veridex.tenancy.AdminChanges;
import dev.veridex.tenancy.IncarnationRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Buckets of all types: their settings, who may do what, upgrades, promotion and usage.
public record BucketsModule(
    BucketLookup lookup,
    BucketAccess access,
    ItemVersions items,
    Buckets buckets,
    UsageReport usageReport,
    TypeUpgrades upgrades,
    Promotions promotions,
    UsageSweeper usageSweeper)
    implements ServerModule {
  private static final Duration SWEEP_EVERY = Duration.ofMinutes(10);

  static BucketsModule on(
      Store store,
      TenancyModule tenancy,
      BucketLookup lookup,
      RightsChecker checker,
      ItemVersions items,
      ObjectSettings.Mode objectMode) {
    IncarnationRecords incarnations = new IncarnationRecords();
    AdminChanges administration = tenancy.administration();
    BucketAccess access = new BucketAccess(tenancy.services(), checker::groups);
    SortedSet<Integer> first = new TreeSet<>(Set.of(1));
    BucketTypes types =
        new BucketTypes(
            Map.of(
                ItemVersions.TYPE,
                items.versions(),
                DocumentSettings.TYPE,
                first,
                ObjectSettings.TYPE,
                first,
                QueueSettings.TYPE,
                first));
    Buckets buckets =
        new Buckets(
            store,
            administration,
            incarnations,
            lookup,
            access,
            types,
            objectMode,
            tenancy.cleaner());
    return new BucketsModule(
        lookup,
        access,
        items,
        buckets,
        new UsageReport(store, administration, lookup, access),
        new TypeUpgrades(buckets, lookup, incarnations, types, tenancy.cleaner(), tenancy.jobs()),
        new Promotions(store, administration, lookup, buckets, incarnations, tenancy.policies()),
        new UsageSweeper(store));
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    List<Route<?, ?>> routes = new ArrayList<>();
    routes.addAll(new PromotionRoutes(promotions, context.seal()).routes());
    routes.addAll(new UsageRoutes(usageReport).routes());
    return routes;
  }

  @Override
  public List<IntegrityScan> scans(Store store) {
    return List.of(new ContentIntegrity(store, Domain.contents(items)));
  }

  @Override
  public List<Task> tasks(ServerContext context) {
    return List.of(new Task("usage", usageSweeper, SWEEP_EVERY));
  }
}
