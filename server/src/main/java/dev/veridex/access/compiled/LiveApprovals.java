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

  /// The rights that approvals give on a resource.
  int rights(TimedRights approvals, int resource) {
    return approvals.size() == 0 || resource == IdDictionary.UNKNOWN
        ? 0
        : approvals.rights(resource, now);
  }

  /// Whether somebody has an approval on a resource.
  public boolean isObject(int resource) {
    boolean[] any = new boolean[1];
    forEachSubject(resource, _ -> any[0] = true);
    return any[0];
  }

  /// Visits those who have approvals on a resource.
  void forEachSubject(int resource, IntConsumer visitor) {
    grants
        .approved(resource)
        .forEach(
            record -> {
              int subject = PackedRecord.id(record);
              if (rights(of(subject), resource) != 0) {
                visitor.accept(subject);
              }
            });
  }

  /// Whether a subject has an approval.
  boolean isSubject(int subject) {
    boolean[] any = new boolean[1];
    forEachObject(subject, _ -> any[0] = true);
    return any[0];
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
