package dev.veridex.access;

import dev.veridex.access.compiled.CompiledIndex;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The indexes that are in memory.
///
/// An index is read from the store when somebody asks for it, and follows every commit by its delta
/// from then on. Whoever asks tells what the store says of the index's version, so an answer is
/// never older or newer than its reader, whatever became of a delta: where the version in memory is
/// another one, the store itself has to answer.
public final class CompiledIndexes {
  private static final System.Logger LOG = System.getLogger(CompiledIndexes.class.getName());
  private static final int MAX_MISSED_RECORDS = 1_000_000;

  /// An index that was used so recently is not evicted for another one.
  private static final Duration IN_USE = Duration.ofMinutes(1);

  /// An index grows so much before it is asked again whether there is room.
  private static final long GROWTH = 1L << 20;

  private final Store store;
  private final AccessIndexLocator indexes;
  private final long budget;
  private final Executor loader;
  private final ConcurrentMap<Scope, Holder> holders = new ConcurrentHashMap<>();

  /// @param budget how many bytes of memory they may take together
  /// @param loader reads indexes into memory
  public CompiledIndexes(Store store, AccessIndexLocator indexes, long budget, Executor loader) {
    this.store = store;
    this.indexes = indexes;
    this.budget = budget;
    this.loader = loader;
  }

  /// A change that was committed while an index was being loaded.
  private record PendingChange(RecordChanges delta, Revision revision) {}

  /// The in-memory state of one index.
  private static final class Holder {
    private volatile @Nullable LoadedIndex loaded;
    private volatile boolean loading;
    private volatile boolean changing;
    private volatile CountDownLatch done = new CountDownLatch(0);
    private volatile long read;
    private volatile Instant used = Instant.MIN;
    private volatile Instant notBefore = Instant.MIN;
    private volatile boolean failed;
    private @Nullable List<PendingChange> missed;
    private volatile long granted;
    private long missedRecords;
  }

  /// Exactly the state of an index that a reader sees, if it is in memory; if not, it will be.
  Optional<LoadedIndex> find(Reader reader, Scope scope) {
    return find(reader, scope, indexes.version(reader, scope));
  }

  /// As above, where the incarnation of the scope is known.
  Optional<LoadedIndex> find(Reader reader, Scope scope, long incarnation) {
    return find(reader, scope, indexes.version(reader, scope, incarnation));
  }

  private Optional<LoadedIndex> find(
      Reader reader, Scope scope, Optional<AccessIndexVersion> version) {
    return version.isPresent()
        ? find(reader, scope, version.get())
        : Optional.of(
            LoadedIndex.of(
                AccessIndexVersion.NONE, AccessIndexLoader.untouched(indexes), reader.revision()));
  }

  private Optional<LoadedIndex> find(Reader reader, Scope scope, AccessIndexVersion version) {
    Holder holder = holders.computeIfAbsent(scope, _ -> new Holder());
    holder.used = reader.now();
    LoadedIndex loaded = holder.loaded;
    if (loaded != null && loaded.version().equals(version)) {
      return Optional.of(loaded);
    }
    if (loaded != null && !isOutdated(holder, loaded.version(), version)) {
      return Optional.empty();
    }
    if (!load(holder, scope, reader.now())) {
      return Optional.empty();
    }
    return Optional.ofNullable(holder.loaded).filter(now -> now.version().equals(version));
  }

  /// Whether there is a newer state than the one in memory, and nobody about to put it there.
  private static boolean isOutdated(
      Holder holder, AccessIndexVersion known, AccessIndexVersion found) {
    return known.isBefore(found) ? !holder.changing : known.incarnation() < found.incarnation();
  }

  /// The state in memory while somebody commits the next one. It may be the one before what the
  /// store shows already: nobody was told of that yet.
  Optional<LoadedIndex> stateBeforeCommit(Reader reader, Scope scope) {
    Holder holder = holders.get(scope);
    if (holder == null) {
      return Optional.empty();
    }
    // In this order: what is loaded now was not changed by a commit that ended before.
    LoadedIndex loaded = holder.loaded;
    if (loaded == null || !holder.changing) {
      return Optional.empty();
    }
    return indexes.version(reader, scope).filter(loaded.version()::isOfSame).map(_ -> loaded);
  }

