package dev.veridex;

import dev.veridex.http.Route;
import dev.veridex.http.routes.admin.JobRoutes;
import dev.veridex.jobs.JobKind;
import dev.veridex.jobs.JobRunner;
import dev.veridex.jobs.Jobs;
import dev.veridex.metrics.Metrics;
import dev.veridex.store.Store;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// Jobs, and the two workers that do those of all modules: rebuilds, which go on for minutes, keep
/// nobody waiting for a short one.
public record JobsModule(Jobs jobs, JobRunner steps, JobRunner rebuilds) implements ServerModule {
  private static final Duration LOOK_EVERY = Duration.ofMillis(20);

  /// @param modules what there is to be done comes from them
  static JobsModule on(Store store, Jobs jobs, List<ServerModule> modules, RandomGenerator ids) {
    String process = HexFormat.of().toHexDigits(ids.nextLong());
    List<JobKind> steps = modules.stream().flatMap(module -> module.jobKinds().stream()).toList();
    List<JobKind> rebuilds =
        modules.stream().flatMap(module -> module.longJobKinds().stream()).toList();
    return new JobsModule(
        jobs,
        JobRunner.alone(store, steps, process, "steps"),
        JobRunner.alone(store, rebuilds, process, "rebuilds"));
  }

  /// Does all that there is to do.
  public boolean runAll() {
    boolean stepped = steps.runAll();
    return rebuilds.runAll() || stepped;
  }

  @Override
  public List<Route<?, ?>> routes(ServerContext context) {
    return new JobRoutes(jobs, context.seal()).routes();
  }

  @Override
  public void register(Metrics metrics, ServerContext context) {
    metrics.gauge(
        "veridex_jobs_open",
        "Jobs that are not over, those that are paused among them",
        Map.of(),
        jobs::open);
  }

  @Override
  public List<Task> tasks(ServerContext context) {
    return List.of(
        new Task("jobs", steps::runAll, LOOK_EVERY),
        new Task("rebuilds", rebuilds::runAll, LOOK_EVERY));
  }

  @Override
  public void finish() {
    steps.stop();
    rebuilds.stop();
  }
}
