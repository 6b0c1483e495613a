package dev.veridex.common;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Waits for what another thread is about to do.
public final class Waiting {
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final long POLL_NANOS = 500_000;

  private Waiting() {}

  /// Returns as soon as a condition holds.
  ///
  /// @throws AssertionError if it does not for a minute
  public static void until(String what, BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > PATIENCE_NANOS) {
        throw new AssertionError("waited in vain for " + what);
      }
      // A processor that is kept busy by waiting is missed by what is waited for.
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
