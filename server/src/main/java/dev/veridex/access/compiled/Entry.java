package dev.veridex.access.compiled;

/// All that an index says of one id.
///
/// @param memberships the groups that it is in
/// @param permissions who may do what to it
/// @param filters that it has
/// @param filtered what holds under filters only
/// @param members the other way round: what is in it as a group
/// @param objects the other way round: on what it has permissions, under filters or not
record Entry(
    RecordSet memberships,
    RecordSet permissions,
    RecordSet filters,
    Filtered filtered,
    RecordSet members,
    RecordSet objects) {
  static final Entry NONE =
      new Entry(
          RecordSet.Some.NONE,
          RecordSet.Some.NONE,
          RecordSet.Some.NONE,
          Filtered.NONE,
          RecordSet.Some.NONE,
          RecordSet.Some.NONE);

  private static final int OWN_BYTES = 40;

  Entry withMemberships(RecordSet changed) {
    return new Entry(changed, permissions, filters, filtered, members, objects);
  }

  Entry withPermissions(RecordSet changed) {
    return new Entry(memberships, changed, filters, filtered, members, objects);
  }

  Entry withFilters(RecordSet changed) {
    return new Entry(memberships, permissions, changed, filtered, members, objects);
  }

  Entry withFiltered(Filtered changed) {
    return new Entry(memberships, permissions, filters, changed, members, objects);
  }

  Entry withMembers(RecordSet changed) {
    return new Entry(memberships, permissions, filters, filtered, changed, objects);
  }

  Entry withObjects(RecordSet changed) {
    return new Entry(memberships, permissions, filters, filtered, members, changed);
  }

  /// Whether it bears any record.
  boolean isObject() {
    return !(memberships.isEmpty()
        && permissions.isEmpty()
        && filters.isEmpty()
        && filtered.isEmpty());
  }

  boolean isEmpty() {
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

  /// Whether it is in a group exclusively.
  boolean isExclusive() {
    return memberships.closed() != 0;
  }

  /// Whether any permission on it names an id.
  boolean permits(int id) {
    return permissions.find(id) != Packed.NONE || filtered.names(id);
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
