package dev.veridex.index;

/// The resources that a subject may see. It never changes: when rights do, there is another one.
///
/// Resources that anything is known of have numbers. An index remembers the number of each of its
/// documents' resources, so that no name is looked at while it searches.
public interface VisibleResources {
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
