package dev.veridex.access.compiled;

import java.util.Arrays;

/// Decides on which classes of resources a subject has a right.
///
/// Each class that is decided passes the check. Which ones are tried comes from the other direction
/// of the records: what the subject and its groups have any permission on; or, if it has the right
/// on everything, what anything may be taken away from. Nobody walks all classes.
final class Deciding {
  private final CompiledCheck check;
  private final Compiled index;
  private final Classified classified;
  private final int right;
  private final Numbers own;
  private final Numbers shared;
  private final Numbers ownTried;
  private final Numbers sharedTried;
  private final Above above;
  private int[] open = new int[64];
  private int openSize;

  private Deciding(CompiledCheck check, Classified classified, int right, boolean all) {
    this.check = check;
    this.index = classified.index();
    this.classified = classified;
    this.right = right;
    this.above = new Above(check, right);
    int ids = classified.classes().length << Compiled.PAGE_SHIFT;
    this.own = Numbers.upTo(ids, all);
    this.shared = Numbers.upTo(classified.size(), all);
    this.ownTried = Numbers.upTo(ids, false);
    this.sharedTried = Numbers.upTo(classified.size(), false);
  }

  /// @param check whose subject and implicit groups are set
  static Permitted decide(CompiledCheck check, Classified classified, int right) {
    check.remember();
    boolean all = (check.rights(Names.UNKNOWN) & right) == right;
    Deciding deciding = new Deciding(check, classified, right, all);
    if (all) {
      deciding.exceptions();
    } else {
      deciding.permissions();
    }
    return new Permitted(classified, all, deciding.own, deciding.shared);
  }

  /// What the subject and its groups have any permission on, and all that is in it.
  private void permissions() {
    boolean broad = false;
    for (int i = 0; i < check.subjects().size(); i++) {
      RecordSet objects = index.entry(check.subjects().id(i)).objects();
      tryAll(objects);
      broad |= objects.find(index.everything()) != Packed.NONE;
      for (int g = 0; g < check.implicitSize(); g++) {
        broad |= objects.find(check.implicit(g)) != Packed.NONE;
      }
    }
    if (broad) {
      // A permission on everything that is not there for everything holds under a filter.
      tryAll(index.restricting());
    }
    follow();
  }

  /// What anything may be taken away from.
  private void exceptions() {
    if (isKeptOut()) {
      outOfReach();
    }
    tryAll(index.restricting());
    follow();
  }

  /// Whether the subject is in some group exclusively that not everything is in anyway.
  private boolean isKeptOut() {
    boolean any = false;
    for (int i = 0; i < check.subjects().size(); i++) {
      if (check.isExclusiveAt(i)) {
        if (check.isEverywhere(check.subjects().id(i))) {
          return false;
        }
        any = true;
      }
    }
    return any;
  }

  /// Of what is in any group, a subject that is in some group exclusively has only what is in that.
  private void outOfReach() {
    for (int id = 0; id < classified.classes().length << Compiled.PAGE_SHIFT; id++) {
      if (classified.of(id) == Classified.OWN && index.entry(id).isDirect()) {
        own.set(id, false);
      }
    }
    for (int number = 1; number < classified.size(); number++) {
      if (classified.shape(number).isDirect()) {
        shared.set(number, false);
      }
    }
    for (int i = 0; i < check.subjects().size(); i++) {
      if (check.isExclusiveAt(i)) {
        tryOne(check.subjects().id(i));
      }
    }
  }

  private void tryAll(RecordSet ids) {
    ids.forEach(record -> tryOne(Packed.id(record)));
  }

  private void tryOne(int id) {
    int of = classified.of(id);
    if (of == Classified.OWN) {
      if (ownTried.add(id)) {
        own.set(id, may(id, index.entry(id)));
        push(id);
      }
    } else if (of != Classified.NOTHING) {
      tryShared(of);
    }
  }

  private void tryShared(int of) {
    if (sharedTried.add(of)) {
      shared.set(of, may(Names.UNKNOWN, classified.shape(of)));
    }
  }

  /// Whether the subject has the right on a resource, or on each of a class.
  private boolean may(int id, Entry own) {
    int said = above.of(id, own);
    if (said != Above.UNKNOWN) {
      return CompiledCheck.gives(said);
    }
    int rights = id == Names.UNKNOWN ? check.rights(own) : check.rights(id);
    return (rights & right) == right;
  }

  private void push(int id) {
    if (openSize == open.length) {
      open = Arrays.copyOf(open, 2 * openSize);
    }
    open[openSize++] = id;
  }

  /// Tries what is in something that was tried, through however many groups.
  private void follow() {
    while (openSize > 0) {
      int group = open[--openSize];
      int only = classified.only(group);
      if (only == Classified.MIXED) {
        tryAll(index.entry(group).members());
      } else if (only != Classified.NOTHING) {
        tryShared(only);
      }
    }
  }
}
