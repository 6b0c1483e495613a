package dev.veridex.access.visibility;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.IdDictionary;
import dev.veridex.access.compiled.IdRecords;
import dev.veridex.access.compiled.PermissionBits;
import dev.veridex.access.compiled.SparseBytes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Decides on which classes of resources a subject has a right, each when somebody asks for it, by
/// what the check says: nobody walks all of them.
///
/// Most classes are a matter of permissions on one object, a resource or the group that it is in;
/// what those say was gathered from the subject's side. Many may ask at a time, and most of them
/// without waiting.
final class ClassDecider {
  private static final int NO = 1;
  private static final int YES = 2;
  private static final long ENTRY_BYTES = 80;

  private final CompiledCheck check;
  private final CompiledIndex index;
  private final ResourceClasses classified;
  private final int right;
  private final GroupPermissions above;
  private final SparseBytes own;
  private final SparseBytes in;
  private final SparseBytes shared;
  private final SparseBytes below;
  private final Map<Long, Boolean> ownBelow = new ConcurrentHashMap<>();
  private final Map<Long, Boolean> classBelow = new ConcurrentHashMap<>();

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
    this.below = new SparseBytes(index.bound());
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

  /// Whether it has it on what lies in a folder and has no records.
  ///
  /// @param folder the smallest one that is known
  boolean below(int folder) {
    int decided = below.get(folder);
    return decided == 0 ? decideBelow(folder) : decided == YES;
  }

  /// Whether it has it on each resource of a class that lies in a folder.
  ///
  /// @param id of the only resource of the class, or what all of them are in
  boolean below(int folder, int id, int of) {
    long key =
        ((long) folder << Integer.SIZE) | ((of == ResourceClasses.OWN ? id : of) & 0xFFFFFFFFL);
    Map<Long, Boolean> known = of == ResourceClasses.OWN ? ownBelow : classBelow;
    Boolean decided = known.get(key);
    if (decided == null) {
      decided = decideBelow(folder, id, of);
      known.put(key, decided);
    }
    return decided;
  }

  private synchronized boolean decideBelow(int folder) {
    int[] chain = FolderDictionary.chain(index.dictionary(), folder);
    int said = above.ofImplicit(chain);
    boolean may =
        said == GroupPermissions.UNKNOWN
            ? gives(check.rights(IdDictionary.UNKNOWN, IdRecords.NONE, chain))
            : PermissionBits.gives(said);
    // Others may have named it while this state was in use.
    if (folder < index.bound()) {
      below.set(folder, may ? YES : NO);
    }
    return may;
  }

  private synchronized boolean decideBelow(int folder, int id, int of) {
    int[] chain = FolderDictionary.chain(index.dictionary(), folder);
    if (of == ResourceClasses.OWN) {
      IdRecords own = index.entry(id);
      // What else it is in may be one of the folders, which counts once and is not followed then.
      boolean alone = own.memberships().isEmpty();
      int said = alone ? above.of(id, own) : GroupPermissions.UNKNOWN;
      int more = alone ? above.ofImplicit(chain) : GroupPermissions.UNKNOWN;
      return (said == GroupPermissions.UNKNOWN || more == GroupPermissions.UNKNOWN)
          ? gives(check.rights(id, own, chain))
          : PermissionBits.gives(said | more);
    }
    IdRecords shape =
        ResourceClasses.isIn(of) ? IdRecords.in(ResourceClasses.group(of)) : classified.shape(of);
    return gives(check.rights(IdDictionary.UNKNOWN, shape, chain));
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
    return 64
        + own.bytes()
        + in.bytes()
        + shared.bytes()
        + below.bytes()
        + ENTRY_BYTES * (ownBelow.size() + classBelow.size())
        + above.bytes()
        + check.bytes();
  }
}
