package dev.veridex.access.compiled;

import org.jspecify.annotations.Nullable;

/// The resources of one state of an index, sorted into classes that no check can tell apart. It
/// never changes.
///
/// Most resources are just in some groups; those that are in the same ones, in the same way, are a
/// class. Whatever has records of its own, or is itself a group, is a class of its own. All that no
/// record is about is one class, too.
public final class Classified {
  /// The class of what no record is about.
  static final int NOTHING = 0;

  /// A class of its own.
  static final int OWN = -1;

  /// A class of its own, too; what is said of it is a matter of permissions on itself, and on what
  /// everything is in: it is in no group, has no filters, and is not closed to anybody.
  static final int LONE = -2;

  /// The resources of a class are not just in one group.
  static final int MIXED = -1;

  private final Compiled index;
  private final int[][] classes;
  private final @Nullable Entry[] shapes;
  private final int[] groups;
  private final int size;

  /// @param classes by id, in the same pages as the index
  /// @param shapes what is said of each resource of a class
  /// @param groups the one group that each resource of a class is in, with all rights, or [#MIXED]
  /// @param size how many numbers of classes were given
  Classified(Compiled index, int[][] classes, @Nullable Entry[] shapes, int[] groups, int size) {
    this.index = index;
    this.classes = classes;
    this.shapes = shapes;
    this.groups = groups;
    this.size = size;
  }

  Compiled index() {
    return index;
  }

  int[][] classes() {
    return classes;
  }

  int size() {
    return size;
  }

  /// About how much memory it takes.
  long bytes() {
    return (long) classes.length * (16 + 4 * Compiled.PAGE) + 84L * size;
  }

  /// The class of an id, which may be one that this state does not know.
  int of(int id) {
    int page = id >> Compiled.PAGE_SHIFT;
    return id < 0 || page >= classes.length ? NOTHING : classes[page][id & (Compiled.PAGE - 1)];
  }

  /// The one group that each resource of a class is in, with all rights, or [#MIXED].
  int group(int number) {
    return groups[number];
  }

  /// What is said of each resource of a class.
  Entry shape(int number) {
    Entry shape = shapes[number];
    return shape == null ? Entry.NONE : shape;
  }
}
