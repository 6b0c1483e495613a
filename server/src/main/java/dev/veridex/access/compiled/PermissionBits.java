package dev.veridex.access.compiled;

/// The effect of permissions on a subject as bits of one number, so that the effects of many
/// records are united by `|`: four bits each for what is granted, granted by marked records,
/// denied, and closed to others. For a single right, one bit each.
public final class PermissionBits {
  private static final int MARKED_SHIFT = 4;
  private static final int DENIED_SHIFT = 8;
  private static final int CLOSED_SHIFT = 12;

  static final int GRANTS = 1;
  static final int GRANTS_MARKED = 2;
  static final int DENIES = 4;
  static final int CLOSES = 8;

  private PermissionBits() {}

  /// The effect of a record on somebody who has some rights of it.
  static int of(long record, int subject) {
    int granted = PackedRecord.granted(record) & subject;
    return (PackedRecord.marker(record) == 0 ? granted : granted << MARKED_SHIFT)
        | (PackedRecord.denied(record) & subject) << DENIED_SHIFT;
  }

  /// The effect of rights that are closed to all but exclusive records.
  static int closing(int rights) {
    return rights << CLOSED_SHIFT;
  }

  static int granted(int bits) {
    return bits & CompiledCheck.ALL;
  }

  static int marked(int bits) {
    return bits >> MARKED_SHIFT & CompiledCheck.ALL;
  }

  static int denied(int bits) {
    return bits >> DENIED_SHIFT & CompiledCheck.ALL;
  }

  static int closed(int bits) {
    return bits >> CLOSED_SHIFT & CompiledCheck.ALL;
  }

  /// The effect on a single right: [#GRANTS], [#GRANTS_MARKED], [#DENIES] and [#CLOSES].
  static int one(int bits, int right) {
    return ((bits & right) == 0 ? 0 : GRANTS)
        | ((bits >> MARKED_SHIFT & right) == 0 ? 0 : GRANTS_MARKED)
        | ((bits >> DENIED_SHIFT & right) == 0 ? 0 : DENIES)
        | ((bits >> CLOSED_SHIFT & right) == 0 ? 0 : CLOSES);
  }

  /// The effect of one record on a single right of somebody who has that right of it.
  public static int ofSingle(long record, int right) {
    return one(of(record, right), right);
  }

  /// Whether the effect on a single right gives it.
  public static boolean gives(int bits) {
    boolean granted = (bits & GRANTS_MARKED) != 0 || ((bits & GRANTS) != 0 && (bits & CLOSES) == 0);
    return granted && (bits & DENIES) == 0;
  }
}
