package dev.veridex.metrics;

import java.util.Map;

/// The Java heap of the process; the rest is told by the client library.
public final class ProcessMetrics {
  private ProcessMetrics() {}

  /// Adds its gauges.
  public static void register(Metrics metrics) {
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
