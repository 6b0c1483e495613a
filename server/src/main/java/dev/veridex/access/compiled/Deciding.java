package dev.veridex.access.compiled;

import java.util.Arrays;

/// Decides on which classes of resources a subject has a right, each by what the check says.
///
/// Which ones are tried comes from the other direction of the records: what the subject and its
/// groups have any permission on; or, if it has the right on everything, what anything may be taken
/// away from. Where that is too much, each class is decided when somebody asks for it: nobody walks
/// all of them.
final class Deciding {
  /// So many are decided beforehand at most; that is a matter of milliseconds.
  static final int FEW = 20_000;

  private final CompiledCheck check;
  private final Compiled index;
  private final Classified classified;
  private final Evaluating evaluating;
  private final Numbers own;
  private final Numbers shared;
  private final Numbers ownTried;
  private final Numbers sharedTried;
  private int tried;
  private int[] open = new int[64];
  private int openSize;

  private Deciding(CompiledCheck check, Classified classified, Evaluating evaluating, boolean all) {
    this.check = check;
    this.index = classified.index();
    this.classified = classified;
    this.evaluating = evaluating;
    int ids = classified.classes().length << Compiled.PAGE_SHIFT;
    this.own = Numbers.upTo(ids, all);
    this.shared = Numbers.upTo(classified.size(), all);
    this.ownTried = Numbers.upTo(ids, false);
    this.sharedTried = Numbers.upTo(classified.size(), false);
  }

  /// @param check whose subject and implicit groups are set, and which nobody else uses any more
  /// @param few so many are decided beforehand at most
  static Permitted decide(CompiledCheck check, Classified classified, int right, int few) {
    check.remember(true);
    boolean all = (check.rights(Names.UNKNOWN) & right) == right;
    Evaluating evaluating = new Evaluating(check, classified, right);
    Deciding deciding = new Deciding(check, classified, evaluating, all);
    deciding.tried = -few;
    boolean done = all ? deciding.exceptions() : deciding.permissions();
    // What is decided bit by bit would keep more and more.
    check.remember(false);
    Permitted.Decided decided =
        done ? new Permitted.Beforehand(deciding.own, deciding.shared) : evaluating;
    return new Permitted(classified, all, decided);
  }

  private boolean isTooMuch() {
    return tried > 0;
  }

  /// What the subject and its groups have any permission on, and all that is in it.
  ///
  /// @return whether that was not too much
  private boolean permissions() {
    boolean broad = false;
    for (int i = 0; i < check.subjects().size() && !isTooMuch(); i++) {
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
    return follow();
  }

  /// What anything may be taken away from.
  ///
  /// @return whether that was not too much
  private boolean exceptions() {
    // Whatever is in any group may be out of reach for those who are in one exclusively.
    if (isKeptOut()) {
      return false;
    }
    tryAll(index.restricting());
    return follow();
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

  private void tryAll(RecordSet ids) {
    if (ids.size() + tried > 0) {
      tried = 1;
      return;
    }
    ids.forEach(record -> tryOne(Packed.id(record)));
  }

  private void tryOne(int id) {
    int of = classified.of(id);
    if (of == Classified.OWN) {
      if (ownTried.add(id)) {
        tried++;
        own.set(id, evaluating.evaluated(id, of));
        push(id);
      }
    } else if (of != Classified.NOTHING) {
      tryShared(of);
    }
  }

  private void tryShared(int of) {
    if (sharedTried.add(of)) {
      tried++;
      shared.set(of, evaluating.evaluated(Names.UNKNOWN, of));
    }
  }

  private void push(int id) {
    if (openSize == open.length) {
      open = Arrays.copyOf(open, 2 * openSize);
    }
    open[openSize++] = id;
  }

  /// Tries what is in something that was tried, through however many groups.
  private boolean follow() {
    while (openSize > 0 && !isTooMuch()) {
      int group = open[--openSize];
      int only = classified.only(group);
      if (only == Classified.MIXED) {
        tryAll(index.entry(group).members());
      } else if (only != Classified.NOTHING) {
        tryShared(only);
      }
    }
    return !isTooMuch();
  }
}
