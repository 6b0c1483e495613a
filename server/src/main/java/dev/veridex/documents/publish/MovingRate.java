package dev.veridex.documents.publish;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// A moving average per second: what was a minute ago counts a third of what is now.
final class MovingRate {
  private static final double SECONDS = 60;
  private static final double NANOS = 1e9;

  private final LongSupplier nanoTime;
  private final Map<Integer, Sum> sums = new ConcurrentHashMap<>();

  MovingRate() {
    this(System::nanoTime);
  }

  /// @param nanoTime a clock that only runs forward
  MovingRate(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// A decayed sum at a time.
  private record Sum(double value, long at) {
    private double now(long time) {
      return value * Math.exp(-(time - at) / (NANOS * SECONDS));
    }
  }

  void add(int shard, int count) {
    long now = nanoTime.getAsLong();
    sums.merge(shard, new Sum(count, now), (old, _) -> new Sum(old.now(now) + count, now));
  }

  double of(int shard) {
    Sum sum = sums.get(shard);
    return sum == null ? 0 : sum.now(nanoTime.getAsLong()) / SECONDS;
  }
}
