package dev.veridex.access.compiled;

/// A record in one number: whom it names, its marker, and the rights that it grants and denies.
/// Records are ordered by whom they name.
public final class PackedRecord {
  /// No record.
  public static final long NONE = -1;

  public static final int EXCLUSIVE = 1;

  private static final int ID_SHIFT = 16;
  private static final int MARKER_SHIFT = 8;
  private static final int DENIED_SHIFT = 4;
  private static final int RIGHTS = 0xF;

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
    return (int) (record >>> MARKER_SHIFT) & 0xFF;
  }

  static int granted(long record) {
    return (int) record & RIGHTS;
  }

  static int denied(long record) {
    return (int) record >>> DENIED_SHIFT & RIGHTS;
  }

  /// The rights of a membership: granted minus denied.
  public static int edge(long record) {
    return granted(record) & ~denied(record);
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
