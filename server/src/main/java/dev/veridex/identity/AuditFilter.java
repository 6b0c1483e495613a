package dev.veridex.identity;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A selection of entries of the audit log.
///
/// @param since the earliest time
/// @param until the time before which they are
/// @param actor the id of a token, or a subject
/// @param operation its name, as `approval.grant`
public record AuditFilter(
    Optional<Instant> since,
    Optional<Instant> until,
    Optional<String> actor,
    Optional<String> operation,
    Optional<AuditEntry.Outcome> outcome) {
  /// All entries.
  public static final AuditFilter ALL =
      new AuditFilter(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /// Commits that were under way at once may be in another order than their times, by less.
  private static final Duration DISORDER = Duration.ofMinutes(10);

  /// Whether an entry lies behind all that are meant: entries are about in the order of time.
  boolean isBehind(AuditEntry entry) {
    return until.filter(end -> !entry.time().isBefore(end.plus(DISORDER))).isPresent();
  }

  boolean test(AuditEntry entry) {
    return until.filter(end -> !entry.time().isBefore(end)).isEmpty()
        && since.filter(begin -> entry.time().isBefore(begin)).isEmpty()
        && actor
            .filter(who -> !who.equals(entry.actor()) && !entry.subject().equals(Optional.of(who)))
            .isEmpty()
        && operation.map(entry.operation()::equals).orElse(true)
        && outcome.map(entry.outcome()::equals).orElse(true);
  }
}
