package dev.veridex.search.query;

import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import dev.veridex.store.Commit;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A store in which something happens between two snapshots of whoever reads it.
final class HookedStore implements Store {
  private final Store store;
  private int left;
  private @Nullable Runnable hook;

  HookedStore(Store store) {
    this.store = store;
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
  public <T extends @Nullable Object> CommitResult<T> transact(Work<T> work) {
    return store.transact(work);
  }

  @Override
  public Snapshot snapshot() {
    Runnable now = hook;
    if (now != null && left-- == 0) {
      hook = null;
      now.run();
    }
    return store.snapshot();
  }

  @Override
  public Snapshot snapshot(Revision atLeast) {
    return store.snapshot(atLeast);
  }

  @Override
  public List<Commit> changesSince(Revision since, int limit) {
    return store.changesSince(since, limit);
  }

  @Override
  public Revision revision() {
    return store.revision();
  }

  @Override
  public Instant timeOf(Revision revision) {
    return store.timeOf(revision);
  }

  @Override
  public Revision revisionAt(Instant time) {
    return store.revisionAt(time);
  }

  @Override
  public RevisionSeal seal() {
    return store.seal();
  }

  @Override
  public void backup(Path folder) {
    store.backup(folder);
  }

  @Override
  public void close() {
    store.close();
  }
}
