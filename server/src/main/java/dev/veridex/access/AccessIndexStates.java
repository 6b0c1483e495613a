package dev.veridex.access;

import dev.veridex.access.check.AccessIndexView;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.PastRecords;
import dev.veridex.access.ledger.StoredRecords;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Instants;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.AdminChanges;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/// Finds the state of an index that a question is about: in memory or in the store, now or earlier.
public final class AccessIndexStates {
  private static final Duration LONGEST_LOAD = Duration.ofSeconds(20);
  private static final long PAUSE_NANOS = 200_000;
  private static final long LONGEST_PAUSE_NANOS = 10_000_000;

  private final Store store;
  private final AccessIndexLocator indexes;
  private final NamespaceReaders readers;
  private final CompiledIndexes compiled;
  private final Duration pastRetention;

  /// @param pastRetention how long ago a question may be about
  public AccessIndexStates(
      Store store,
      AccessIndexLocator indexes,
      AdminChanges administration,
      CompiledIndexes compiled,
      Duration pastRetention) {
    this.store = store;
    this.indexes = indexes;
    this.readers = new NamespaceReaders(store, administration);
    this.compiled = compiled;
    this.pastRetention = pastRetention;
  }

  /// The state at a moment.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`; `UNKNOWN_REVISION` or `BAD_REQUEST` for what is
  ///   not yet, `REVISION_TOO_OLD` for what is forgotten
  AccessIndexState open(Namespace namespace, AsOf moment) {
    return switch (moment) {
      case AsOf.Now(Optional<Revision> atLeast) -> now(namespace, atLeast, true);
      case AsOf.AtRevision(Revision revision) -> past(namespace, revision, Optional.empty());
      case AsOf.AtTime(Instant time) -> past(namespace, store.revisionAt(time), Optional.of(time));
    };
  }

  /// As [#open], for who needs the ledger alone: loads nothing into memory.
  AccessIndexState openStored(Namespace namespace, AsOf moment) {
    return moment instanceof AsOf.Now(Optional<Revision> atLeast)
        ? now(namespace, atLeast, false)
        : open(namespace, moment);
  }

  private AccessIndexState now(Namespace namespace, Optional<Revision> atLeast, boolean inMemory) {
    NamespaceReaders.NamespaceSnapshot opened = readers.opened(namespace, atLeast);
    Snapshot snapshot = opened.snapshot();
    try {
      Scope scope = namespace.scope();
      Optional<LoadedIndex> loaded = inMemory ? inMemory(opened, scope, atLeast) : Optional.empty();
      return new AccessIndexState(
          snapshot,
          snapshot.revision(),
          loaded.map(found -> found.time(snapshot.now())).orElse(snapshot.now()),
          () -> indexes.read(snapshot, scope),
          loaded,
          revision -> currentUntil(snapshot, revision));
    } catch (RuntimeException | Error e) {
      snapshot.close();
      throw e;
    }
  }

  private Optional<Instant> currentUntil(Snapshot snapshot, Revision revision) {
    try {
      return Optional.of(store.currentUntil(snapshot, revision))
          .filter(until -> until.isAfter(snapshot.now().minus(pastRetention)));
    } catch (VeridexException e) {
      return Optional.empty(); // The store itself has forgotten it.
    }
  }

  /// A state in memory that is as good as what a reader sees.
  private Optional<LoadedIndex> inMemory(
      NamespaceReaders.NamespaceSnapshot opened, Scope scope, Optional<Revision> atLeast) {
    Snapshot snapshot = opened.snapshot();
    Optional<LoadedIndex> exact =
        compiled
            .find(snapshot, scope, opened.incarnation())
            .map(loaded -> loaded.at(snapshot.revision()));
    // While a commit is under way, nobody was told of it: the state before is as good, but for
    // those who saw the new one elsewhere and say so.
    return exact.isPresent()
        ? exact
        : compiled
            .stateBeforeCommit(snapshot, scope)
            .filter(
                before ->
                    atLeast
                        .filter(wanted -> wanted.sequence() > before.revision().sequence())
                        .isEmpty());
  }

