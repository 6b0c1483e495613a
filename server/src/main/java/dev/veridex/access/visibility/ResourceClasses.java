package dev.veridex.access.visibility;

import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.IdRecords;
import dev.veridex.access.compiled.IdSet;
import org.jspecify.annotations.Nullable;

/// The resources of one state of an index, sorted into classes that no check can tell apart. It
/// never changes.
///
/// Most resources are just in a group, or in some; those that are in the same ones, in the same
/// way, are a class. Whatever has records of its own, or is itself a group, is a class of its own.
/// All that no record is about is one class, too.
public final class ResourceClasses {
  /// The class of what no record is about.
  static final int NOTHING = 0;

  /// A class of its own.
  static final int OWN = -1;

  /// From here down are classes of what is just in one group, with all rights.
  private static final int IN = -2;

  private final CompiledIndex index;
  private final int[][] classes;
  private final @Nullable IdRecords[] shapes;
  private final IdSet involved;
  private final int size;

  /// @param classes by id, in the same pages as the index
  /// @param shapes what is said of each resource of a class
  /// @param involved those that are a class of their own, and not lone
  /// @param size how many numbers of other classes were given
  ResourceClasses(
      CompiledIndex index,
      int[][] classes,
      @Nullable IdRecords[] shapes,
      IdSet involved,
      int size) {
    this.index = index;
    this.classes = classes;
    this.shapes = shapes;
    this.involved = involved;
    this.size = size;
  }

  CompiledIndex index() {
    return index;
  }

  int[][] classes() {
    return classes;
  }

  IdSet involved() {
    return involved;
  }

  /// The class of what is just in a group, with all rights.
  static int in(int group) {
    return IN - group;
  }

  /// Whether a class is of what is just in one group, with all rights.
  static boolean isIn(int of) {
    return of <= IN;
  }

  /// The group that all of such a class is in.
  static int group(int of) {
    return IN - of;
  }

  /// Whether what is said of an id that is a class of its own is a matter of permissions on itself,
  /// and on what everything is in: it is in no group, has no filters, and is not closed to anybody.
  boolean isLone(int id) {
    return !involved.has(id);
  }

  int size() {
    return size;
  }

  /// About how much memory it takes.
  long bytes() {
    return (long) classes.length * (16 + 4 * CompiledIndex.PAGE) + involved.bytes() + 80L * size;
  }

  /// The class of an id, which may be one that this state does not know.
  int of(int id) {
    int page = id >> CompiledIndex.PAGE_SHIFT;
    return id < 0 || page >= classes.length
        ? NOTHING
        : classes[page][id & (CompiledIndex.PAGE - 1)];
  }

  /// The records that each resource of a class has.
  IdRecords shape(int number) {
    IdRecords shape = shapes[number];
    return shape == null ? IdRecords.NONE : shape;
  }
}
