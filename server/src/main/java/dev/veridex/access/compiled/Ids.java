package dev.veridex.access.compiled;

import java.util.Arrays;

/// A set of ids. Where there are none it takes no room, so that what is asked of most ids is found
/// in the nearest memory.
final class Ids {
  private static final int WORDS = Compiled.PAGE / Long.SIZE;
  private static final long[] NONE = new long[WORDS];

  private final long[][] pages;

  /// Whether pages belong to another set, too.
  private final boolean copied;

  /// How many pages there are at most in which something is.
  private int used;

  private Ids(long[][] pages, boolean copied, int used) {
    this.pages = pages;
    this.copied = copied;
    this.used = used;
  }

  /// @param bound above all that will be in it
  static Ids upTo(int bound) {
    long[][] pages = new long[(bound + Compiled.PAGE - 1) >> Compiled.PAGE_SHIFT][];
    Arrays.fill(pages, NONE);
    return new Ids(pages, false, 0);
  }

  /// The same, to be changed a little.
  ///
  /// @param bound above all that will be in it
  Ids copy(int bound) {
    long[][] more = Arrays.copyOf(pages, (bound + Compiled.PAGE - 1) >> Compiled.PAGE_SHIFT);
    if (more.length > pages.length) {
      Arrays.fill(more, pages.length, more.length, NONE);
    }
    return new Ids(more, true, used);
  }

  boolean has(int id) {
    int page = id >> Compiled.PAGE_SHIFT;
    return page < pages.length && (pages[page][(id >> 6) & (WORDS - 1)] & 1L << id) != 0;
  }

  void add(int id) {
    set(id, true);
  }

  @SuppressWarnings("ReferenceEquality") // The page that nothing is in is told by being that.
  void set(int id, boolean in) {
    if (has(id) == in) {
      return;
    }
    int page = id >> Compiled.PAGE_SHIFT;
    used += pages[page] == NONE ? 1 : 0;
    if (copied || pages[page] == NONE) {
      pages[page] = pages[page].clone();
    }
    pages[page][(id >> 6) & (WORDS - 1)] ^= 1L << id;
  }

  /// About how much memory it takes.
  long bytes() {
    return 40 + 4L * pages.length + (16L + 8 * WORDS) * used;
  }
}
