package dev.veridex.common;

import java.util.Comparator;

/// Compares texts by their bytes in UTF-8, which is the order of stored keys, without encoding
/// them.
public final class Utf8Order implements Comparator<String> {
  /// The order.
  public static final Utf8Order INSTANCE = new Utf8Order();

  private Utf8Order() {}

  @Override
  public int compare(String one, String other) {
    int length = Math.min(one.length(), other.length());
    for (int i = 0; i < length; i++) {
      char a = one.charAt(i);
      char b = other.charAt(i);
      if (a != b) {
        // Halves of pairs stand for characters beyond all that have one half only.
        boolean pair = Character.isSurrogate(a);
        return pair == Character.isSurrogate(b) ? Character.compare(a, b) : pair ? 1 : -1;
      }
    }
    return Integer.compare(one.length(), other.length());
  }
}
