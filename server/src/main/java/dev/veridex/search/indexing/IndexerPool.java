package dev.veridex.search.indexing;

import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.documents.publish.IndexRefusals;
import dev.veridex.index.IndexView;
import dev.veridex.index.SearchIndexes;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Keeps the index of every open generation up to date.
///
/// What was published is announced, and read at once. Everything else is found by looking at all of
/// them now and then: what was published before a restart, what has to be made anew, what is past
/// its time, and indexes of which the bucket is gone.
public final class IndexerPool implements Agent {
  private static final System.Logger LOG = System.getLogger(IndexerPool.class.getName());
  private static final long PATIENCE_MILLIS = 200;
  private static final long SOON_MILLIS = 5;
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
  private static final Duration OPENING = Duration.ofSeconds(2);

  private final IndexerTools tools;
  private final TopicSignals signals;
  private final Map<IndexGeneration, GenerationIndexer> fed = new ConcurrentHashMap<>();

  /// Those that hold something back that is to be shown soon, or wait for something to be sent.
  private final Set<IndexGeneration> hiding = ConcurrentHashMap.newKeySet();

  /// Those that are being fed. A slow one keeps no other waiting.
  private final Map<IndexGeneration, CompletableFuture<Boolean>> running =
      new ConcurrentHashMap<>();

  /// Those of them for which more came meanwhile.
  private final Set<IndexGeneration> again = ConcurrentHashMap.newKeySet();

  /// On which several indexes are fed at the same time.
  private final Executor workers;

  private final Executor scans;

  /// Those that were there at the start.
  private volatile List<GenerationIndexer> first = List.of();

  private volatile Instant lookedAt = Instant.MIN;
  private volatile boolean stopping;

  /// @param kept how long topics keep messages that nobody has read
  /// @param told how long they keep those that indexes have read, for who is told of changes
  /// @param nanos tells how long something takes
  /// @param refusals takes documents that an index did not take
  /// @param workers on which several indexes are fed at the same time
  /// @param scans on which indexes are read as a whole, which may take long
  public IndexerPool(
      Store store,
      IndexGenerations generations,
      Topics topics,
      SearchIndexes indexes,
      TopicSignals signals,
      Duration kept,
      Duration told,
      LongSupplier nanos,
      IndexRefusals refusals,
      Executor workers,
      Executor scans) {
    this.workers = workers;
    this.scans = scans;
    this.tools =
        new IndexerTools(
            store, generations, topics, indexes, kept, told, nanos, refusals, new LongAdder());
    this.signals = signals;
    signals.listen(this::published);
  }

  private void published(IndexGeneration generation) {
    GenerationIndexer index = fed.get(generation);
    if (index != null) {
      index.freshness().publishing();
    }
  }

  /// How many documents an index did not take.
  public long refused() {
    return tools.refused().sum();
  }

  /// The number of ready and waiting indexes, and the greatest lag.
  ///
  /// @param ready how many can be searched
  /// @param waiting how many cannot, because they are being opened or made
  /// @param behindSince the one that is furthest behind shows everything up to this
  public record State(int ready, int waiting, Optional<Instant> behindSince) {}

  /// The progress of indexes that still catch up after the start.
  ///
  /// @param indexes how many indexes do not have everything yet that was accepted before the start
  /// @param percent how much the one has that has least of it
  public record StartProgress(int indexes, int percent) {}

  /// What there is to wait for after a start; absent if that is over. Indexes that are made anew,
  /// or cannot be opened, are not waited for: that would be at the expense of all others.
  public Optional<StartProgress> startProgress() {
    if (lookedAt.equals(Instant.MIN)) {
      return Optional.of(new StartProgress(0, 0));
    }
    List<Double> done = first.stream().flatMap(index -> index.startProgress().stream()).toList();
    return done.stream()
        .min(Double::compareTo)
        .map(least -> new StartProgress(done.size(), (int) (100 * least)));
  }

