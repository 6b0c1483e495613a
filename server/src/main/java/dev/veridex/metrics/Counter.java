package dev.veridex.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;

/// A number that only rises.
public final class Counter {
  private final CounterDataPoint count;

  Counter(CounterDataPoint count) {
    this.count = count;
  }

  public void add() {
    count.inc();
  }
}
