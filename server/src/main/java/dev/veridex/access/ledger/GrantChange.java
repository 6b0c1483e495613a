package dev.veridex.access.ledger;

import java.util.Locale;

/// A change of what grants give in an index.
///
/// @param grant as it is since; of one that was taken back, as it was
public record GrantChange(Kind kind, GrantedRight grant) {

  /// The fate of a grant.
  public enum Kind {
    /// It was given, or written again with another end that is not later.
    GRANTED(0),
    /// It ends later than before.
    EXTENDED(1),
    /// It was taken back before its end.
    REVOKED(2);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /// Its number in records.
    int code() {
      return code;
    }

    /// The kind of a number in a record.
    static Kind of(int code) {
      return switch (code) {
        case 0 -> GRANTED;
        case 1 -> EXTENDED;
        case 2 -> REVOKED;
        default -> throw new IllegalArgumentException("no kind of change has number " + code);
      };
    }

    /// Its name in answers.
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