  public State state() {
    List<Optional<Instant>> each =
        fed.values().stream().map(GenerationIndexer::behindSince).toList();
    List<Instant> ready = each.stream().flatMap(Optional::stream).sorted().toList();
    return new State(ready.size(), each.size() - ready.size(), ready.stream().findFirst());
  }

  /// Waits a while for something to do, and does it.
  @Override
  public boolean runOnce() {
    boolean idle = hiding.isEmpty() && running.isEmpty();
    signals.await(idle ? PATIENCE_MILLIS : SOON_MILLIS);
    return runAll();
  }

  /// Does what there is to do now, a piece for each index. What is still at work with the piece
  /// before is let alone.
  ///
  /// @return whether there was anything
  public synchronized boolean runAll() {
    if (stopping) {
      return false;
    }
    Map<IndexGeneration, IndexGenerations.OpenGeneration> due = new HashMap<>();
    try (Snapshot snapshot = tools.store().snapshot()) {
      Set<IndexGeneration> soon = new HashSet<>(signals.take());
      soon.addAll(hiding);
      hiding.removeAll(soon);
      for (IndexGeneration generation : soon) {
        tools.generations().find(snapshot, generation).ifPresent(open -> due.put(generation, open));
      }
      Instant now = snapshot.now();
      if (!lookedAt.isAfter(now.minus(LOOK_EVERY))) {
        List<IndexGenerations.OpenGeneration> all = tools.generations().all(snapshot);
        all.forEach(open -> due.put(open.generation(), open));
        forget(due.keySet());
        all.forEach(
            open ->
                fed.computeIfAbsent(open.generation(), each -> new GenerationIndexer(tools, each)));
        if (lookedAt.equals(Instant.MIN)) {
          first = List.copyOf(fed.values());
        }
        lookedAt = now;
      }
    }
    boolean any = false;
    for (IndexGenerations.OpenGeneration open : due.values()) {
      any |= begin(open);
    }
    return any;
  }

  /// Has a piece of work done for an index, unless one is being done.
  ///
  /// @return whether there may be more to do
  private boolean begin(IndexGenerations.OpenGeneration open) {
    IndexGeneration generation = open.generation();
    again.add(generation);
    CompletableFuture<Boolean> piece = new CompletableFuture<>();
    if (running.putIfAbsent(generation, piece) != null) {
      return true;
    }
    again.remove(generation);
    try {
      workers.execute(() -> work(open, piece));
    } catch (RejectedExecutionException e) {
      running.remove(generation);
      piece.complete(false);
      throw e;
    }
    return !piece.isDone() || piece.join();
  }

  private void work(IndexGenerations.OpenGeneration open, CompletableFuture<Boolean> piece) {
    IndexGeneration generation = open.generation();
    boolean more = false;
    boolean soon = false;
    try {
      more = feed(open);
      GenerationIndexer index = index(generation);
      soon = index.isHiding() || index.isCatchingUp();
      piece.complete(more || index.isHiding());
    } finally {
      running.remove(generation);
      // Nobody waits for it, however it ended.
      piece.complete(false);
      if (more || again.remove(generation)) {
        // There may be more; but first it is the others' turn.
        signals.add(generation);
      } else if (soon) {
        hiding.add(generation);
      }
    }
  }

  private boolean feed(IndexGenerations.OpenGeneration open) {
    GenerationIndexer index =
        fed.computeIfAbsent(open.generation(), each -> new GenerationIndexer(tools, each));
    return !stopping && index.runOnce(open);
  }

  /// Closes and removes indexes that nothing belongs to any more.
  private void forget(Set<IndexGeneration> all) {
    Set<String> names = new HashSet<>();
    all.forEach(generation -> names.add(generation.storageName()));
    for (IndexGeneration generation : Set.copyOf(fed.keySet())) {
      // One that is at work goes the next time.
      boolean stays = all.contains(generation) || running.containsKey(generation);
      GenerationIndexer gone = stays ? null : fed.remove(generation);
      if (gone != null) {
        gone.close();
      }
    }
    fed.keySet().forEach(generation -> names.add(generation.storageName()));
    for (String name : tools.indexes().names()) {
      if (!names.contains(name)) {
        drop(name);
      }
    }
  }

