package dev.veridex.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class MetricsTest {
  private final Metrics metrics = new Metrics();

  @Test
  void printsWhatPrometheusReads() {
    metrics.counter("b_total", "Things", Map.of("kind", "a\"b\\c\nd", "also", "x")).add();
    metrics.counter("b_total", "Things", Map.of("also", "x", "kind", "a\"b\\c\nd")).add();
    metrics.gauge("a", "A level", Map.of(), () -> 1.5);
    assertThat(metrics.text())
        .isEqualTo(
            """
            # HELP a A level
            # TYPE a gauge
            a 1.5
            # HELP b_total Things
            # TYPE b_total counter
            b_total{also="x",kind="a\\"b\\\\c\\nd"} 2.0
            """);
  }

  @Test
  void aTimerIsAHistogram() {
    Timer timer = metrics.timer("t", "Times", Map.of("k", "v"));
    timer.record(0);
    timer.record(1L << 16);
    timer.record((1L << 16) + 1);
    timer.record(Long.MAX_VALUE);
    timer.record(-5);
    assertThat(metrics.text().lines())
        .contains(
            "t_bucket{k=\"v\",le=\"6.5536E-5\"} 3",
            "t_bucket{k=\"v\",le=\"1.31072E-4\"} 4",
            "t_bucket{k=\"v\",le=\"+Inf\"} 5",
            "t_count{k=\"v\"} 5");
  }

  @Test
  void aNameHasOneKind() {
    metrics.counter("x", "X", Map.of());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> metrics.gauge("x", "X", Map.of(), () -> 1));
  }
}