  /// @param time that was asked for
  private AccessIndexState past(Namespace namespace, Revision revision, Optional<Instant> time) {
    Snapshot snapshot = readers.open(namespace, Optional.of(revision));
    try {
      Instant known = snapshot.now().minus(pastRetention);
      Instant asked = time.orElseGet(() -> store.currentUntil(snapshot, revision));
      if (asked.isBefore(known)) {
        throw new VeridexException(
            Problem.of(ErrorCode.REVISION_TOO_OLD, "what was at this time is no longer known")
                .with("knownSince", known));
      }
      Scope scope = namespace.scope();
      AccessIndexReader index =
          indexes
              .records(snapshot, scope)
              .map(
                  records ->
                      new AccessIndexReader(new PastRecords(records, change(records, revision))))
              .orElseGet(() -> indexes.read(snapshot, scope));
      return new AccessIndexState(
          snapshot,
          revision,
          // What ended before anything is known was not there any more while it was the newest.
          time.orElseGet(() -> Instants.later(timeOf(revision, asked), known)),
          () -> index,
          Optional.empty(),
          _ -> Optional.empty());
    } catch (RuntimeException | Error e) {
      snapshot.close();
      throw e;
    }
  }

  /// When a revision was committed; of one that is so old that nobody knows, a time at which its
  /// state still was.
  private Instant timeOf(Revision revision, Instant later) {
    try {
      return store.timeOf(revision);
    } catch (VeridexException e) {
      return later;
    }
  }

  /// The number of the last change that a revision saw: the next one comes after it.
  private static long change(StoredRecords records, Revision revision) {
    AccessIndexReader index = new AccessIndexReader(records);
    return index
        .changeFrom(AppendedRecord.first(revision.sequence() + 1))
        .map(next -> next.number() - 1)
        .orElseGet(() -> index.flow().changes());
  }

  /// The newest state, in memory for what cannot do without: waits for it to be read.
  ///
  /// @throws VeridexException as [#open]; `OVERLOADED` if it takes too long, or does not fit
  ///
  /// @param exactly whether it has to be what the store shows, and not the state before while
  ///   somebody commits
  AccessIndexState openInMemory(Namespace namespace, AsOf.Now moment, boolean exactly) {
    long end = System.nanoTime() + LONGEST_LOAD.toNanos();
    long pause = PAUSE_NANOS;
    do {
      AccessIndexState state = open(namespace, moment);
      if (state.compiled().isPresent()
          && (!exactly || state.compiledRevision().equals(state.revision()))) {
        return state;
      }
      state.close();
      compiled.await(namespace.scope(), LONGEST_LOAD);
      // Somebody is committing: that is a matter of moments.
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    } while (compiled.isComing(namespace.scope())
        && System.nanoTime() - end < 0
        && !Thread.currentThread().isInterrupted());
    throw new VeridexException(
        Problem.of(ErrorCode.OVERLOADED, "the index is not in memory: try again in a moment")
            .with("index", compiled.status(namespace.scope()).state()));
  }

  /// A check of exactly what a reader sees, in memory. A transaction looks for itself: that the
  /// index is still the same at its commit is more than it needs, and would make it run again with
  /// every statement.
  Optional<CompiledCheck> exactCheck(Reader reader, Scope scope) {
    return reader instanceof Transaction
        ? Optional.empty()
        : compiled.find(reader, scope).map(loaded -> loaded.check(reader.now()));
  }

  long incarnation(Namespace namespace) {
    try (Snapshot snapshot = readers.open(namespace)) {
      return indexes.incarnation(snapshot, namespace.scope());
    }
  }

  /// The state that a reader sees. What a transaction decides by it holds at its commit, too.
  AccessIndexView view(Reader reader, Scope scope) {
    Consumer<Instant> ends =
        reader instanceof Transaction transaction ? transaction::holdsUntil : _ -> {};
    return new AccessIndexView(indexes.read(reader, scope), reader.now(), ends);
  }
}
