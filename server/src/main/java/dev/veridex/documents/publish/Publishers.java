package dev.veridex.documents.publish;

import static java.lang.System.Logger.Level.WARNING;

import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.Agent;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.Instants;
import dev.veridex.queue.LiveNodes;
import dev.veridex.queue.Queue;
import dev.veridex.queue.ReaderGroup;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Sends the documents of all buckets, as far as their shards are for this node.
///
/// Whoever receives a document says so, and it is sent at once. What was received elsewhere, or
/// before a restart, is found by looking at every bucket now and then; what is to be tried again,
/// when its time has come.
public final class Publishers implements Agent {
  private static final System.Logger LOG = System.getLogger(Publishers.class.getName());

  /// A run waits no longer for something to do.
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

  /// What cannot be done now, since another node has it, is not looked at all the time.
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private final ShardPublisher.Tools tools;
  private final LiveNodes nodes;

  /// On which shards are published side by side.
  private final Executor workers;

  private final Map<ShardPublisher.Work, ShardPublisher> running = new ConcurrentHashMap<>();
  private final Map<ShardedLocation, Instant> due = new HashMap<>();
  private final Map<BucketLocation, MovingRate> rates = new ConcurrentHashMap<>();
  private final Set<ShardedLocation> signals = ConcurrentHashMap.newKeySet();
  private final Set<ShardedLocation> requeued = ConcurrentHashMap.newKeySet();

  /// One at the start: what was received before a restart does not wait.
  private final Semaphore signalled = new Semaphore(1);

  private Instant lookedAt = Instant.MIN;
  private volatile boolean stopping;

  /// @param workers on which shards are published side by side
  public Publishers(ShardPublisher.Tools tools, LiveNodes nodes, Executor workers) {
    this.tools = tools;
    this.nodes = nodes;
    this.workers = workers;
  }

  /// The location of a bucket's documents and the number of its shards.
  private record ShardedLocation(BucketLocation location, int shards) {
    private static ShardedLocation of(BucketLookup.LocatedBucket found) {
      return new ShardedLocation(
          found.data(found.bucket().side()), IndexedSettings.of(found.bucket()).shardCount());
    }

    private int lanes(String queue) {
      return switch (queue) {
        case DocumentQueues.FAILED -> shards * RetrySchedule.LANES;
        case DocumentQueues.DEAD -> 0;
        default -> shards;
      };
    }
  }

  /// Says that there is something to send.
  public void queued(BucketLookup.LocatedBucket found) {
    signal(ShardedLocation.of(found));
  }

  /// Says that elements were put back that are to be tried again at once.
  void requeued(BucketLookup.LocatedBucket found) {
    requeued.add(ShardedLocation.of(found));
    signalled.release();
  }

  private void signal(ShardedLocation home) {
    if (signals.add(home)) {
      signalled.release();
    }
  }

  /// What was done since the start.
  public PublishCounters counts() {
    return tools.counts();
  }

  /// How many elements of a shard of the main queue are sent a second, by this node.
  double rate(BucketLocation location, int shard) {
    MovingRate known = rates.get(location);
    return known == null ? 0 : known.of(shard);
  }

