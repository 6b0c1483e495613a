package dev.veridex.metrics;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.DoubleSupplier;

/// All counters, gauges and timers of a process, by name and labels.
///
/// Labels never hold what a caller or a tenant chose: there would be no end of them, and whoever
/// may read metrics would read names.
public final class Metrics {
  private final Map<String, Family> families = new ConcurrentSkipListMap<>();

  private record Family(Kind kind, String help, Map<String, Series> series) {}

  private enum Kind {
    COUNTER("counter"),
    GAUGE("gauge"),
    TIMER("histogram");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  /// A number that only rises.
  public Counter counter(String name, String help, Map<String, String> labels) {
    return (Counter) series(Kind.COUNTER, name, help, labels, new Counter());
  }

  /// A number that is asked for when somebody looks.
  public void gauge(String name, String help, Map<String, String> labels, DoubleSupplier value) {
    series(Kind.GAUGE, name, help, labels, new Gauge(value));
  }

  /// How long something took, as a histogram.
  public Timer timer(String name, String help, Map<String, String> labels) {
    return (Timer) series(Kind.TIMER, name, help, labels, new Timer());
  }

  private Series series(
      Kind kind, String name, String help, Map<String, String> labels, Series fresh) {
    Family family =
        families.computeIfAbsent(name, _ -> new Family(kind, help, new ConcurrentSkipListMap<>()));
    if (family.kind != kind) {
      throw new IllegalArgumentException(name + " is a " + family.kind.text);
    }
    Series known = family.series.putIfAbsent(text(labels), fresh);
    return known == null ? fresh : known;
  }

  /// Everything in the text format of Prometheus.
  public String text() {
    StringBuilder out = new StringBuilder();
    families.forEach(
        (name, family) -> {
          out.append("# HELP ").append(name).append(' ').append(family.help).append('\n');
          out.append("# TYPE ").append(name).append(' ').append(family.kind.text).append('\n');
          family.series.forEach((labels, series) -> series.print(out, name, labels));
        });
    return out.toString();
  }

  /// `a="1",b="2"`, in the order of the names.
  private static String text(Map<String, String> labels) {
    StringBuilder out = new StringBuilder();
    new TreeMap<>(labels)
        .forEach(
            (name, value) ->
                out.append(out.isEmpty() ? "" : ",")
                    .append(name)
                    .append("=\"")
                    .append(value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"))
                    .append('"'));
    return out.toString();
  }
}
