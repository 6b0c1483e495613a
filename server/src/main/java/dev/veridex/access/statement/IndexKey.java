package dev.veridex.access.statement;

/// The key of records in the index: prefix, filter and object.
///
/// A tuple, never its text: filter `secret-` on `doc` is not object `secret-doc`.
///
/// @param filter the name of the filter under which they count; empty if they count always
public record IndexKey(Prefix prefix, String filter, String object) {
  /// The group that everything is in.
  public static final String ALL_RESOURCES = "v-s:AllResourcesGroup";

  public static IndexKey permission(String object) {
    return new IndexKey(Prefix.PERMISSION, "", object);
  }

  public static IndexKey memberships(String of) {
    return new IndexKey(Prefix.MEMBERSHIP, "", of);
  }

  public static IndexKey filters(String object) {
    return new IndexKey(Prefix.FILTER, "", object);
  }

  /// The text for people and other programs, in which two different keys may read alike.
  public String text() {
    return prefix.letter() + filter + object;
  }
}
