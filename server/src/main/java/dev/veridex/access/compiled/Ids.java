package dev.veridex.access.compiled;

import java.util.Arrays;

/// A set of ids. Where there are none it takes no room, so that what is asked of most ids is found
/// in the nearest memory.
final class Ids {
  private static final int WORDS = Compiled.PAGE / Long.SIZE;
  private static final long[] NONE = new long[WORDS];

  private final long[][] pages;
  private int used;

  /// @param bound above all that will be in it
  Ids(int bound) {
    pages = new long[(bound + Compiled.PAGE - 1) >> Compiled.PAGE_SHIFT][];
    Arrays.fill(pages, NONE);
  }

  boolean has(int id) {
    int page = id >> Compiled.PAGE_SHIFT;
    return page < pages.length && (pages[page][(id >> 6) & (WORDS - 1)] & 1L << id) != 0;
  }

  @SuppressWarnings("ReferenceEquality") // The page that nothing is in is told by being that.
  void add(int id) {
    int page = id >> Compiled.PAGE_SHIFT;
    if (pages[page] == NONE) {
      pages[page] = new long[WORDS];
      used++;
    }
    pages[page][(id >> 6) & (WORDS - 1)] |= 1L << id;
  }

  /// About how much memory it takes.
  long bytes() {
    return 40 + 4L * pages.length + (16L + 8 * WORDS) * used;
  }
}
