package dev.veridex.common;

import java.util.function.LongConsumer;

/// Runs a check for many seeds and says which one failed.
///
/// `-Dveridex.seed=N` runs one seed alone.
public final class Seeds {
  private Seeds() {}

  /// The seed of a test that needs just one.
  public static long first() {
    return Long.getLong("veridex.seed", 1);
  }

  /// Whether somebody looks at a single seed.
  public static boolean single() {
    return Long.getLong("veridex.seed") != null;
  }

  public static void forEach(int count, LongConsumer check) {
    if (single()) {
      check.accept(first());
      return;
    }
    for (long seed = 0; seed < count; seed++) {
      try {
        check.accept(seed);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("fails with -Dveridex.seed=" + seed, e);
      }
    }
  }
}
