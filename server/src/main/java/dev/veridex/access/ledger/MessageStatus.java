package dev.veridex.access.ledger;

import java.util.Locale;

/// The result of a message.
public enum MessageStatus {
  /// It is the newest word on its individual.
  APPLIED,
  /// It was there already.
  DUPLICATE,
  /// There is a newer one. If it strikes, it strikes all the same.
  STALE,
  /// It is a command that was changed later; those do nothing.
  IGNORED,
  /// Another one claims the same place in the order.
  CONFLICT,
  /// It is not a message as we read it.
  REJECTED;

  /// Its name in answers.
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
