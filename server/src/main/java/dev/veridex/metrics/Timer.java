package dev.veridex.metrics;

import java.util.concurrent.atomic.LongAdder;

/// A histogram of durations in powers of two from 64 µs to 2 min.
public final class Timer implements Series {
  private static final int SMALLEST_SHIFT = 16;
  private static final int BUCKETS = 22;

  /// `buckets[i]` counts what took up to 2^(16+i) ns and more than the one before; the last one
  /// everything above.
  private final LongAdder[] buckets = new LongAdder[BUCKETS + 1];

  private final LongAdder nanos = new LongAdder();

  Timer() {
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = new LongAdder();
    }
  }

  public void record(long tookNanos) {
    long took = Math.max(0, tookNanos);
    int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, took - 1));
    buckets[Math.clamp(bits - SMALLEST_SHIFT, 0, BUCKETS)].increment();
    nanos.add(took);
  }

  @Override
  public void print(StringBuilder out, String name, String labels) {
    String comma = labels.isEmpty() ? "" : labels + ",";
    long below = 0;
    for (int i = 0; i < BUCKETS; i++) {
      below += buckets[i].sum();
      String bound = String.valueOf((double) (1L << (SMALLEST_SHIFT + i)) / 1e9);
      Series.line(out, name + "_bucket", comma + "le=\"" + bound + "\"", String.valueOf(below));
    }
    below += buckets[BUCKETS].sum();
    Series.line(out, name + "_bucket", comma + "le=\"+Inf\"", String.valueOf(below));
    Series.line(out, name + "_sum", labels, String.valueOf((double) nanos.sum() / 1e9));
    Series.line(out, name + "_count", labels, String.valueOf(below));
  }
}
