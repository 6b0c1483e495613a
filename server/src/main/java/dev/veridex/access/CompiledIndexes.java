package dev.veridex.access;

import dev.veridex.access.compiled.EndQueue;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessIndexVersion;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;

/// The indexes that are in memory.
///
/// An index is read from the store when somebody asks for it, and follows every commit by its delta
/// from then on. Whoever asks tells what the store says of the index's version, so an answer is
/// never older or newer than its reader, whatever became of a delta: where the version in memory is
/// another one, the store itself has to answer.
public final class CompiledIndexes {
  private static final System.Logger LOG = System.getLogger(CompiledIndexes.class.getName());

  /// An index that was used so recently is not evicted for another one.
  private static final Duration IN_USE = Duration.ofMinutes(1);

  /// An index grows so much before it is asked again whether there is room.
  private static final long GROWTH = 1L << 20;

  private final Store store;
  private final AccessIndexLocator indexes;
  private final long budget;
  private final Executor loader;
  private final ConcurrentMap<Scope, IndexHolder> holders = new ConcurrentHashMap<>();

  /// @param budget how many bytes of memory they may take together
  /// @param loader reads indexes into memory
  public CompiledIndexes(Store store, AccessIndexLocator indexes, long budget, Executor loader) {
    this.store = store;
    this.indexes = indexes;
    this.budget = budget;
    this.loader = loader;
  }

  /// Exactly the state of an index that a reader sees, if it is in memory; if not, it will be.
  Optional<LoadedIndex> find(Reader reader, Scope scope) {
    return find(reader, scope, indexes.version(reader, scope));
  }

  /// As above, where the incarnation of the scope is known.
  Optional<LoadedIndex> find(Reader reader, Scope scope, long incarnation) {
    return find(reader, scope, indexes.version(reader, scope, incarnation));
  }

  private Optional<LoadedIndex> find(Reader reader, Scope scope, AccessIndexVersion version) {
    IndexHolder holder = holders.computeIfAbsent(scope, _ -> new IndexHolder());
    holder.use(reader.now());
    LoadedIndex loaded = holder.loaded(reader.now());
    if (loaded != null && loaded.version().equals(version)) {
      return Optional.of(loaded);
    }
    if (loaded != null && !isOutdated(holder, loaded.version(), version)) {
      return Optional.empty();
    }
    if (!load(holder, scope, reader.now())) {
      return Optional.empty();
    }
    return Optional.ofNullable(holder.loaded(reader.now()))
        .filter(now -> now.version().equals(version));
  }

  /// Whether there is a newer state than the one in memory, and nobody about to put it there.
  private static boolean isOutdated(
      IndexHolder holder, AccessIndexVersion known, AccessIndexVersion found) {
    return known.isBefore(found) ? !holder.isChanging() : known.incarnation() < found.incarnation();
  }

  /// The state in memory while somebody commits the next one. It may be the one before what the
  /// store shows already: nobody was told of that yet. It is never one after what the reader sees:
  /// whoever asks what changed since would look at an older log.
  Optional<LoadedIndex> stateBeforeCommit(Reader reader, Scope scope) {
    IndexHolder holder = holders.get(scope);
    if (holder == null) {
      return Optional.empty();
    }
    // In this order: what is loaded now was not changed by a commit that ended before.
    LoadedIndex loaded = holder.loaded(reader.now());
    if (loaded == null || !holder.isChanging()) {
      return Optional.empty();
    }
    AccessIndexVersion seen = indexes.version(reader, scope);
    return loaded.version().isOfSame(seen) && !seen.isBefore(loaded.version())
        ? Optional.of(loaded)
        : Optional.empty();
  }

  /// Whether an index is in memory, or about to be.
  boolean isComing(Scope scope) {
    IndexHolder holder = holders.get(scope);
    return holder == null || holder.isComing();
  }

  /// How much of an index is in memory.
  public IndexLoadStatus status(Scope scope) {
    IndexHolder holder = holders.get(scope);
    return holder == null
        ? new IndexLoadStatus(IndexLoadStatus.State.ABSENT, 0, 0)
        : holder.status();
  }

  /// How many bytes all of them take.
  public long bytes() {
    return bytesBut(Optional.empty());
  }

  private long bytesBut(Optional<IndexHolder> one) {
    long bytes = 0;
    for (IndexHolder holder : holders.values()) {
      bytes += one.filter(holder::equals).isPresent() ? 0 : holder.bytes();
    }
    return bytes;
  }

  /// A commit that is under way. While it is, the state before it is as good as the one in the
  /// store. Whoever closes it without saying how it ended leaves that to the store.
  final class IndexUpdate implements AutoCloseable {
    private final Scope scope;
    private boolean ended;

