package dev.veridex.store;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A store under whose user the process dies, before a commit or after it.
public final class CrashingStore extends DelegatingStore {
  private final BooleanSupplier dies;
  private int commits;

  public CrashingStore(Store store, BooleanSupplier dies) {
    super(store);
    this.dies = dies;
  }

  /// The process is dead.
  public static final class Crash extends Error {
    private static final long serialVersionUID = 1;
  }

  /// How many commits there were.
  public int commits() {
    return commits;
  }

  @Override
  public <T extends @Nullable Object> CommitResult<T> transact(Work<T> work) {
    if (dies.getAsBoolean()) {
      throw new Crash();
    }
    CommitResult<T> committed = super.transact(work);
    commits++;
    if (dies.getAsBoolean()) {
      throw new Crash();
    }
    return committed;
  }
}
