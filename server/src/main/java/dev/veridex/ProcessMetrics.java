package dev.veridex;

import dev.veridex.metrics.Metrics;
import java.util.Map;

/// The Java heap of the process; the rest is told by the client library.
final class ProcessMetrics {
  private ProcessMetrics() {}

  static void register(Metrics metrics) {
    Runtime runtime = Runtime.getRuntime();
    metrics.gauge(
        "veridex_heap_used_bytes",
        "Bytes of Java objects, garbage included",
        Map.of(),
        () -> (double) (runtime.totalMemory() - runtime.freeMemory()));
    metrics.gauge(
        "veridex_heap_max_bytes",
        "Bytes that Java objects may take",
        Map.of(),
        () -> (double) runtime.maxMemory());
  }
}
