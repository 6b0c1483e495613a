package dev.veridex.search.indexing;

import java.util.function.BooleanSupplier;

/// Waiting on a monitor until a condition holds.
final class Monitors {
  private Monitors() {}

  /// Waits until a condition holds that is signalled on a monitor.
  ///
  /// @param deadline as the system tells nanoseconds
  /// @return whether it holds
  static boolean await(Object monitor, BooleanSupplier condition, long deadline) {
    synchronized (monitor) {
      try {
        while (!condition.getAsBoolean()) {
          long left = deadline - System.nanoTime();
          if (left <= 0) {
            return false;
          }
          monitor.wait(Math.max(1, left / 1_000_000));
        }
        return true;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
