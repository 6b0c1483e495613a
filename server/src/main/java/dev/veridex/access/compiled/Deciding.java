package dev.veridex.access.compiled;

/// Decides on which classes of resources a subject has a right, each when somebody asks for it, by
/// what the check says: nobody walks all of them.
///
/// Most classes are a matter of permissions on one object, a resource or the group that it is in;
/// what those say was gathered from the subject's side. Many may ask at a time, and most of them
/// without waiting.
final class Deciding {
  private static final int NO = 1;
  private static final int YES = 2;

  private final CompiledCheck check;
  private final Compiled index;
  private final Classified classified;
  private final int right;
  private final Above above;
  private final Bytes own;
  private final Bytes shared;

  /// @param check whose subject and implicit groups are set, and which nobody else uses any more
  /// @param most so many permissions of the subject are looked at beforehand
  Deciding(CompiledCheck check, Classified classified, int right, int most) {
    this.check = check;
    this.index = classified.index();
    this.classified = classified;
    this.right = right;
    this.above = new Above(check, right, most);
    this.own = new Bytes(index.bound());
    this.shared = new Bytes(classified.size());
  }

  /// Whether the subject has the right on a class of its own.
  ///
  /// @param id of the only resource
  /// @param lone whether that is a matter of permissions on itself
  boolean own(int id, boolean lone) {
    int said = above.known(id, lone);
    if (said != Above.UNKNOWN) {
      return CompiledCheck.gives(said);
    }
    int decided = own.get(id);
    return decided == 0 ? decide(own, id, id, index.entry(id)) : decided == YES;
  }

  /// Whether the subject has the right on each resource of a class.
  boolean shared(int number) {
    int group = classified.group(number);
    if (group != Classified.MIXED) {
      int said = above.knownIn(group, classified.of(group) == Classified.LONE);
      if (said != Above.UNKNOWN) {
        return CompiledCheck.gives(said);
      }
    }
    int decided = shared.get(number);
    return decided == 0
        ? decide(shared, number, Names.UNKNOWN, classified.shape(number))
        : decided == YES;
  }

  private synchronized boolean decide(Bytes decided, int number, int id, Entry said) {
    int all = above.of(id, said);
    boolean may = all == Above.UNKNOWN ? checked(id, said) : CompiledCheck.gives(all);
    decided.set(number, may ? YES : NO);
    return may;
  }

  private boolean checked(int id, Entry said) {
    int rights = id == Names.UNKNOWN ? check.rights(said) : check.rights(id);
    return (rights & right) == right;
  }

  /// Whether all can be decided in a short time.
  boolean isQuick() {
    return above.isAble();
  }

  /// About how much memory it takes by now.
  long bytes() {
    return 64 + own.bytes() + shared.bytes() + above.bytes() + check.bytes();
  }
}
