package dev.veridex.index;

/// The resources that a subject may see. It never changes: when rights do, there is another one.
///
/// Resources that anything is known of have numbers. An index remembers the number of each of its
/// documents' resources, so that no name is looked at while it searches.
public interface VisibleResources {
  /// What is returned where no resource depends on what it begins with.
  int[] NO_PREFIXES = {};

  /// What numbers mean: with the same one, a number stands for the same resource. Numbers are only
  /// added to it.
  Object numbering();

  /// Stands for what may be seen: with the same one, the same may be. It takes no room.
  Object identity();

  /// Numbers are below this.
  int size();

  /// The number of a resource, or -1.
  int find(String resource);

  /// The resource that has a number.
  String name(int number);

  /// Whether the resource with a number may be seen; with any other number, whether those may of
  /// which nothing is known.
  boolean test(int number);

  /// The numbers of prefixes: whatever begins with one, and is longer, may depend on it. They are
  /// in their order, so that those of new names come last.
  default int[] prefixes() {
    return NO_PREFIXES;
  }

  /// As [#test(int)], for a resource that begins with a prefix.
  ///
  /// @param prefix the number of the longest one
  default boolean test(int number, int prefix) {
    return test(number);
  }

  /// Whether a resource may be seen.
  default boolean sees(String resource) {
    return test(find(resource));
  }

  /// Whether all resources can be tested in a short time: then it may be remembered what was said
  /// of each.
  default boolean isQuick() {
    return true;
  }

  /// Whether every resource may be seen, known or not.
  default boolean isEverything() {
    return false;
  }

  /// Whether nothing may be seen at all.
  default boolean isNothing() {
    return false;
  }
}
