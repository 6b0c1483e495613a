package dev.veridex;

import dev.veridex.metrics.Metrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// What the process takes from the machine.
final class ProcessMetrics {
  private static final Path STATUS = Path.of("/proc/self/status");

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
    if (Files.isReadable(STATUS)) {
      metrics.gauge(
          "process_resident_memory_bytes",
          "Bytes of memory that are in use",
          Map.of(),
          ProcessMetrics::resident);
    }
  }

  private static double resident() {
    try {
      return Files.readAllLines(STATUS).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) * 1024)
          .findFirst()
          .orElse(Double.NaN);
    } catch (IOException e) {
      return Double.NaN;
    }
  }
}
