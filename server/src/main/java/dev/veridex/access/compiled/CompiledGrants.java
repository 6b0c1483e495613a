package dev.veridex.access.compiled;

import dev.veridex.common.Expiry;

/// The rights that grants give in an index, in memory: an immutable state. Ids are numbers of the
/// index's dictionary.
///
/// Approvals are looked at by their ends whenever they are asked for. Membership relationships that
/// are alive are memberships of the [CompiledIndex], and only their ends are here.
public final class CompiledGrants {
  /// None.
  public static final CompiledGrants NONE =
      new CompiledGrants(
          IdTable.empty(TimedRights.Many.NONE),
          IdTable.empty(RecordSet.Some.NONE),
          IdTable.empty(TimedRights.Many.NONE),
          0,
          0);

  private final IdTable<TimedRights> approvals;
  private final IdTable<RecordSet> approved;
  private final IdTable<TimedRights> memberships;
  private final int size;
  private final long bytes;

  /// @param approvals by subject: rights on resources
  /// @param approved by resource: subjects that have or had approvals on it
  /// @param memberships by member: the ends of memberships in groups, in the place of one right
  /// @param size how many approvals there are, those that have ended among them
  private CompiledGrants(
      IdTable<TimedRights> approvals,
      IdTable<RecordSet> approved,
      IdTable<TimedRights> memberships,
      int size,
      long bytes) {
    this.approvals = approvals;
    this.approved = approved;
    this.memberships = memberships;
    this.size = size;
    this.bytes = bytes;
  }

  /// How many approvals there are, those that have ended among them.
  public int size() {
    return size;
  }

  /// About how much memory it takes.
  public long bytes() {
    return bytes + approvals.bytes() + approved.bytes() + memberships.bytes();
  }

  TimedRights approvals(int subject) {
    return approvals.get(subject);
  }

  RecordSet approved(int resource) {
    return approved.get(resource);
  }

  /// The end of a membership in microseconds; 0 if there is none.
  public long membershipEnd(int member, int group) {
    return memberships.get(member).end(TimedRights.slot(group, 0));
  }

  /// The same without the approvals that have ended.
  public CompiledGrants live(long now) {
    Edit edit = edit();
    for (int subject = 0; subject < approvals.bound(); subject++) {
      int from = subject;
      approvals
          .get(subject)
          .forEach(
              (slot, end) -> {
                if (Expiry.isExpired(end, now)) {
                  edit.approve(from, TimedRights.id(slot), slot % TimedRights.RIGHTS, 0);
                }
              });
    }
    return edit.done();
  }

  /// An edit that makes the next state.
  public Edit edit() {
    return new Edit();
  }

  /// Makes the next state.
  public final class Edit {
    private final IdTable<TimedRights>.Edit ofSubjects = approvals.edit();
    private final IdTable<RecordSet>.Edit onResources = approved.edit();
    private final IdTable<TimedRights>.Edit ofMembers = memberships.edit();
    private int newSize = size;
    private long newBytes = bytes;

    private Edit() {}

    /// Sets until when a subject has a right on a resource.
    ///
    /// @param right its position
    /// @param end in microseconds; 0: it has none
    public void approve(int subject, int resource, int right, long end) {
      TimedRights before = ofSubjects.get(subject);
      TimedRights after = before.with(TimedRights.slot(resource, right), end);
      ofSubjects.set(subject, after);
      newSize += after.size() - before.size();
      newBytes += after.bytes() - before.bytes();
      boolean any = false;
      for (int i = 0; i < TimedRights.RIGHTS; i++) {
        any |= after.end(TimedRights.slot(resource, i)) != 0;
      }
      RecordSet known = onResources.get(resource);
      RecordSet changed = any ? known.with(PackedRecord.of(subject, 0, 0)) : known.without(subject);
      onResources.set(resource, changed);
      newBytes += changed.bytes() - known.bytes();
    }

    /// Sets until when something is in a group.
    ///
    /// @param end in microseconds; 0: it is not
    public void relate(int member, int group, long end) {
      TimedRights before = ofMembers.get(member);
      TimedRights after = before.with(TimedRights.slot(group, 0), end);
      ofMembers.set(member, after);
      newBytes += after.bytes() - before.bytes();
    }

    /// About how much memory the values of the next state take.
    public long bytes() {
      return newBytes;
    }

    /// The state with all changes.
    public CompiledGrants done() {
      return new CompiledGrants(
          ofSubjects.done(), onResources.done(), ofMembers.done(), newSize, newBytes);
    }
  }
}