  /// One that cannot be removed must not keep the others from being fed.
  private void drop(String name) {
    try {
      tools.indexes().drop(name);
    } catch (RuntimeException e) {
      LOG.log(WARNING, "a search index cannot be removed, it is tried again: " + name, e);
    }
  }

  /// Somebody found an index damaged.
  public void reportDamage(OpenedIndex source) {
    if (index(source.generation()).reportDamage(source)) {
      signals.add(source.generation());
    }
  }

  /// Somebody could not read an index, and nobody knows why: it is read, on a thread that may be
  /// kept busy, and made anew if it is damaged.
  public void requestDamageScan(OpenedIndex source) {
    scans.execute(
        () -> {
          if (index(source.generation()).isDamaged(source)) {
            signals.add(source.generation());
          }
        });
  }

  /// The present view of a generation's index.
  ///
  /// @throws VeridexException `INDEX_BUILDING` and how much of it is made, `UNAVAILABLE`
  public IndexView view(IndexGeneration generation) {
    return look(generation).view();
  }

  /// The present view of a generation's index, and which index it is of.
  ///
  /// @throws VeridexException as [#view]
  public FreshView look(IndexGeneration generation) {
    return index(generation).view(OPENING);
  }

  /// The present view of a generation's index, and its watermark.
  ///
  /// @throws VeridexException as [#view]
  public FreshView freshView(IndexGenerations.OpenGeneration open) {
    GenerationIndexer index = index(open.generation());
    index.freshness().freshen(open);
    return index.view(OPENING);
  }

  GenerationIndexer index(IndexGeneration generation) {
    GenerationIndexer known = fed.get(generation);
    if (known == null) {
      known = fed.computeIfAbsent(generation, each -> new GenerationIndexer(tools, each));
      signals.add(generation);
    }
    return known;
  }

  /// How much of a topic can be found in its index.
  ///
  /// @throws VeridexException `INDEX_BUILDING` and how much of it is made, `UNAVAILABLE`
  public VisibleState visibleState(IndexGeneration generation) {
    return index(generation).shown(OPENING);
  }

  /// Waits until more than this can be found.
  ///
  /// @return whether it can, in time
  public boolean awaitMore(
      IndexGeneration generation, Map<Integer, Long> offsets, Duration patience) {
    return index(generation).freshness().awaitMore(offsets, System.nanoTime() + patience.toNanos());
  }

  /// How much of an index that is being made is done, from 0 to 1.
  Optional<Double> building(IndexGeneration generation) {
    return Optional.ofNullable(fed.get(generation)).flatMap(GenerationIndexer::building);
  }

  /// Waits until everything can be found that was accepted up to a commit.
  ///
  /// @param deadline how long, as the system tells nanoseconds
  /// @throws VeridexException `NOT_YET_FRESH`
  public void await(IndexGenerations.OpenGeneration open, long sequence, long deadline) {
    GenerationIndexer index = index(open.generation());
    if (!index.freshness().await(open, sequence, deadline)) {
      VeridexException.throwIf(index.notReady());
      throw new VeridexException(
          Problem.of(ErrorCode.NOT_YET_FRESH, "the search index has not come so far yet"));
    }
  }

  /// Begins nothing more, and waits for nothing.
  public void finish() {
    stopping = true;
    signals.wake();
  }

  /// Makes all indexes durable and closes them.
  public void stop() {
    finish();
    synchronized (this) {
      CompletableFuture.allOf(running.values().toArray(CompletableFuture<?>[]::new)).join();
      fed.values().forEach(GenerationIndexer::close);
      fed.clear();
    }
  }
}
