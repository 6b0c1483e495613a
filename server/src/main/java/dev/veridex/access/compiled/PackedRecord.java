package dev.veridex.access.compiled;

/// A record in one number: whom it names, its marker, and the rights that it grants and denies.
/// Records are ordered by whom they name.
///
/// A membership may also, or only, be a live relationship: then it is two memberships, what is
/// stated and one with all rights that no marker restricts.
public final class PackedRecord {
  /// No record.
  public static final long NONE = -1;

  public static final int EXCLUSIVE = 1;

  private static final int IGNORES = 2;

  private static final int ID_SHIFT = 16;
  private static final int MARKER_SHIFT = 8;
  private static final int DENIED_SHIFT = 4;
  private static final int RIGHTS = 0xF;
  private static final int MARKER = 0x3;

  // Flags beside the marker.
  private static final long RELATIONSHIP = 0x4L << MARKER_SHIFT;
  private static final long NOT_STATED = 0x8L << MARKER_SHIFT;

  private PackedRecord() {}

  static long of(int id, int marker, int bits) {
    return (long) id << ID_SHIFT | (long) marker << MARKER_SHIFT | bits;
  }

  /// The same as a record says, of another id.
  static long to(int id, long record) {
    return (long) id << ID_SHIFT | (record & (1L << ID_SHIFT) - 1);
  }

  /// The least that a record of an id can be.
  static long first(int id) {
    return (long) id << ID_SHIFT;
  }

  public static int id(long record) {
    return (int) (record >>> ID_SHIFT);
  }

  public static int marker(long record) {
    return (int) (record >>> MARKER_SHIFT) & MARKER;
  }

  static int granted(long record) {
    return (int) record & RIGHTS;
  }

  static int denied(long record) {
    return (int) record >>> DENIED_SHIFT & RIGHTS;
  }

  /// The same membership, which is a live relationship from now on.
  static long related(int id, long record) {
    return record == NONE ? of(id, 0, 0) | RELATIONSHIP | NOT_STATED : record | RELATIONSHIP;
  }

  /// The same membership, which is no live relationship any more; [#NONE] if nothing is left.
  static long unrelated(long record) {
    return record == NONE || (record & NOT_STATED) != 0 ? NONE : record & ~RELATIONSHIP;
  }

  /// The same membership, of which something else is stated.
  ///
  /// @param stated [#NONE] if nothing is
  static long stated(long record, long stated) {
    boolean relationship = record != NONE && (record & RELATIONSHIP) != 0;
    if (!relationship) {
      return stated;
    }
    return stated == NONE ? related(id(record), NONE) : stated | RELATIONSHIP;
  }

  private static boolean isRelationship(long record) {
    return (record & RELATIONSHIP) != 0;
  }

  /// The rights that a membership states: granted minus denied.
  private static int statedEdge(long record) {
    return granted(record) & ~denied(record);
  }

  /// The rights of a membership, in whatever way.
  public static int edge(long record) {
    return isRelationship(record) ? RIGHTS : statedEdge(record);
  }

  /// The rights with which a resource passes as the group that it is in: none through what is
  /// stated as exclusive.
  public static int reach(long record) {
    if (isRelationship(record)) {
      return RIGHTS;
    }
    return marker(record) == EXCLUSIVE ? 0 : statedEdge(record);
  }

  /// Whether somebody is in the group exclusively.
  static boolean excludes(long record) {
    return marker(record) == EXCLUSIVE && statedEdge(record) != 0;
  }

  /// Whether exclusive memberships beyond this one count.
  static boolean opens(long record) {
    return isRelationship(record) || (marker(record) != IGNORES && statedEdge(record) != 0);
  }

  /// The rights that a record closes to others.
  static int closed(long record) {
    return marker(record) == EXCLUSIVE ? granted(record) : 0;
  }

  /// Whether a record takes rights away from anybody.
  static boolean restricts(long record) {
    return denied(record) != 0 || closed(record) != 0;
  }
}
