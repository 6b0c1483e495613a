package dev.veridex.access.compiled;

import dev.veridex.index.Visible;

/// The resources on which a subject has a right, in one state of an index: decided once for each
/// class, by the check.
public final class Permitted implements Visible {
  private final Object identity = new Object();
  private final Classified classified;
  private final Names names;
  private final boolean nothing;
  private final Decided decided;

  /// On which classes a subject has a right.
  sealed interface Decided permits Beforehand, Evaluating {
    /// Whether it has it on a class of its own.
    ///
    /// @param id of the only resource
    boolean own(int id);

    /// Whether it has it on a class that resources share.
    ///
    /// @param number of the class
    boolean shared(int number);

    /// Whether it is said at once, or nearly so.
    boolean isQuick();

    /// Whether it is known that these are all.
    boolean isAll();

    /// Whether it is known that there are none.
    boolean isNone();

    /// About how much memory it takes.
    long bytes();
  }

  /// All were decided.
  record Beforehand(Numbers own, Numbers shared) implements Decided {
    @Override
    public boolean own(int id) {
      return own.has(id);
    }

    @Override
    public boolean shared(int number) {
      return shared.has(number);
    }

    @Override
    public boolean isQuick() {
      return true;
    }

    @Override
    public boolean isAll() {
      return own.isAll() && shared.isAll();
    }

    @Override
    public boolean isNone() {
      return own.isNone() && shared.isNone();
    }

    @Override
    public long bytes() {
      return own.bytes() + shared.bytes();
    }
  }

  /// @param nothing whether the subject has it on what no record is about
  Permitted(Classified classified, boolean nothing, Decided decided) {
    this.classified = classified;
    this.names = classified.index().dictionary();
    this.nothing = nothing;
    this.decided = decided;
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
    return of == Classified.OWN ? decided.own(number) : decided.shared(of);
  }

  @Override
  public boolean isQuick() {
    return decided.isQuick();
  }

  @Override
  public boolean isNothing() {
    return !nothing && decided.isNone();
  }

  /// Whether the subject has the right on whatever there is.
  public boolean isEverything() {
    return nothing && decided.isAll();
  }

  /// About how much memory it takes.
  long bytes() {
    return 48 + decided.bytes();
  }
}
