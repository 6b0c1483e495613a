package dev.veridex.metrics;

import java.util.function.DoubleSupplier;

/// A number that is asked for when somebody looks.
record Gauge(DoubleSupplier value) implements Series {
  @Override
  public void print(StringBuilder out, String name, String labels) {
    double now = value.getAsDouble();
    boolean whole = now == Math.rint(now) && Math.abs(now) < 1L << 53;
    Series.line(out, name, labels, whole ? String.valueOf((long) now) : String.valueOf(now));
  }
}
