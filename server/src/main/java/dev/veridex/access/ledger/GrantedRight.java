package dev.veridex.access.ledger;

import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Prefix;
import dev.veridex.access.statement.RecordId;
import dev.veridex.access.statement.Rights;
import java.time.Instant;
import java.util.Optional;

/// The part of a grant that counts in an index: an approval gives rights to exactly one subject on
/// exactly one resource, a membership relationship puts something into a group with all rights.
///
/// @param id the permission or membership that a statement saying the same would contribute to
/// @param name what tells it from others with the same id: an action, or a relation
/// @param end from when on it does not count
public record GrantedRight(
    RecordId id, String name, int rights, String grantor, Instant since, Optional<Instant> end) {

  /// An approval.
  public static GrantedRight approval(
      String subject,
      String resource,
      String action,
      int rights,
      String grantor,
      Instant since,
      Optional<Instant> end) {
    return new GrantedRight(
        new RecordId(IndexKey.permission(resource), subject), action, rights, grantor, since, end);
  }

  /// A membership relationship.
  public static GrantedRight membership(
      String member,
      String relation,
      String group,
      String grantor,
      Instant since,
      Optional<Instant> end) {
    return new GrantedRight(
        new RecordId(IndexKey.memberships(member), group),
        relation,
        Rights.ALL,
        grantor,
        since,
        end);
  }

  /// Whether it is an approval; else it is a membership.
  public boolean isApproval() {
    return id.key().prefix() == Prefix.PERMISSION;
  }

  /// Whether it counts at a time, if it was given by then.
  public boolean isLive(Instant now) {
    return end.filter(over -> !over.isAfter(now)).isEmpty();
  }
}
