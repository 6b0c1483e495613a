package dev.veridex.access.statement;

/// The kind of a key's records: the first letter of its text.
public enum Prefix {
  /// Permissions on an object.
  PERMISSION('P'),
  /// In which groups something is.
  MEMBERSHIP('M'),
  /// Filters of an object.
  FILTER('F');

  private final char letter;

  Prefix(char letter) {
    this.letter = letter;
  }

  public char letter() {
    return letter;
  }

  /// The prefix with a letter.
  ///
  /// @throws IllegalArgumentException if there is none
  public static Prefix of(int letter) {
    return switch (letter) {
      case 'P' -> PERMISSION;
      case 'M' -> MEMBERSHIP;
      case 'F' -> FILTER;
      default -> throw new IllegalArgumentException("no prefix " + letter);
    };
  }
}