    private IndexUpdate(Scope scope) {
      this.scope = scope;
    }

    /// It was committed: takes over its changes, before anybody is told of it.
    void committed(RecordChanges changes, Revision revision) {
      requireNot(ended);
      CompiledIndexes.this.committed(scope, changes, revision);
      ended = true;
    }

    /// Nothing was changed, for certain.
    void unchanged() {
      requireNot(ended);
      Optional.ofNullable(holders.get(scope)).ifPresent(IndexHolder::unchanged);
      ended = true;
    }

    @Override
    public void close() {
      if (!ended) {
        forget(scope);
      }
      ended = true;
    }
  }

  private static void requireNot(boolean ended) {
    if (ended) {
      throw new IllegalStateException("it was said before how this commit ended");
    }
  }

  /// Begins a commit of changes. Those of one scope are made one after the other.
  IndexUpdate begin(Scope scope) {
    // Where nobody asked yet, there is nothing to keep.
    Optional.ofNullable(holders.get(scope)).ifPresent(IndexHolder::change);
    return new IndexUpdate(scope);
  }

  private void committed(Scope scope, RecordChanges delta, Revision revision) {
    IndexHolder holder = holders.get(scope);
    if (holder == null) {
      return;
    }
    long grown = holder.committed(delta, revision);
    // Not inside: whoever makes room takes the holders of others.
    if (holder.outgrows(grown, GROWTH) && !makeRoom(holder, grown, holder.used())) {
      holder.forget();
    }
  }

  /// Nobody knows what became of an index: the store does.
  void forget(Scope scope) {
    Optional.ofNullable(holders.get(scope)).ifPresent(IndexHolder::forget);
  }

  /// Reads an index into memory, unless somebody does or there was no room a moment ago.
  ///
  /// @return whether it was begun
  private boolean load(IndexHolder holder, Scope scope, Instant now) {
    boolean begun = holder.load(now);
    if (begun) {
      loader.execute(() -> load(holder, scope));
    }
    return begun;
  }

  /// Waits for an index that is being read.
  void await(Scope scope, Duration most) {
    Optional.ofNullable(holders.get(scope)).ifPresent(holder -> holder.await(most.toNanos()));
  }

  private void load(IndexHolder holder, Scope scope) {
    Optional<IndexHolder.ReadIndex> read = Optional.empty();
    try (Snapshot snapshot = store.snapshot()) {
      read = read(snapshot, holder, scope);
    } catch (RuntimeException e) {
      // Whoever asks gets the answer from the store, with its error.
      LOG.log(System.Logger.Level.WARNING, "an access index could not be read into memory", e);
      holder.refuse(holder.used().plus(IN_USE), /* broken= */ true);
    } finally {
      holder.finish(read, GROWTH);
    }
  }

  private Optional<IndexHolder.ReadIndex> read(Snapshot snapshot, IndexHolder holder, Scope scope) {
    AccessIndexVersion version = indexes.version(snapshot, scope);
    EndQueue ends = new EndQueue();
    AccessIndexLoader reading =
        new AccessIndexLoader(
            snapshot.now(),
            ends,
            holder::progress,
            bytes -> makeRoom(holder, bytes, snapshot.now()));
    Optional<CompiledState> state = reading.of(indexes.anyRecords(snapshot, scope));
    if (state.isEmpty()) {
      holder.refuse(snapshot.now().plus(IN_USE), /* broken= */ false);
      LOG.log(
          System.Logger.Level.WARNING,
          "an access index does not fit into memory, so that checks read the store; scope={0},"
              + " records={1}, budget={2}",
          scope,
          holder.progress(),
          budget);
    }
    return state.map(
        whole ->
            new IndexHolder.ReadIndex(
                LoadedIndex.of(
                    version,
                    whole,
                    snapshot.revision(),
                    reading.lastEnd().orElse(Instant.MIN),
                    ends),
                ends));
  }

  /// Throws out what was not used for longest until there is room; nothing, if that is not enough.
  ///
  /// @return whether there is
  private synchronized boolean makeRoom(IndexHolder newcomer, long bytes, Instant now) {
    long excess = bytesBut(Optional.of(newcomer)) + bytes - budget;
    List<IndexHolder> unused =
        holders.values().stream()
            .filter(holder -> holder != newcomer && holder.isLoaded())
            .filter(holder -> !holder.used().isAfter(now.minus(IN_USE)))
            .sorted(Comparator.comparing(IndexHolder::used))
            .toList();
    long able = unused.stream().mapToLong(IndexHolder::bytes).sum();
    if (able < excess) {
      return false;
    }
    for (IndexHolder holder : unused) {
      if (excess <= 0) {
        return true;
      }
      excess -= holder.bytes();
      holder.evict();
    }
    return true;
  }
}