  /// Whether an index is in memory, or about to be.
  boolean isComing(Scope scope) {
    Holder holder = holders.get(scope);
    return holder == null
        || holder.loaded != null
        || holder.loading
        || holder.notBefore.equals(Instant.MIN);
  }

  /// How much of an index is in memory.
  public IndexLoadStatus status(Scope scope) {
    Holder holder = holders.get(scope);
    if (holder == null) {
      return new IndexLoadStatus(IndexLoadStatus.State.ABSENT, 0, 0);
    }
    LoadedIndex loaded = holder.loaded;
    if (loaded != null) {
      return new IndexLoadStatus(
          IndexLoadStatus.State.LOADED, loaded.compiled().records(), loaded.bytes());
    }
    if (holder.loading) {
      return new IndexLoadStatus(IndexLoadStatus.State.LOADING, holder.read, 0);
    }
    boolean refused = !holder.notBefore.equals(Instant.MIN);
    IndexLoadStatus.State without =
        holder.failed ? IndexLoadStatus.State.FAILED : IndexLoadStatus.State.TOO_LARGE;
    return new IndexLoadStatus(refused ? without : IndexLoadStatus.State.ABSENT, 0, 0);
  }

  /// How many bytes all of them take.
  public long bytes() {
    return bytesBut(Optional.empty());
  }

