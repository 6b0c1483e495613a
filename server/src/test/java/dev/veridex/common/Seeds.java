package dev.veridex.common;

import java.util.function.LongConsumer;

/// Runs a check for many seeds and says which one failed.
///
/// `-Dveridex.seed=N` runs one seed alone, `-D{name}=N` sets how many are run.
public final class Seeds {
  private Seeds() {}

  public static int count(String property, int usual) {
    return Integer.getInteger(property, usual);
  }

  public static void forEach(int count, LongConsumer check) {
    Long only = Long.getLong("veridex.seed");
    if (only != null) {
      check.accept(only);
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
