package dev.veridex.metrics;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;

/// A histogram of durations.
public final class Timer {
  private final DistributionDataPoint seconds;

  Timer(DistributionDataPoint seconds) {
    this.seconds = seconds;
  }

  public void record(long tookNanos) {
    seconds.observe(Math.max(0, tookNanos) / 1e9);
  }
}
