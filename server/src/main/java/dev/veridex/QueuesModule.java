package dev.veridex;

import dev.veridex.buckets.BucketLookup.LocatedBucket;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.QueueSettings;
import dev.veridex.buckets.ResourceAccess;
import dev.veridex.buckets.ResourceRights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.http.Route;
import dev.veridex.http.routes.queues.QueueRoutes;
import dev.veridex.jobs.Jobs;
import dev.veridex.queue.MessageQueues;
import dev.veridex.queue.QueueCleaner;
import dev.veridex.queue.QueueCleaner.QueueRules;
import dev.veridex.queue.QueueCleanup;
import dev.veridex.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Queues: buckets that are queues, and the clean-up of these and of those of documents.
public record QueuesModule(
    MessageQueues messages,
    QueueCleaner cleaner,
    BucketsModule buckets,
    DocumentsModule documents,
    Jobs jobs)
    implements ServerModule {
  private static final Duration SWEEP_EVERY = Duration.ofMinutes(10);

  static QueuesModule on(
      Store store,
      TenancyModule tenancy,
      BucketsModule buckets,
      DocumentsModule documents,
      ResourceRights rights) {
    return new QueuesModule(
        new MessageQueues(
            store,
            new ResourceAccess(
                buckets.lookup(),
                buckets.access(),
                rights,
                Set.of(QueueSettings.TYPE),
                () -> Problem.of(ErrorCode.NOT_FOUND, "there is no such message"))),
        new QueueCleaner(store, buckets.lookup(), QueuesModule::rules),
        buckets,
        documents,
        tenancy.jobs());
  }

  private static List<QueueRules> rules(LocatedBucket found) {
    return switch (found.bucket().wanted().settings()) {
      case ItemSettings _ -> List.of();
      case IndexedSettings _ -> DocumentsModule.cleaned(found);
      case QueueSettings settings ->
          List.of(
              new QueueRules(
                  MessageQueues.queue(found),
                  new QueueCleanup.Rules(
                      settings.shardCount(),
                      Optional.of(settings.groupTtl()),
                      settings.retention(),
                      Optional.of(found))));
    };
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    return new QueueRoutes(
            buckets.buckets(),
            documents.queues(),
            messages,
            documents.rebuild(),
            jobs,
            context.seal())
        .routes();
  }

  @Override
  public List<Task> tasks(ServerContext context) {
    return List.of(new Task("queues", cleaner, SWEEP_EVERY));
  }
}
