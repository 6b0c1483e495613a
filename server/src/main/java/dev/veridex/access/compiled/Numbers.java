package dev.veridex.access.compiled;

import java.util.Arrays;

/// A set of small numbers. Where all or none of a page are in it, the page takes no room of its
/// own.
@SuppressWarnings("ReferenceEquality") // Pages of all and none are told by being those.
final class Numbers {
  private static final int WORDS = Compiled.PAGE / Long.SIZE;
  private static final long[] NONE = new long[WORDS];
  private static final long[] ALL = all();

  private long[][] pages;

  private Numbers(long[][] pages) {
    this.pages = pages;
  }

  private static long[] all() {
    long[] words = new long[WORDS];
    Arrays.fill(words, -1L);
    return words;
  }

  /// All numbers below a bound, and some above it; or none.
  static Numbers upTo(int bound, boolean all) {
    long[][] pages = new long[(bound + Compiled.PAGE - 1) >> Compiled.PAGE_SHIFT][];
    Arrays.fill(pages, all ? ALL : NONE);
    return new Numbers(pages);
  }

  boolean has(int number) {
    int page = number >> Compiled.PAGE_SHIFT;
    return page < pages.length && (pages[page][(number >> 6) & (WORDS - 1)] & 1L << number) != 0;
  }

  void set(int number, boolean in) {
    if (has(number) == in) {
      return;
    }
    int page = number >> Compiled.PAGE_SHIFT;
    if (page >= pages.length) {
      int length = pages.length;
      pages = Arrays.copyOf(pages, page + 1);
      Arrays.fill(pages, length, page + 1, NONE);
    }
    if (pages[page] == NONE || pages[page] == ALL) {
      pages[page] = pages[page].clone();
    }
    pages[page][(number >> 6) & (WORDS - 1)] ^= 1L << number;
  }

  /// Adds a number.
  ///
  /// @return whether it is new
  boolean add(int number) {
    boolean isNew = !has(number);
    set(number, true);
    return isNew;
  }

  /// Whether all numbers below its bound are in it.
  boolean isAll() {
    return Arrays.stream(pages).allMatch(page -> page == ALL);
  }

  /// Whether it is empty.
  boolean isNone() {
    return Arrays.stream(pages)
        .allMatch(page -> page == NONE || Arrays.stream(page).allMatch(word -> word == 0));
  }

  /// About how much memory it takes.
  long bytes() {
    long own = Arrays.stream(pages).filter(page -> page != NONE && page != ALL).count();
    return 32 + 4L * pages.length + own * (16 + 8 * WORDS);
  }
}
