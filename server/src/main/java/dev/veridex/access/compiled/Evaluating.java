package dev.veridex.access.compiled;

import org.jspecify.annotations.Nullable;

/// Says on which classes of resources a subject has a right, each when it is first asked for. Many
/// may ask at a time; what was said once is read without a lock.
final class Evaluating implements Permitted.Decided {
  private static final byte NO = 1;
  private static final byte YES = 2;

  private final CompiledCheck check;
  private final Compiled index;
  private final Classified classified;
  private final int right;
  private final Above above;
  private final byte[] @Nullable [] own;
  private final byte[] shared;

  /// @param check whose subject and implicit groups are set, and which nobody else uses any more
  Evaluating(CompiledCheck check, Classified classified, int right) {
    this.check = check;
    this.index = classified.index();
    this.classified = classified;
    this.right = right;
    this.above = new Above(check, right);
    this.own = new byte[classified.classes().length][];
    this.shared = new byte[classified.size()];
  }

  @Override
  public boolean own(int id) {
    // Whoever sees nothing yet, or a page that is not filled yet, evaluates it again.
    byte[] page = own[id >> Compiled.PAGE_SHIFT];
    byte known = page == null ? 0 : page[id & (Compiled.PAGE - 1)];
    return known == 0 ? evaluateOwn(id) : known == YES;
  }

  @Override
  public boolean shared(int number) {
    byte known = shared[number];
    return known == 0 ? evaluateShared(number) : known == YES;
  }

  private synchronized boolean evaluateOwn(int id) {
    boolean may = evaluated(id, Classified.OWN);
    int number = id >> Compiled.PAGE_SHIFT;
    byte[] page = own[number];
    if (page == null) {
      page = new byte[Compiled.PAGE];
      own[number] = page;
    }
    page[id & (Compiled.PAGE - 1)] = may ? YES : NO;
    return may;
  }

  private synchronized boolean evaluateShared(int number) {
    boolean may = evaluated(Names.UNKNOWN, number);
    shared[number] = may ? YES : NO;
    return may;
  }

  /// Whether the subject has the right on a resource of its own class, or on each of a class.
  boolean evaluated(int id, int of) {
    Entry said = of == Classified.OWN ? index.entry(id) : classified.shape(of);
    int all = above.of(id, said);
    if (all != Above.UNKNOWN) {
      return CompiledCheck.gives(all);
    }
    int rights = of == Classified.OWN ? check.rights(id) : check.rights(said);
    return (rights & right) == right;
  }

  @Override
  public boolean isQuick() {
    return above.isAble();
  }

  @Override
  public boolean isAll() {
    return false;
  }

  @Override
  public boolean isNone() {
    return false;
  }

  @Override
  public long bytes() {
    // As much as it may become.
    return 1024 + shared.length + 2L * own.length * (24 + Compiled.PAGE) + check.bytes();
  }
}
