package dev.veridex.access.compiled;

import java.util.function.IntConsumer;

/// The approvals of a state, at a time.
///
/// @param now in microseconds
public record LiveApprovals(CompiledGrants grants, long now) {
  /// Where there are none.
  public static final LiveApprovals NONE = new LiveApprovals(CompiledGrants.NONE, 0);

  /// The approvals of a subject, those that have ended among them.
  public TimedRights of(int subject) {
    return grants.approvals(subject);
  }

  /// Whether somebody has an approval on a resource.
  public boolean isObject(int resource) {
    return grants
        .approved(resource)
        .any(record -> of(PackedRecord.id(record)).rights(resource, now) != 0);
  }

  /// Visits those who have approvals on a resource.
  void forEachSubject(int resource, IntConsumer visitor) {
    grants
        .approved(resource)
        .forEach(
            record -> {
              int subject = PackedRecord.id(record);
              if (of(subject).rights(resource, now) != 0) {
                visitor.accept(subject);
              }
            });
  }

  /// Whether a subject has an approval.
  boolean isSubject(int subject) {
    return of(subject).isLive(now);
  }

  /// Visits the resources on which a subject has approvals; one twice, if it has two rights on it.
  void forEachObject(int subject, IntConsumer visitor) {
    of(subject)
        .forEach(
            (slot, end) -> {
              if (end > now) {
                visitor.accept(TimedRights.id(slot));
              }
            });
  }
}
