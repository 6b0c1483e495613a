package dev.veridex.access.ledger;

import java.util.Locale;

/// A change of what grants give in an index.
///
/// @param grant as it is since; of one that was taken back, as it was
public record GrantChange(Kind kind, GrantedRight grant) {

  /// The fate of a grant.
  public enum Kind {
    /// It was given, or written again with another end that is not later.
    GRANTED,
    /// It ends later than before.
    EXTENDED,
    /// It was taken back before its end.
    REVOKED;

    /// Its name in answers.
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
