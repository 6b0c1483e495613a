package dev.veridex.access.compiled;

import org.jspecify.annotations.Nullable;

/// A sparse array of bytes, allocated by page, zero where unset.
///
/// While one sets, others may read: they find what was set, or still 0.
public final class SparseBytes {
  private final byte[] @Nullable [] pages;
  private int used;

  /// @param bound above all for which anything is set
  public SparseBytes(int bound) {
    pages = new byte[(bound + CompiledIndex.PAGE - 1) >> CompiledIndex.PAGE_SHIFT][];
  }

  public int get(int number) {
    int page = number >> CompiledIndex.PAGE_SHIFT;
    byte[] here = page < pages.length ? pages[page] : null;
    return here == null ? 0 : here[number & (CompiledIndex.PAGE - 1)];
  }

  public void set(int number, int value) {
    page(number)[number & (CompiledIndex.PAGE - 1)] = (byte) value;
  }

  /// Sets what is set already, and more.
  public void add(int number, int bits) {
    page(number)[number & (CompiledIndex.PAGE - 1)] |= (byte) bits;
  }

  private byte[] page(int number) {
    int page = number >> CompiledIndex.PAGE_SHIFT;
    byte[] here = pages[page];
    if (here == null) {
      here = new byte[CompiledIndex.PAGE];
      pages[page] = here;
      used++;
    }
    return here;
  }

  /// About how much memory it takes by now.
  public long bytes() {
    return 40 + 4L * pages.length + (16L + CompiledIndex.PAGE) * used;
  }
}
