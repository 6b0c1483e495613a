package dev.veridex.search.query;

import dev.veridex.store.DelegatingStore;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import org.jspecify.annotations.Nullable;

/// A store in which something happens between two snapshots of whoever reads it.
final class HookedStore extends DelegatingStore {
  private int left;
  private @Nullable Runnable hook;

  HookedStore(Store store) {
    super(store);
  }

  /// Lets something happen once, after so many snapshots from now on.
  void afterSnapshots(int snapshots, Runnable once) {
    left = snapshots;
    hook = once;
  }

  /// Whether it has not happened yet.
  boolean isHooked() {
    return hook != null;
  }

  @Override
  public Snapshot snapshot() {
    Runnable now = hook;
    if (now != null && left-- == 0) {
      hook = null;
      now.run();
    }
    return super.snapshot();
  }
}
