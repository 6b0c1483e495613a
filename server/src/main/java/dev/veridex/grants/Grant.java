package dev.veridex.grants;

import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// An approval or a relationship as it is stored.
///
/// @param type of a relationship
/// @param origin who gave it, and since when
/// @param life when it ends
/// @param created the sequence of the state that its first write was decided on
/// @param sequence the sequence of the state that its last write was decided on
public record Grant(
    Scope scope,
    GrantKey key,
    Optional<RelationType> type,
    Origin origin,
    Life life,
    Map<String, String> metadata,
    long created,
    long sequence) {

  /// The origin of a grant.
  ///
  /// @param by the grantor: the subject of a token, or the id of one that has none
  /// @param since when it was first given
  /// @param unscoped whether its writer named no scope
  public record Origin(String by, Instant since, boolean unscoped) {}

  /// The life of a grant.
  ///
  /// @param expiresAt from when on it is not there; absent: it does not end
  /// @param ttl that was asked for, if one was
  public record Life(Optional<Instant> expiresAt, Optional<Duration> ttl) {
    /// A life without end.
    public static final Life FOREVER = new Life(Optional.empty(), Optional.empty());

    boolean isOver(Instant now) {
      return expiresAt.filter(end -> !end.isAfter(now)).isPresent();
    }

    /// Whether it ends after another one.
    boolean isLongerThan(Life other) {
      return other.expiresAt.isPresent()
          && (expiresAt.isEmpty() || expiresAt.get().isAfter(other.expiresAt.get()));
    }
  }

  public Grant {
    metadata = Collections.unmodifiableMap(new TreeMap<>(metadata));
  }

  /// A revision that lies after its last write and before any later one.
  public Revision revision(long storeId) {
    return new Revision(storeId, sequence + 1);
  }

  /// Whether it is over at a time.
  public boolean isExpired(Instant now) {
    return life.isOver(now);
  }

  /// What it gives in decisions: an approval of one of the four rights that right, a relationship
  /// of the type membership a membership; others nothing.
  public Optional<GrantedRight> granted() {
    return switch (key.kind()) {
      case APPROVAL ->
          right(key.third())
              .map(
                  right ->
                      GrantedRight.approval(
                          key.first(),
                          key.second(),
                          key.third(),
                          right,
                          origin.by,
                          origin.since,
                          life.expiresAt));
      case RELATIONSHIP ->
          type.filter(RelationType::isMembership)
              .map(
                  _ ->
                      GrantedRight.membership(
                          key.first(),
                          key.second(),
                          key.third(),
                          origin.by,
                          origin.since,
                          life.expiresAt));
    };
  }

  /// The right that an action stands for, if it is one.
  public static Optional<Integer> right(String action) {
    return switch (action.toLowerCase(Locale.ROOT)) {
      case "create", "post" -> Optional.of(Rights.CREATE);
      case "read", "get" -> Optional.of(Rights.READ);
      case "update", "put", "patch" -> Optional.of(Rights.UPDATE);
      case "delete" -> Optional.of(Rights.DELETE);
      default -> Optional.empty();
    };
  }

  Grant living(Life other, long newSequence) {
    return new Grant(scope, key, type, origin, other, metadata, created, newSequence);
  }

  Grant in(Scope other, Origin newOrigin, long newSequence) {
    return new Grant(other, key, type, newOrigin, life, metadata, newSequence, newSequence);
  }
}
