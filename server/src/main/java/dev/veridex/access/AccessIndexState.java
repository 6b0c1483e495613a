package dev.veridex.access;

import dev.veridex.access.check.AccessIndexView;
import dev.veridex.access.check.Explainer;
import dev.veridex.access.check.LiveGrants;
import dev.veridex.access.check.Trace;
import dev.veridex.access.check.Verdict;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.visibility.PermittedResources;
import dev.veridex.common.Revision;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Snapshot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// A state of an index, to be queried until it is closed.
final class AccessIndexState implements AutoCloseable {
  private final Snapshot snapshot;
  private final Revision revision;
  private final Instant time;
  private final Supplier<AccessIndexReader> index;
  private final LiveGrants grants;
  private final Optional<LoadedIndex> loaded;
  private final Predicate<Revision> remembered;

  /// @param time of the state
  /// @param index in the store; those who find it in memory need not look for it
  /// @param loaded the same in memory, or as good
  /// @param remembered whether changes since a revision are kept
  AccessIndexState(
      Snapshot snapshot,
      Revision revision,
      Instant time,
      Supplier<AccessIndexReader> index,
      LiveGrants grants,
      Optional<LoadedIndex> loaded,
      Predicate<Revision> remembered) {
    this.snapshot = snapshot;
    this.revision = revision;
    this.time = time;
    this.index = index;
    this.grants = grants;
    this.loaded = loaded;
    this.remembered = remembered;
  }

  Revision revision() {
    return revision;
  }

  Optional<CompiledIndex> compiled() {
    return loaded.map(LoadedIndex::compiled);
  }

  /// The resources on which a subject has a right, where the state is in memory.
  ///
  /// @param implicit what every resource is in without any statement
  PermittedResources permitted(String subject, List<String> implicit, int right) {
    LoadedIndex known = loaded.orElseThrow();
    return known.decisions().of(known.compiled(), subject, implicit, right);
  }

  Revision compiledRevision() {
    return loaded.orElseThrow().revision();
  }

  AccessIndexReader index() {
    return index.get();
  }

  /// Whether nothing was stated since a revision, but by those who are just committing. No, if that
  /// is so long ago that changes are forgotten by now.
  boolean isUnchangedSince(Revision earlier) {
    return remembered.test(earlier)
        && index.get().changeFrom(AppendedRecord.first(earlier.sequence() + 1)).isEmpty();
  }

  /// The snapshot of the store in which it was opened.
  Snapshot snapshot() {
    return snapshot;
  }

  /// Whether any record is about a resource.
  boolean bearsRecord(String resource) {
    return compiled()
        .map(known -> known.isObject(resource))
        .orElseGet(() -> index.get().bearsRecord(resource));
  }

  AccessIndexView view() {
    return new AccessIndexView(index.get(), grants);
  }

  Trace explain(Verdict verdict) {
    return Explainer.of(index.get(), verdict, time);
  }

  @Override
  public void close() {
    snapshot.close();
  }
}
