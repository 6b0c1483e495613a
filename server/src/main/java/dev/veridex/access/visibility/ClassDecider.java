package dev.veridex.access.visibility;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.IdDictionary;
import dev.veridex.access.compiled.IdRecords;
import dev.veridex.access.compiled.PermissionBits;
import dev.veridex.access.compiled.SparseBytes;

/// Decides on which classes of resources a subject has a right, each when somebody asks for it, by
/// what the check says: nobody walks all of them.
///
/// Most classes are a matter of permissions on one object, a resource or the group that it is in;
/// what those say was gathered from the subject's side. Many may ask at a time, and most of them
/// without waiting.
final class ClassDecider {
  private static final int NO = 1;
  private static final int YES = 2;

  private final CompiledCheck check;
  private final CompiledIndex index;
  private final ResourceClasses classified;
  private final int right;
  private final GroupPermissions above;
  private final SparseBytes own;
  private final SparseBytes in;
  private final SparseBytes shared;

  /// @param check whose subject and implicit groups are set, and which nobody else uses any more
  /// @param most so many permissions of the subject are looked at beforehand
  ClassDecider(CompiledCheck check, ResourceClasses classified, int right, int most) {
    this.check = check;
    this.index = classified.index();
    this.classified = classified;
    this.right = right;
    check.expectMany();
    this.above = new GroupPermissions(check, right, most);
    this.own = new SparseBytes(index.bound());
    this.in = new SparseBytes(index.bound());
    this.shared = new SparseBytes(classified.size());
  }

  /// Whether the subject has the right on a class of its own.
  ///
  /// @param id of the only resource
  boolean own(int id) {
    int said = above.known(id, classified.isLone(id));
    if (said != GroupPermissions.UNKNOWN) {
      return PermissionBits.gives(said);
    }
    int decided = own.get(id);
    return decided == 0 ? decideOwn(id) : decided == YES;
  }

  /// Whether it has it on what is just in a group, with all rights.
  boolean in(int group) {
    int said = above.knownIn(group, classified.isLone(group));
    if (said != GroupPermissions.UNKNOWN) {
      return PermissionBits.gives(said);
    }
    int decided = in.get(group);
    return decided == 0 ? decideIn(group) : decided == YES;
  }

  /// Whether it has it on each resource of another class.
  boolean shared(int number) {
    int decided = shared.get(number);
    return decided == 0 ? decideShared(number) : decided == YES;
  }

  private synchronized boolean decideOwn(int id) {
    int said = above.of(id, index.entry(id));
    boolean may =
        said == GroupPermissions.UNKNOWN ? gives(check.rights(id)) : PermissionBits.gives(said);
    if (above.known(id, false) == GroupPermissions.UNKNOWN) {
      own.set(id, may ? YES : NO);
    }
    return may;
  }

  private synchronized boolean decideIn(int group) {
    boolean may = decide(IdRecords.in(group));
    if (above.knownIn(group, false) == GroupPermissions.UNKNOWN) {
      in.set(group, may ? YES : NO);
    }
    return may;
  }

  private synchronized boolean decideShared(int number) {
    boolean may = decide(classified.shape(number));
    shared.set(number, may ? YES : NO);
    return may;
  }

  private boolean decide(IdRecords shape) {
    int said = above.of(IdDictionary.UNKNOWN, shape);
    return said == GroupPermissions.UNKNOWN
        ? gives(check.rights(shape))
        : PermissionBits.gives(said);
  }

  private boolean gives(int rights) {
    return (rights & right) == right;
  }

  /// Whether all can be decided in a short time.
  boolean isQuick() {
    return above.isAble();
  }

  /// About how much memory it takes by now.
  long bytes() {
    return 64 + own.bytes() + in.bytes() + shared.bytes() + above.bytes() + check.bytes();
  }
}
