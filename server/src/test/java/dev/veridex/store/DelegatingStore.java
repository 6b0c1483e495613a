package dev.veridex.store;

import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A store that passes every call on to another one, for tests that change some of them.
public class DelegatingStore implements Store {
  private final Store store;

  public DelegatingStore(Store store) {
    this.store = store;
  }

  @Override
  public <T extends @Nullable Object> CommitResult<T> transact(Work<T> work) {
    return store.transact(work);
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
