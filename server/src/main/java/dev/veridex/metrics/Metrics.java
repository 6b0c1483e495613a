package dev.veridex.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

/// The metrics of a process: counters, gauges and timers by name and labels, on the Prometheus
/// client.
///
/// Labels never hold what a caller or a tenant chose: there would be no end of them, and whoever
/// may read metrics would read names.
public final class Metrics {
  /// Upper bounds of the buckets of timers: powers of two from 64 µs to 2 min, in seconds.
  private static final double[] BOUNDS = bounds(16, 22);

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Map<String, Family> families = new ConcurrentHashMap<>();

  /// The series of one name. Each set of labels has the same names.
  private sealed interface Family {
    record Counters(io.prometheus.metrics.core.metrics.Counter metric) implements Family {}

    record Timers(Histogram metric) implements Family {}

    /// Values that are asked for when somebody looks.
    record Callbacks(boolean rising, Map<List<String>, DoubleSupplier> values) implements Family {}
  }

  private static double[] bounds(int shift, int count) {
    double[] bounds = new double[count];
    for (int i = 0; i < count; i++) {
      bounds[i] = (1L << (shift + i)) / 1e9;
    }
    return bounds;
  }

  /// Garbage collection, memory pools, threads and classes of the process, under the names that
  /// every Java service has.
  public void registerProcess() {
    JvmMetrics.builder().register(registry);
  }

  /// A number that only rises.
  public MetricCounter counter(String name, String help, Map<String, String> labels) {
    Family family =
        families.computeIfAbsent(
            name,
            _ ->
                new Family.Counters(
                    io.prometheus.metrics.core.metrics.Counter.builder()
                        .name(name)
                        .help(help)
                        .labelNames(names(labels))
                        .register(registry)));
    if (family instanceof Family.Counters(var metric)) {
      return new MetricCounter(metric.labelValues(values(labels)));
    }
    throw otherKind(name);
  }

  /// A number that only rises and is counted elsewhere: it is asked for when somebody looks.
  public void counter(String name, String help, Map<String, String> labels, DoubleSupplier value) {
    callback(name, help, labels, value, true);
  }

  /// A number that is asked for when somebody looks.
  public void gauge(String name, String help, Map<String, String> labels, DoubleSupplier value) {
    callback(name, help, labels, value, false);
  }

  private void callback(
      String name, String help, Map<String, String> labels, DoubleSupplier value, boolean rising) {
    Family family = families.computeIfAbsent(name, _ -> callbacks(name, help, labels, rising));
    if (family instanceof Family.Callbacks(boolean rises, var values) && rises == rising) {
      values.putIfAbsent(List.of(values(labels)), value);
    } else {
      throw otherKind(name);
    }
  }

  private Family callbacks(String name, String help, Map<String, String> labels, boolean rising) {
    Map<List<String>, DoubleSupplier> values = new ConcurrentHashMap<>();
    if (rising) {
      CounterWithCallback.builder()
          .name(name)
          .help(help)
          .labelNames(names(labels))
          .callback(
              callback ->
                  values.forEach(
                      (each, value) ->
                          callback.call(value.getAsDouble(), each.toArray(String[]::new))))
          .register(registry);
    } else {
      GaugeWithCallback.builder()
          .name(name)
          .help(help)
          .labelNames(names(labels))
          .callback(
              callback ->
                  values.forEach(
                      (each, value) ->
                          callback.call(value.getAsDouble(), each.toArray(String[]::new))))
          .register(registry);
    }
    return new Family.Callbacks(rising, values);
  }

  /// How long something took, as a histogram.
  public Timer timer(String name, String help, Map<String, String> labels) {
    Family family =
        families.computeIfAbsent(
            name,
            _ ->
                new Family.Timers(
                    Histogram.builder()
                        .name(name)
                        .help(help)
                        .classicOnly()
                        .classicUpperBounds(BOUNDS)
                        .labelNames(names(labels))
                        .register(registry)));
    if (family instanceof Family.Timers(var metric)) {
      return new Timer(metric.labelValues(values(labels)));
    }
    throw otherKind(name);
  }

  private static IllegalArgumentException otherKind(String name) {
    return new IllegalArgumentException("the metric " + name + " is of another kind");
  }

  private static String[] names(Map<String, String> labels) {
    return new TreeMap<>(labels).keySet().toArray(String[]::new);
  }

  private static String[] values(Map<String, String> labels) {
    return new TreeMap<>(labels).values().toArray(String[]::new);
  }

  /// Everything in the text format of Prometheus.
  public String text() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.builder().build().write(out, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory does not fail", e);
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
