package dev.veridex.access.statement;

/// The marker of a record: exclusive, ignoring exclusives, or none.
public enum Marker {
  NONE(0, "0", ""),
  /// The record grants exclusively.
  EXCLUSIVE(1, "X", "X"),
  /// Counts also where others are exclusive.
  IGNORES_EXCLUSIVE(2, "N", "N");

  private final int code;
  private final String text;
  private final String suffix;

  Marker(int code, String text, String suffix) {
    this.code = code;
    this.text = text;
    this.suffix = suffix;
  }

  /// Its number in stored records.
  public int code() {
    return code;
  }

  public static Marker of(int code) {
    return switch (code) {
      case 0 -> NONE;
      case 1 -> EXCLUSIVE;
      case 2 -> IGNORES_EXCLUSIVE;
      default -> throw new IndexOutOfBoundsException("no marker " + code);
    };
  }

  /// Its name in JSON.
  public String text() {
    return text;
  }

  /// The suffix of a record in the text formats.
  public String suffix() {
    return suffix;
  }
}
