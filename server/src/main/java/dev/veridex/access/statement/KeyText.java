package dev.veridex.access.statement;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Keys as people write them: prefix, filter and object, run together.
public final class KeyText {
  private KeyText() {}

  /// All keys that read like a text.
  public static List<IndexKey> keys(String text) {
    List<IndexKey> keys = new ArrayList<>();
    if (text.length() < 2 || "PMF".indexOf(text.charAt(0)) < 0) {
      return keys;
    }
    Prefix prefix = Prefix.of(text.charAt(0));
    for (int i = 1; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
      // Memberships have no filters.
      if (i == 1 || prefix != Prefix.MEMBERSHIP) {
        keys.add(new IndexKey(prefix, text.substring(1, i), text.substring(i)));
      }
    }
    return keys;
  }

  public static VeridexException ambiguous(List<IndexKey> keys) {
    return new VeridexException(
        Problem.of(ErrorCode.AMBIGUOUS_KEY, "several keys read like this: say which with filter=")
            .with(
                "keys",
                keys.stream()
                    .map(key -> "filter '%s' on '%s'".formatted(key.filter(), key.object()))
                    .collect(Collectors.joining(", "))));
  }
}
