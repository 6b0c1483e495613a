package dev.veridex.objects;

import java.util.Arrays;
import java.util.Locale;

/// A pattern for a whole text: `*` stands for any characters, `?` for one, and a backslash takes
/// the next character as it is.
record WildcardPattern(int[] parts, boolean caseSensitive) {
  private static final int ANY = -1;
  private static final int ONE = -2;

  static WildcardPattern of(String text, boolean caseSensitive) {
    int[] points = folded(text, caseSensitive).codePoints().toArray();
    int[] parts = new int[points.length];
    int length = 0;
    for (int i = 0; i < points.length; i++) {
      parts[length++] =
          switch (points[i]) {
            case '*' -> ANY;
            case '?' -> ONE;
            case '\\' -> points[Math.min(++i, points.length - 1)];
            default -> points[i];
          };
    }
    return new WildcardPattern(Arrays.copyOf(parts, length), caseSensitive);
  }

  private static String folded(String text, boolean caseSensitive) {
    return caseSensitive ? text : text.toLowerCase(Locale.ROOT);
  }

  /// The characters with which every text begins that it matches.
  String prefix() {
    StringBuilder prefix = new StringBuilder();
    for (int part : parts) {
      if (part < 0) {
        break;
      }
      prefix.appendCodePoint(part);
    }
    return caseSensitive ? prefix.toString() : "";
  }

  /// Whether it matches one text alone.
  boolean isExact() {
    for (int part : parts) {
      if (part < 0) {
        return false;
      }
    }
    return caseSensitive;
  }

  /// Whether a text matches. It takes at most the product of both lengths.
  boolean matches(String given) {
    int[] text = folded(given, caseSensitive).codePoints().toArray();
    int part = 0;
    int at = 0;
    int star = -1;
    int mark = 0;
    while (at < text.length) {
      if (part < parts.length && (parts[part] == ONE || parts[part] == text[at])) {
        part++;
        at++;
      } else if (part < parts.length && parts[part] == ANY) {
        star = part++;
        mark = at;
      } else if (star >= 0) {
        part = star + 1;
        at = ++mark;
      } else {
        return false;
      }
    }
    while (part < parts.length && parts[part] == ANY) {
      part++;
    }
    return part == parts.length;
  }
}
