package dev.veridex.documents;

import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import dev.veridex.store.Commit;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A store under whose user the process dies, before a commit or after it.
final class CrashingStore implements Store {
  private final Store store;
  private final BooleanSupplier dies;
  private int commits;

  CrashingStore(Store store, BooleanSupplier dies) {
    this.store = store;
    this.dies = dies;
  }

  /// The process is dead.
  static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /// How many commits there were.
  int commits() {
    return commits;
  }

  @Override
  public <T extends @Nullable Object> CommitResult<T> transact(Work<T> work) {
    if (dies.getAsBoolean()) {
      throw new Crash();
    }
    CommitResult<T> committed = store.transact(work);
    commits++;
    if (dies.getAsBoolean()) {
      throw new Crash();
    }
    return committed;
  }

  @Override
  public Snapshot snapshot() {
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
