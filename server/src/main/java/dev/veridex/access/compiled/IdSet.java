package dev.veridex.access.compiled;

import java.util.Arrays;

/// A set of ids. Where there are none it takes no room, so that what is asked of most ids is found
/// in the nearest memory.
public final class IdSet {
  private static final int WORDS = CompiledIndex.PAGE / Long.SIZE;
  private static final long[] NONE = new long[WORDS];

  private final long[][] pages;

  /// Whether pages belong to another set, too.
  private final boolean copied;

  /// How many pages there are at most in which something is.
  private int used;

  private IdSet(long[][] pages, boolean copied, int used) {
    this.pages = pages;
    this.copied = copied;
    this.used = used;
  }

  /// An empty set with room for ids below a bound.
  ///
  /// @param bound above all that will be in it
  public static IdSet upTo(int bound) {
    long[][] pages = new long[(bound + CompiledIndex.PAGE - 1) >> CompiledIndex.PAGE_SHIFT][];
    Arrays.fill(pages, NONE);
    return new IdSet(pages, false, 0);
  }

  /// The same, to be changed a little.
  ///
  /// @param bound above all that will be in it
  public IdSet copy(int bound) {
    long[][] more =
        Arrays.copyOf(pages, (bound + CompiledIndex.PAGE - 1) >> CompiledIndex.PAGE_SHIFT);
    if (more.length > pages.length) {
      Arrays.fill(more, pages.length, more.length, NONE);
    }
    return new IdSet(more, true, used);
  }

  public boolean has(int id) {
    int page = id >> CompiledIndex.PAGE_SHIFT;
    return page < pages.length && (pages[page][(id >> 6) & (WORDS - 1)] & 1L << id) != 0;
  }

  public void add(int id) {
    set(id, true);
  }

  @SuppressWarnings("ReferenceEquality")
  public // The page that nothing is in is told by being that.
  void set(int id, boolean in) {
    if (has(id) == in) {
      return;
    }
    int page = id >> CompiledIndex.PAGE_SHIFT;
    used += pages[page] == NONE ? 1 : 0;
    if (copied || pages[page] == NONE) {
      pages[page] = pages[page].clone();
    }
    pages[page][(id >> 6) & (WORDS - 1)] ^= 1L << id;
  }

  /// About how much memory it takes.
  public long bytes() {
    return 40 + 4L * pages.length + (16L + 8 * WORDS) * used;
  }
}
