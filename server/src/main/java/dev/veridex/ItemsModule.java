package dev.veridex;

import dev.veridex.buckets.ResourceRights;
import dev.veridex.http.Route;
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.http.routes.items.ItemRoutes;
import dev.veridex.items.ItemUpgrades;
import dev.veridex.items.ItemVersions;
import dev.veridex.items.Items;
import dev.veridex.jobs.JobKind;
import dev.veridex.store.Store;
import dev.veridex.tenancy.OwnerPresence;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// Items: values with revisions, and the upgrades of their buckets to another version.
public record ItemsModule(
    Items items, ItemUpgrades upgrades, BucketsModule buckets, OwnerPresence owners)
    implements ServerModule {
  static ItemsModule on(
      Store store,
      TenancyModule tenancy,
      BucketsModule buckets,
      ResourceRights rights,
      ItemVersions versions,
      RandomGenerator ids) {
    return new ItemsModule(
        new Items(store, buckets.lookup(), buckets.access(), rights, versions, ids),
        new ItemUpgrades(store, buckets.upgrades(), buckets.lookup(), buckets.access(), versions),
        buckets,
        tenancy.owners());
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    List<Route<?, ?>> routes = new ArrayList<>();
    routes.addAll(
        new BucketRoutes(buckets.buckets(), buckets.upgrades(), upgrades, owners, context.seal())
            .routes());
    routes.addAll(new ItemRoutes(items, context.seal()).routes());
    return routes;
  }

  @Override
  public List<JobKind> jobKinds() {
    return List.of(upgrades);
  }
}
