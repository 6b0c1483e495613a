package dev.veridex.common;

import java.util.List;
import java.util.random.RandomGenerator;

/// Ids chosen to break an encoding: separators, escapes, zero bytes, prefixes of each other.
public final class HostileText {
  private static final List<String> PIECES =
      List.of(
          ":",
          "%",
          "%3A",
          "%25",
          "env",
          "env:",
          "tenant",
          "global",
          "\0",
          "\0\0",
          "\u00FF",
          "a",
          "aa",
          "/",
          "..",
          " ",
          "é",
          "e\u0301",
          "\uFFFF",
          "\uD83D\uDE00",
          "\u0001",
          "\u007F");

  private HostileText() {}

  /// A text of at least one and at most four pieces.
  public static String random(RandomGenerator random) {
    StringBuilder text = new StringBuilder();
    int pieces = random.nextInt(1, 5);
    for (int i = 0; i < pieces; i++) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return text.toString();
  }
}