  private long bytesBut(Optional<Holder> one) {
    long bytes = 0;
    for (Holder holder : holders.values()) {
      bytes += one.filter(holder::equals).isPresent() ? 0 : bytes(holder);
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
      Optional.ofNullable(holders.get(scope)).ifPresent(holder -> holder.changing = false);
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
    holders.computeIfAbsent(scope, _ -> new Holder()).changing = true;
    return new IndexUpdate(scope);
  }

  private void committed(Scope scope, RecordChanges delta, Revision revision) {
    Holder holder = holders.get(scope);
    if (holder == null) {
      return;
    }
    long grown;
    synchronized (holder) {
      LoadedIndex loaded = holder.loaded;
      LoadedIndex next = null;
      try {
        next = loaded == null ? null : loaded.next(delta, revision);
        miss(holder, new PendingChange(delta, revision));
      } finally {
        // Whatever happens: the state before is not the newest any more.
        holder.loaded = next;
        holder.changing = false;
      }
      if (next != null) {
        // They were of the state before.
        next.decisions().forget();
      }
      grown = next == null ? 0 : next.bytes();
    }
    // Not inside: whoever makes room takes the holders of others.
    if (grown > holder.granted) {
      holder.granted = grown + GROWTH;
      if (!makeRoom(holder, grown, holder.used)) {
        forget(scope);
      }
    }
  }

  /// Keeps what is committed while an index is being read, within reason.
  private static void miss(Holder holder, PendingChange missed) {
    if (holder.missed != null) {
      holder.missedRecords += missed.delta.records().size();
      holder.missed.add(missed);
      if (holder.missedRecords > MAX_MISSED_RECORDS) {
        holder.missed = null;
      }
    }
  }

  /// Nobody knows what became of an index: the store does.
  void forget(Scope scope) {
    Holder holder = holders.get(scope);
    if (holder != null) {
      synchronized (holder) {
        holder.loaded = null;
        holder.changing = false;
      }
    }
  }

  /// Reads an index into memory, unless somebody does or there was no room a moment ago.
  ///
  /// @return whether it was begun
  private boolean load(Holder holder, Scope scope, Instant now) {
    synchronized (holder) {
      if (holder.loading || now.isBefore(holder.notBefore)) {
        return false;
      }
      holder.loading = true;
      holder.done = new CountDownLatch(1);
      holder.loaded = null;
      holder.read = 0;
      // From here on nothing is missed: the state that is read is not older than this.
      holder.missed = new ArrayList<>();
      holder.missedRecords = 0;
    }
    loader.execute(() -> load(holder, scope));
    return true;
  }

  /// Waits for an index that is being read.
  void await(Scope scope, Duration most) {
    Holder holder = holders.get(scope);
    if (holder != null) {
      try {
        boolean _ = holder.done.await(most.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void load(Holder holder, Scope scope) {
    Optional<LoadedIndex> read = Optional.empty();
    try (Snapshot snapshot = store.snapshot()) {
      holder.notBefore = Instant.MIN;
      holder.failed = false;
      read = read(snapshot, holder, scope);
    } catch (RuntimeException e) {
      // Whoever asks gets the answer from the store, with its error.
      LOG.log(System.Logger.Level.WARNING, "an access index could not be read into memory", e);
      holder.notBefore = holder.used.plus(IN_USE);
      holder.failed = true;
    } finally {
      finish(holder, read);
      holder.done.countDown();
    }
  }

  private Optional<LoadedIndex> read(Snapshot snapshot, Holder holder, Scope scope) {
    Optional<AccessIndexVersion> version = indexes.version(snapshot, scope);
    Optional<CompiledIndex> compiled =
        version.isEmpty()
            ? Optional.empty()
            : new AccessIndexLoader(
                    read -> holder.read = read, bytes -> makeRoom(holder, bytes, snapshot.now()))
                .of(indexes.records(snapshot, scope).orElseThrow());
    if (version.isPresent() && compiled.isEmpty()) {
      holder.notBefore = snapshot.now().plus(IN_USE);
      LOG.log(
          System.Logger.Level.WARNING,
          "an access index does not fit into memory, so that checks read the store; scope={0},"
              + " records={1}, budget={2}",
          scope,
          holder.read,
          budget);
    }
    return compiled.map(whole -> LoadedIndex.of(version.orElseThrow(), whole, snapshot.revision()));
  }

  private void finish(Holder holder, Optional<LoadedIndex> read) {
    synchronized (holder) {
      List<PendingChange> missed = holder.missed;
      holder.missed = null;
      holder.loading = false;
      holder.loaded = read.isEmpty() || missed == null ? null : caughtUp(read.get(), missed);
      holder.granted = bytes(holder) + GROWTH;
    }
  }

  /// A state that was read, with the commits since.
  private static @Nullable LoadedIndex caughtUp(LoadedIndex read, List<PendingChange> missed) {
    LoadedIndex loaded = read;
    for (PendingChange each : missed) {
      AccessIndexVersion after = each.delta.after();
      if (!after.isOfSame(read.version()) || after.changes() > loaded.version().changes()) {
        LoadedIndex next = loaded.next(each.delta, each.revision);
        if (next == null) {
          return null;
        }
        loaded = next;
      }
    }
    return loaded;
  }

  /// Throws out what was not used for longest until there is room; nothing, if that is not enough.
  ///
  /// @return whether there is
  private synchronized boolean makeRoom(Holder newcomer, long bytes, Instant now) {
    long excess = bytesBut(Optional.of(newcomer)) + bytes - budget;
    List<Holder> unused =
        holders.values().stream()
            .filter(holder -> holder != newcomer && holder.loaded != null)
            .filter(holder -> !holder.used.isAfter(now.minus(IN_USE)))
            .sorted(Comparator.comparing(holder -> holder.used))
            .toList();
    long able = unused.stream().mapToLong(CompiledIndexes::bytes).sum();
    if (able < excess) {
      return false;
    }
    for (Holder holder : unused) {
      if (excess <= 0) {
        return true;
      }
      excess -= bytes(holder);
      synchronized (holder) {
        holder.loaded = null;
      }
    }
    return true;
  }

  private static long bytes(Holder holder) {
    LoadedIndex loaded = holder.loaded;
    return loaded == null ? 0 : loaded.bytes();
  }
}
