package dev.veridex.identity;

import dev.veridex.common.Scope;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// An entry of the audit log: an operation in a scope, done or refused.
///
/// More than eight components: its components are the stored members of an entry.
///
/// @param time when, by the store's clock
/// @param actor the id of the token that acted
/// @param subject the person that token stands for
/// @param operation what, e.g. `token.mint`
/// @param key what it was done to, part by part
/// @param oldExpiry the end of its life before
/// @param newExpiry the end of its life after
/// @param reason why, where a reason was given or the attempt was refused
public record AuditEntry(
    Instant time,
    String actor,
    Optional<String> subject,
    String operation,
    Scope scope,
    List<String> key,
    Optional<Instant> oldExpiry,
    Optional<Instant> newExpiry,
    Optional<String> reason,
    Outcome outcome) {

  /// The most characters of a part of the key: whoever is refused must not fill the disk by it.
  private static final int MAX_PART = 1100;

  /// Whoever is refused must not fill the log.
  private static final int MAX_REFUSED_PART = 256;

  /// The outcome of an operation.
  public enum Outcome {
    DONE("done"),
    REFUSED("refused");

    private final String text;

    Outcome(String text) {
      this.text = text;
    }

    /// Its name in answers and records.
    public String text() {
      return text;
    }
  }

  public AuditEntry {
    int max = outcome == Outcome.REFUSED ? MAX_REFUSED_PART : MAX_PART;
    key = key.stream().map(part -> cut(part, max)).toList();
  }

  private static String cut(String part, int max) {
    int end = part.offsetByCodePoints(0, Math.min(max, part.codePointCount(0, part.length())));
    return end == part.length() ? part : part.substring(0, end) + "…";
  }

  /// The entry of an operation by a token.
  public static AuditEntry of(
      Instant time, Token actor, String operation, Scope scope, List<String> key) {
    return of(time, actor.id(), actor.subject(), operation, scope, key);
  }

  /// The entry of an operation on behalf of a token that is known by its id alone.
  public static AuditEntry of(
      Instant time,
      String actor,
      Optional<String> subject,
      String operation,
      Scope scope,
      List<String> key) {
    return new AuditEntry(
        time,
        actor,
        subject,
        operation,
        scope,
        key,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Outcome.DONE);
  }

  /// The same with the end of its life before.
  public AuditEntry withOldExpiry(Optional<Instant> expiry) {
    return new AuditEntry(
        time, actor, subject, operation, scope, key, expiry, newExpiry, reason, outcome);
  }

  /// The same with the end of its life after.
  public AuditEntry withNewExpiry(Optional<Instant> expiry) {
    return new AuditEntry(
        time, actor, subject, operation, scope, key, oldExpiry, expiry, reason, outcome);
  }

  /// The same with a reason.
  public AuditEntry withReason(Optional<String> why) {
    return new AuditEntry(
        time, actor, subject, operation, scope, key, oldExpiry, newExpiry, why, outcome);
  }

  /// The same with another end.
  public AuditEntry withOutcome(Outcome newOutcome, String why) {
    return new AuditEntry(
        time,
        actor,
        subject,
        operation,
        scope,
        key,
        oldExpiry,
        newExpiry,
        Optional.of(why),
        newOutcome);
  }
}
