package dev.veridex.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;

/// A number that only rises.
public final class MetricCounter {
  private final CounterDataPoint count;

  MetricCounter(CounterDataPoint count) {
    this.count = count;
  }

  public void add() {
    count.inc();
  }
}
