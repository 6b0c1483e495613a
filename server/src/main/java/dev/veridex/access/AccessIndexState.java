package dev.veridex.access;

import dev.veridex.access.check.AccessIndexView;
import dev.veridex.access.check.Explainer;
import dev.veridex.access.check.Trace;
import dev.veridex.access.check.Verdict;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.LiveApprovals;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.common.Revision;
import dev.veridex.index.VisibleResources;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Snapshot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// A state of an index, to be queried until it is closed.
final class AccessIndexState implements AutoCloseable {
  private final Snapshot snapshot;
  private final Revision revision;
  private final Instant time;
  private final Supplier<AccessIndexReader> index;
  private final Optional<LoadedIndex> loaded;
  private final Function<Revision, Optional<Instant>> currentUntil;

  /// @param time of the state
  /// @param index in the store; those who find it in memory need not look for it
  /// @param loaded the same in memory, or as good
  /// @param currentUntil until when a revision was the newest; absent if changes since are not kept
  AccessIndexState(
      Snapshot snapshot,
      Revision revision,
      Instant time,
      Supplier<AccessIndexReader> index,
      Optional<LoadedIndex> loaded,
      Function<Revision, Optional<Instant>> currentUntil) {
    this.snapshot = snapshot;
    this.revision = revision;
    this.time = time;
    this.index = index;
    this.loaded = loaded;
    this.currentUntil = currentUntil;
  }

  Revision revision() {
    return revision;
  }

  /// The state in memory.
  Optional<CompiledState> compiled() {
    return loaded.map(LoadedIndex::state);
  }

  /// A check in the state in memory.
  Optional<CompiledCheck> compiledCheck() {
    return loaded.map(found -> found.check(time));
  }

  /// The approvals that are alive in the state in memory.
  LiveApprovals approvals() {
    return compiled().orElseThrow().approvals(time);
  }

  /// The resources on which a subject has a right, where the state is in memory.
  ///
  /// @param implicit what every resource is in without any statement
  VisibleResources permitted(String subject, List<String> implicit, int right) {
    return loaded.orElseThrow().permitted(time, subject, implicit, right);
  }

  Revision compiledRevision() {
    return loaded.orElseThrow().revision();
  }

  AccessIndexReader index() {
    return index.get();
  }

  /// Whether no right came since a revision, but by those who are just committing: nothing was
  /// stated or granted, and no membership has ended since, which may open what a denial of its
  /// group took away. No, if that is so long ago that changes are forgotten by now.
  boolean isUnchangedSince(Revision earlier) {
    Optional<Instant> until = currentUntil.apply(earlier);
    return until.isPresent()
        && loaded.filter(found -> !found.from().isAfter(until.get())).isPresent()
        && index.get().changeFrom(AppendedRecord.first(earlier.sequence() + 1)).isEmpty();
  }

  /// The snapshot of the store in which it was opened.
  Snapshot snapshot() {
    return snapshot;
  }

  /// Whether any record is about a resource, or a live grant.
  boolean bearsRecord(String resource) {
    return loaded
        .map(found -> found.isObject(time, resource))
        .orElseGet(() -> index.get().bearsRecord(resource) || view().bearsGrant(resource));
  }

  AccessIndexView view() {
    return new AccessIndexView(index.get(), time);
  }

  Trace explain(Verdict verdict) {
    return Explainer.of(index.get(), verdict, time);
  }

  @Override
  public void close() {
    snapshot.close();
  }
}
