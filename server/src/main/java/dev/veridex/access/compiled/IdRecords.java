package dev.veridex.access.compiled;

import java.util.function.LongConsumer;

/// All records of one id.
///
/// @param memberships the groups that it is in
/// @param permissions who may do what to it
/// @param filters that it has
/// @param filtered what holds under filters only
/// @param members the other way round: what is in it as a group
/// @param objects the other way round: on what it has permissions, under filters or not, and what
///   those say that hold without one
/// @param onlyMembership the one membership, if there is just one, or [PackedRecord#NONE]: most
///   groups are in one other, and a check need not wait for another object to find out in which
public record IdRecords(
    RecordSet memberships,
    RecordSet permissions,
    RecordSet filters,
    FilteredRecords filtered,
    RecordSet members,
    RecordSet objects,
    long onlyMembership) {
  public static final IdRecords NONE =
      of(
          RecordSet.Some.NONE,
          RecordSet.Some.NONE,
          RecordSet.Some.NONE,
          FilteredRecords.NONE,
          RecordSet.Some.NONE,
          RecordSet.Some.NONE);

  private static final int OWN_BYTES = 48;

  private static IdRecords of(
      RecordSet memberships,
      RecordSet permissions,
      RecordSet filters,
      FilteredRecords filtered,
      RecordSet members,
      RecordSet objects) {
    long only = memberships instanceof RecordSet.One(long record) ? record : PackedRecord.NONE;
    return new IdRecords(memberships, permissions, filters, filtered, members, objects, only);
  }

  /// What is said of something that is just in a group, with all rights.
  public static IdRecords in(int group) {
    return NONE.withMemberships(new RecordSet.One(PackedRecord.of(group, 0, CompiledCheck.ALL)));
  }

  /// Visits the groups that it is in.
  void forEachMembership(LongConsumer visitor) {
    if (onlyMembership == PackedRecord.NONE) {
      memberships.forEach(visitor);
    } else {
      visitor.accept(onlyMembership);
    }
  }

  IdRecords withMemberships(RecordSet changed) {
    return of(changed, permissions, filters, filtered, members, objects);
  }

  IdRecords withPermissions(RecordSet changed) {
    return of(memberships, changed, filters, filtered, members, objects);
  }

  IdRecords withFilters(RecordSet changed) {
    return of(memberships, permissions, changed, filtered, members, objects);
  }

  IdRecords withFiltered(FilteredRecords changed) {
    return of(memberships, permissions, filters, changed, members, objects);
  }

  IdRecords withMembers(RecordSet changed) {
    return of(memberships, permissions, filters, filtered, changed, objects);
  }

  IdRecords withObjects(RecordSet changed) {
    return of(memberships, permissions, filters, filtered, members, changed);
  }

  /// Whether it bears any record.
  boolean isObject() {
    return !(memberships.isEmpty()
        && permissions.isEmpty()
        && filters.isEmpty()
        && filtered.isEmpty());
  }

  public boolean isEmpty() {
    return !isObject() && members.isEmpty() && objects.isEmpty();
  }

  /// Whether it may take rights away that everybody would have otherwise.
  boolean restricts() {
    return !filters.isEmpty() || permissions.restricts() || filtered.restricts();
  }

  /// Whether it closes rights to all but some.
  boolean closes() {
    return permissions.closed() != 0 || filtered.closes();
  }

  /// Whether a check may tell it from others that are in the same groups.
  public boolean isOwnClass() {
    return !(permissions.isEmpty() && filters.isEmpty() && filtered.isEmpty() && members.isEmpty());
  }

  /// Whether what a check says of it, or of what is just in it, is a matter of permissions on
  /// itself that name who asks.
  public boolean isLone() {
    return memberships.isEmpty() && filters.isEmpty() && permissions.closed() == 0;
  }

  /// Whether it is in a group exclusively.
  boolean isExclusive() {
    return memberships.closed() != 0;
  }

  /// Whether any permission on it names an id.
  boolean permits(int id) {
    return permissions.find(id) != PackedRecord.NONE || filtered.names(id);
  }

  /// About how much memory it takes.
  long bytes() {
    return isEmpty()
        ? 0
        : OWN_BYTES
            + memberships.bytes()
            + permissions.bytes()
            + filters.bytes()
            + filtered.bytes()
            + members.bytes()
            + objects.bytes();
  }
}
