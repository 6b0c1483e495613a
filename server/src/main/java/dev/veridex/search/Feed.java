package dev.veridex.search;

import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.buckets.Generation;
import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.Generations;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Keeps the index of every open generation up to date.
///
/// What was published is announced, and read at once. Everything else is found by looking at all of
/// them now and then: what was published before a restart, what has to be made anew, what is past
/// its time, and indexes of which the bucket is gone.
public final class Feed implements Agent {
  private static final System.Logger LOG = System.getLogger(Feed.class.getName());
  private static final long PATIENCE_MILLIS = 200;
  private static final long SOON_MILLIS = 5;
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
  private static final Duration OPENING = Duration.ofSeconds(2);

  private final FedIndex.Tools tools;
  private final Arrivals arrivals;
  private final Map<Generation, FedIndex> fed = new ConcurrentHashMap<>();

  /// Those that hold something back that is to be shown soon.
  private final Set<Generation> hiding = new HashSet<>();

  private Instant lookedAt = Instant.MIN;
  private volatile boolean stopping;

  /// @param kept how long topics keep messages
  /// @param nanos tells how long something takes
  public Feed(
      Store store,
      Generations generations,
      Topics topics,
      SearchIndexes indexes,
      Arrivals arrivals,
      Duration kept,
      LongSupplier nanos) {
    this.tools =
        new FedIndex.Tools(store, generations, topics, indexes, kept, nanos, new LongAdder());
    this.arrivals = arrivals;
  }

  /// How many documents an index did not take.
  public long refused() {
    return tools.refused().sum();
  }

  /// How indexes are.
  ///
  /// @param ready how many can be searched
  /// @param waiting how many cannot, because they are being opened or made
  /// @param behindSince the one that is furthest behind shows everything up to this
  public record State(int ready, int waiting, Optional<Instant> behindSince) {}

  public State state() {
    List<Optional<Instant>> each = fed.values().stream().map(FedIndex::behindSince).toList();
    List<Instant> ready = each.stream().flatMap(Optional::stream).sorted().toList();
    return new State(ready.size(), each.size() - ready.size(), ready.stream().findFirst());
  }

  /// Waits a while for something to do, and does it.
  @Override
  public boolean runOnce() {
    arrivals.await(hiding.isEmpty() ? PATIENCE_MILLIS : SOON_MILLIS);
    return runAll();
  }

  /// Does what there is to do now, a piece for each index.
  ///
  /// @return whether there was anything
  public synchronized boolean runAll() {
    if (stopping) {
      return false;
    }
    Map<Generation, Generations.Open> due = new HashMap<>();
    try (Snapshot snapshot = tools.store().snapshot()) {
      hiding.addAll(arrivals.take());
      for (Generation generation : hiding) {
        tools.generations().find(snapshot, generation).ifPresent(open -> due.put(generation, open));
      }
      Instant now = snapshot.now();
      if (!lookedAt.isAfter(now.minus(LOOK_EVERY))) {
        lookedAt = now;
        List<Generations.Open> all = tools.generations().all(snapshot);
        all.forEach(open -> due.put(open.generation(), open));
        forget(due.keySet());
      }
    }
    boolean any = false;
    hiding.clear();
    for (Generations.Open open : due.values()) {
      FedIndex index = fed.computeIfAbsent(open.generation(), each -> new FedIndex(tools, each));
      if (!stopping && index.runOnce(open)) {
        any = true;
        // There may be more; but first it is the others' turn.
        arrivals.add(open.generation());
      } else if (index.isHiding()) {
        hiding.add(open.generation());
      }
    }
    return any || !hiding.isEmpty();
  }

  /// Closes and removes indexes that nothing belongs to any more.
  private void forget(Set<Generation> all) {
    Set<String> names = new HashSet<>();
    all.forEach(generation -> names.add(generation.storageName()));
    for (Generation generation : Set.copyOf(fed.keySet())) {
      FedIndex gone = all.contains(generation) ? null : fed.remove(generation);
      if (gone != null) {
        gone.close();
      }
    }
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

  /// Somebody found the index of a generation damaged.
  void suspect(Generation generation) {
    index(generation).suspect();
    arrivals.add(generation);
  }

  /// What the index of a generation shows now.
  ///
  /// @throws VeridexException `INDEX_BUILDING` and how much of it is made, `UNAVAILABLE`
  public IndexView view(Generation generation) {
    return index(generation).view(OPENING);
  }

  FedIndex index(Generation generation) {
    FedIndex known = fed.get(generation);
    if (known == null) {
      known = fed.computeIfAbsent(generation, each -> new FedIndex(tools, each));
      arrivals.add(generation);
    }
    return known;
  }

  /// How much of a topic can be found in its index.
  ///
  /// @throws VeridexException `INDEX_BUILDING` and how much of it is made, `UNAVAILABLE`
  FedIndex.Shown shown(Generation generation) {
    return index(generation).shown(OPENING);
  }

  /// Waits until more than this can be found.
  ///
  /// @return whether it can, in time
  boolean awaitMore(Generation generation, Map<Integer, Long> offsets, Duration patience) {
    return index(generation).awaitMore(offsets, System.nanoTime() + patience.toNanos());
  }

  /// How much of an index that is being made is done, from 0 to 1.
  Optional<Double> building(Generation generation) {
    return Optional.ofNullable(fed.get(generation)).flatMap(FedIndex::building);
  }

  /// Waits until everything can be found that was accepted before.
  ///
  /// @param deadline how long, as the system tells nanoseconds
  /// @throws VeridexException `NOT_YET_FRESH`
  void await(Generations.Open open, long deadline) {
    Generation generation = open.generation();
    Map<Integer, Long> queued;
    try (Snapshot snapshot = tools.store().snapshot()) {
      queued = tools.generations().queued(snapshot, generation);
    }
    while (!isSent(generation, queued)) {
      if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
        throw late();
      }
      pause();
    }
    Map<Integer, Long> ends = new HashMap<>();
    for (int partition = 0; partition < open.partitions(); partition++) {
      ends.put(partition, tools.topics().last(generation, partition));
    }
    if (!index(generation).await(ends, deadline)) {
      throw late();
    }
  }

  private boolean isSent(Generation generation, Map<Integer, Long> queued) {
    try (Snapshot snapshot = tools.store().snapshot()) {
      return tools.generations().isSent(snapshot, generation, queued);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static VeridexException late() {
    return new VeridexException(
        Problem.of(ErrorCode.NOT_YET_FRESH, "the search index has not come so far yet"));
  }

  /// Begins nothing more, and waits for nothing.
  public void finish() {
    stopping = true;
    arrivals.wake();
  }

  /// Makes all indexes durable and closes them.
  public void stop() {
    finish();
    synchronized (this) {
      fed.values().forEach(FedIndex::close);
      fed.clear();
    }
  }
}