  /// Waits a while for something to do, and does it.
  @Override
  public boolean runOnce() {
    try {
      if (signalled.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        signalled.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return runAll();
  }

  /// Does what there is to do now, a batch of each shard.
  ///
  /// @return whether there was anything
  public synchronized boolean runAll() {
    if (stopping) {
      return false;
    }
    nodes.beat();
    Set<ShardedLocation> signalledNow = Set.copyOf(signals);
    // Before they are looked at: what comes after that is signalled again.
    signals.removeAll(signalledNow);
    boolean any = run(signalledNow, List.of(DocumentQueues.MAIN, DocumentQueues.EMERGENCY));
    for (ShardedLocation home : Set.copyOf(requeued)) {
      requeued.remove(home);
      due.put(home, Instant.EPOCH);
    }
    boolean more = lookAround();
    return any || more;
  }

  /// Looks at every bucket, if that is due, and at those in which something is to be tried again.
  private boolean lookAround() {
    Set<ShardedLocation> some = new HashSet<>();
    try (Snapshot snapshot = tools.store().snapshot()) {
      Instant now = snapshot.now();
      due.forEach(
          (home, time) -> {
            if (!time.isAfter(now)) {
              some.add(home);
            }
          });
      if (!lookedAt.isAfter(now.minus(LOOK_EVERY))) {
        Set<ShardedLocation> all = all(snapshot);
        lookedAt = now;
        forget(all, now);
        some.addAll(all);
      }
    }
    boolean any = run(some, DocumentQueues.NAMES);
    for (ShardedLocation home : some) {
      try (Snapshot snapshot = tools.store().snapshot()) {
        Instant soon = snapshot.now().plus(LOOK_AGAIN);
        next(snapshot, home)
            .map(time -> Instants.later(time, soon))
            .ifPresentOrElse(time -> due.put(home, time), () -> due.remove(home));
      }
    }
    return any;
  }

  private static Set<ShardedLocation> all(Reader reader) {
    Set<ShardedLocation> all = new HashSet<>();
    Buckets.each(
        reader,
        found -> {
          if (IndexedSettings.isIndexed(found.bucket())) {
            all.add(ShardedLocation.of(found));
          }
        });
    return all;
  }

  /// Lets go of what is idle, and of buckets that are gone.
  private void forget(Set<ShardedLocation> all, Instant now) {
    due.keySet().retainAll(all);
    Set<BucketLocation> locations = new HashSet<>();
    all.forEach(home -> locations.add(home.location));
    rates.keySet().retainAll(locations);
    running
        .entrySet()
        .removeIf(
            each ->
                !locations.contains(each.getKey().location())
                    || each.getValue().isForgettable(now));
  }

  /// When something of a bucket is to be tried again: elements that failed, or a topic.
  private Optional<Instant> next(Reader reader, ShardedLocation home) {
    Optional<Instant> first = Optional.empty();
    ReaderGroup group =
        new ReaderGroup(new Queue(home.location, DocumentQueues.FAILED), DocumentQueues.PUBLISHERS);
    for (int lane : group.queue().used(reader)) {
      long offset = group.position(reader, lane).offset();
      for (Queue.Element element : group.queue().read(reader, lane, offset, 1, Long.MAX_VALUE)) {
        first = earlier(first, PublishTask.decode(element.payload()).trouble().nextAttemptAt());
      }
    }
    for (Map.Entry<ShardPublisher.Work, ShardPublisher> each : running.entrySet()) {
      boolean paused = each.getValue().pausedUntil().isAfter(reader.now());
      if (paused && each.getKey().location().equals(home.location)) {
        first = earlier(first, each.getValue().pausedUntil());
      }
    }
    return first;
  }

  private static Optional<Instant> earlier(Optional<Instant> one, Instant other) {
    return Optional.of(one.map(time -> Instants.earlier(time, other)).orElse(other));
  }

  /// The publishing of one shard, while it lasts.
  private record Attempt(ShardedLocation home, CompletableFuture<Integer> published) {}

  /// Sends a batch of each shard that has something, side by side: a slow topic holds up no other
  /// bucket.
  private boolean run(Set<ShardedLocation> homes, List<String> queues) {
    long troubles = troubles();
    List<Attempt> attempts = new ArrayList<>();
    for (ShardedLocation home : homes) {
      for (ShardPublisher.Work work : works(home, queues)) {
        attempts.add(new Attempt(home, CompletableFuture.supplyAsync(() -> run(work), workers)));
      }
    }
    // Also if one fails: nobody may begin with a shard again while another is still at it.
    CompletableFuture.allOf(
            attempts.stream().map(Attempt::published).toArray(CompletableFuture<?>[]::new))
        .exceptionally(_ -> null)
        .join();
    boolean any = false;
    for (Attempt attempt : attempts) {
      if (attempt.published.join() > 0) {
        any = true;
        // There may be more; but first it is the others' turn.
        signal(attempt.home);
      }
    }
    if (troubles() > troubles) {
      homes.forEach(home -> due.put(home, Instant.EPOCH));
    }
    return any;
  }

  private List<ShardPublisher.Work> works(ShardedLocation home, List<String> queues) {
    List<ShardPublisher.Work> works = new ArrayList<>();
    try (Snapshot snapshot = tools.store().snapshot()) {
      for (String queue : queues) {
        for (int shard : new Queue(home.location, queue).used(snapshot)) {
          if (shard < home.lanes(queue)) {
            works.add(new ShardPublisher.Work(home.location, queue, shard, home.shards));
          }
        }
      }
    }
    return works;
  }

  private long troubles() {
    return tools.counts().failed().sum() + tools.counts().troubles().sum();
  }

  private int run(ShardPublisher.Work work) {
    if (stopping) {
      return 0;
    }
    if (!nodes.isOwn(new Queue(work.location(), work.queue()), work.partition())) {
      ShardPublisher other = running.remove(work);
      if (other != null) {
        other.release();
      }
      return 0;
    }
    try {
      ShardPublisher publisher = running.get(work);
      if (publisher == null) {
        if (nodes.isAlone()) {
          takeOver(work);
        }
        publisher = new ShardPublisher(tools, work, nodes.own());
        running.put(work, publisher);
      }
      int done = publisher.runOnce();
      if (done > 0 && work.queue().equals(DocumentQueues.MAIN)) {
        rates.computeIfAbsent(work.location(), _ -> new MovingRate()).add(work.shard(), done);
      }
      return done;
    } catch (RuntimeException e) {
      // The others go on.
      LOG.log(WARNING, "a shard could not be indexed, it will be tried again", e);
      tools.counts().troubles().increment();
      running.remove(work);
      return 0;
    }
  }

  /// Takes back what a process had that was killed: otherwise what it had accepted and not sent
  /// would wait until its lease ends.
  private void takeOver(ShardPublisher.Work work) {
    ReaderGroup group =
        new ReaderGroup(new Queue(work.location(), work.queue()), DocumentQueues.PUBLISHERS);
    try (Snapshot snapshot = tools.store().snapshot()) {
      if (!group.position(snapshot, work.shard()).isHeld(snapshot.now())) {
        return;
      }
    }
    tools
        .store()
        .transact(
            transaction ->
                tools.registries().lookup().isThere(transaction, work.location())
                    && group.release(
                        transaction,
                        work.shard(),
                        group.position(transaction, work.shard()).token()));
  }

  /// Begins nothing more, and waits for nothing.
  public void finish() {
    stopping = true;
    signalled.release();
  }

  /// Ends its work, and gives everything back, so that others need not wait.
  public void stop() {
    finish();
    synchronized (this) {
      try {
        running.values().forEach(ShardPublisher::release);
      } finally {
        running.clear();
        nodes.leave();
      }
    }
  }
}
