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

  /// Of what is in a group, not all is of one class that others share.
  static final int MIXED = -1;

  private final Compiled index;
  private final int[][] classes;
  private final @Nullable Entry[] shapes;
  private final int size;
  private final int[][] only;

  /// @param classes by id, in the same pages as the index
  /// @param only the class of all that is in a group, by its id; of no less than is in it
  /// @param shapes what is said of each resource of a class
  /// @param size how many numbers of classes were given
  Classified(Compiled index, int[][] classes, int[][] only, @Nullable Entry[] shapes, int size) {
    this.index = index;
    this.classes = classes;
    this.only = only;
    this.shapes = shapes;
    this.size = size;
  }

  Compiled index() {
    return index;
  }

  int[][] classes() {
    return classes;
  }

  int[][] only() {
    return only;
  }

  /// The class of all that is in a group, or [#MIXED], or [#NOTHING].
  int only(int group) {
    int page = group >> Compiled.PAGE_SHIFT;
    return page >= only.length ? NOTHING : only[page][group & (Compiled.PAGE - 1)];
  }

  int size() {
    return size;
  }

  /// About how much memory it takes.
  long bytes() {
    return 2L * classes.length * (16 + 4 * Compiled.PAGE) + 80L * size;
  }

  /// The class of an id, which may be one that this state does not know.
  int of(int id) {
    int page = id >> Compiled.PAGE_SHIFT;
    return id < 0 || page >= classes.length ? NOTHING : classes[page][id & (Compiled.PAGE - 1)];
  }

  /// What is said of each resource of a class.
  Entry shape(int number) {
    Entry shape = shapes[number];
    return shape == null ? Entry.NONE : shape;
  }
}
