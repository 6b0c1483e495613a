package dev.veridex.access.compiled;

import dev.veridex.index.Visible;

/// The resources on which a subject has a right, in one state of an index: decided once for each
/// class, by the check.
public final class Permitted implements Visible {
  private final Classified classified;
  private final Names names;
  private final Object identity = new Object();
  private final boolean nothing;
  private final Numbers own;
  private final Numbers shared;

  /// @param nothing whether the subject has it on what no record is about
  /// @param own the ids of classes of their own on which it has it
  /// @param shared the numbers of the other classes on which it has it
  Permitted(Classified classified, boolean nothing, Numbers own, Numbers shared) {
    this.classified = classified;
    this.names = classified.index().dictionary();
    this.nothing = nothing;
    this.own = own;
    this.shared = shared;
  }

  @Override
  public Object numbering() {
    return names;
  }

  @Override
  public Object identity() {
    return identity;
  }

  @Override
  public int size() {
    return names.size();
  }

  @Override
  public int find(String resource) {
    return names.find(resource);
  }

  @Override
  public String name(int number) {
    return names.name(number);
  }

  @Override
  public boolean test(int number) {
    int of = classified.of(number);
    if (of == Classified.NOTHING) {
      return nothing;
    }
    return of == Classified.OWN ? own.has(number) : shared.has(of);
  }

  @Override
  public boolean isNothing() {
    return !nothing && own.isNone() && shared.isNone();
  }

  /// Whether the subject has the right on whatever there is.
  public boolean isEverything() {
    return nothing && own.isAll() && shared.isAll();
  }

  /// About how much memory it takes.
  long bytes() {
    return 48 + own.bytes() + shared.bytes();
  }
}
