package dev.veridex.access.compiled;

import org.jspecify.annotations.Nullable;

/// A small number for each of many, 0 where nothing was set; where nothing was, it takes no room.
///
/// While one sets, others may read: they find what was set, or still 0.
final class Bytes {
  private final byte[] @Nullable [] pages;
  private int used;

  /// @param bound above all for which anything is set
  Bytes(int bound) {
    pages = new byte[(bound + Compiled.PAGE - 1) >> Compiled.PAGE_SHIFT][];
  }

  int get(int number) {
    int page = number >> Compiled.PAGE_SHIFT;
    byte[] here = page < pages.length ? pages[page] : null;
    return here == null ? 0 : here[number & (Compiled.PAGE - 1)];
  }

  void set(int number, int value) {
    page(number)[number & (Compiled.PAGE - 1)] = (byte) value;
  }

  /// Sets what is set already, and more.
  void add(int number, int bits) {
    page(number)[number & (Compiled.PAGE - 1)] |= (byte) bits;
  }

  private byte[] page(int number) {
    int page = number >> Compiled.PAGE_SHIFT;
    byte[] here = pages[page];
    if (here == null) {
      here = new byte[Compiled.PAGE];
      pages[page] = here;
      used++;
    }
    return here;
  }

  /// About how much memory it takes by now.
  long bytes() {
    return 40 + 4L * pages.length + (16L + Compiled.PAGE) * used;
  }
}
