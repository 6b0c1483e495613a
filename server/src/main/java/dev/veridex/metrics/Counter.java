package dev.veridex.metrics;

import java.util.concurrent.atomic.LongAdder;

/// A number that only rises.
public final class Counter implements Series {
  private final LongAdder count = new LongAdder();

  Counter() {}

  public void add() {
    count.increment();
  }

  public long count() {
    return count.sum();
  }

  @Override
  public void print(StringBuilder out, String name, String labels) {
    Series.line(out, name, labels, String.valueOf(count.sum()));
  }
}
