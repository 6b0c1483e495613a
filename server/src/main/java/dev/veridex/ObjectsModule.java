package dev.veridex;

import dev.veridex.buckets.ObjectSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registries;
import dev.veridex.http.Route;
import dev.veridex.http.routes.objects.EventRoutes;
import dev.veridex.http.routes.objects.ObjectRoutes;
import dev.veridex.metrics.Metrics;
import dev.veridex.objects.AttributeWriter;
import dev.veridex.objects.EventCounters;
import dev.veridex.objects.EventReceiver;
import dev.veridex.objects.ObjectReader;
import dev.veridex.objects.catalogue.ObjectRegistry;
import dev.veridex.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Objects: the catalogues of object stores.
public record ObjectsModule(EventReceiver receiver, ObjectReader reader, AttributeWriter attributes)
    implements ServerModule {
  /// The registries of catalogues: what searches show of them.
  static Registries.Kind registries() {
    Epochs.Store epochs = new Epochs.Store();
    return new Registries.Kind(
        found -> new ObjectRegistry(found, epochs), ObjectRegistry.FIRST_SCHEMA);
  }

  /// @param pastRetention how long it is known what a row was before it was changed
  static ObjectsModule on(
      Store store,
      BucketsModule buckets,
      ResourceRights rights,
      DocumentsModule documents,
      Duration pastRetention) {
    ResourceAccess access =
        new ResourceAccess(
            buckets.lookup(),
            buckets.access(),
            rights,
            Set.of(ObjectSettings.TYPE),
            ObjectReader::nothing);
    return new ObjectsModule(
        new EventReceiver(store, access, documents.publishers()::queued, pastRetention),
        new ObjectReader(store, access, pastRetention),
        new AttributeWriter(
            store, access, new Epochs.Store(), documents.publishers()::queued, pastRetention));
  }

  @Override
  public void register(Metrics metrics, ServerContext context) {
    EventCounters counters = receiver.counters();
    Map.of(
            "ingested", counters.ingested(),
            "duplicate", counters.duplicate(),
            "skipped", counters.skipped(),
            "rejected", counters.rejected())
        .forEach(
            (result, count) ->
                metrics.counter(
                    "veridex_object_events_total",
                    "Records of messages about objects",
                    Map.of("result", result),
                    count::sum));
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    List<Route<?, ?>> routes = new ArrayList<>();
    routes.addAll(new EventRoutes(receiver, context.seal()).routes());
    routes.addAll(new ObjectRoutes(reader, attributes, context.seal()).routes());
    return routes;
  }
}
