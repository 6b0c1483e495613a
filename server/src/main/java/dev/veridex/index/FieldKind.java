package dev.veridex.index;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// The type of a field.
public enum FieldKind {
  BOOL,
  /// Whole numbers of 64 bits and doubles, in one order.
  NUMBER,
  /// Text that is found as a whole.
  KEYWORD,
  /// Text that is found by its words.
  TEXT,
  /// Text that is found both ways.
  STRING,
  TIMESTAMP,
  GEO,
  BYTES;

  /// Its name in schemas.
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<FieldKind> of(String text) {
    return Arrays.stream(values()).filter(type -> type.text().equals(text)).findAny();
  }
}
