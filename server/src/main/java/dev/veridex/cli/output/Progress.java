package dev.veridex.cli.output;

/// A bar that shows a person how far long work has come.
public final class Progress {
  private static final int WIDTH = 30;

  private Progress() {}

  /// A bar of what is done.
  ///
  /// @param done of `total`; more than that counts as all
  public static String bar(long done, long total) {
    double part = total <= 0 ? 1 : Math.min(1, (double) done / total);
    int full = (int) (part * WIDTH);
    return "[%s%s] %3d %%"
        .formatted("█".repeat(full), "░".repeat(WIDTH - full), (int) (part * 100));
  }
}
