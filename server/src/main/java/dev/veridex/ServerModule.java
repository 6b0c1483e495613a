package dev.veridex;

import dev.veridex.common.Agent;
import dev.veridex.common.IntegrityScan;
import dev.veridex.http.Route;
import dev.veridex.jobs.JobKind;
import dev.veridex.metrics.Metrics;
import dev.veridex.store.Store;
import java.time.Duration;
import java.util.List;

/// A capability of the server with everything that belongs to it: its routes, its background work,
/// its metrics and its integrity scans. The server is a list of them.
interface ServerModule {
  /// Background work: an agent, and how long it rests between its runs.
  record Task(String name, Agent agent, Duration rest) {}

  /// Its part of the API.
  default List<Route<?, ?>> routes(ServerContext context) {
    return List.of();
  }

  /// Its background work.
  default List<Task> tasks(ServerContext context) {
    return List.of();
  }

  /// Its kinds of long work: a step of each job in turn.
  default List<JobKind> jobKinds() {
    return List.of();
  }

  /// Its kinds of long work that go on for a while once they have begun: one job after the other.
  default List<JobKind> longJobKinds() {
    return List.of();
  }

  /// Registers its metrics.
  default void register(Metrics metrics, ServerContext context) {}

  /// Its integrity scans.
  default List<IntegrityScan> scans(Store store) {
    return List.of();
  }

  /// Lets its background work begin nothing more, and waits for nothing.
  default void finish() {}

  /// Closes it. Nothing of it runs any more.
  default void close() {}
}
