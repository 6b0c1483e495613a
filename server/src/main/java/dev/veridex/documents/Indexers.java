package dev.veridex.documents;

import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.DataPlace;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.Agent;
import dev.veridex.common.VeridexException;
import dev.veridex.queue.Group;
import dev.veridex.queue.Nodes;
import dev.veridex.queue.Queue;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Sends the documents of all buckets, as far as their shards are for this node.
///
/// Whoever receives a document says so, and it is sent at once. What was received elsewhere, or
/// before a restart, and what is to be tried again, is found by looking at every bucket now and
/// then.
public final class Indexers implements Agent {
  private static final System.Logger LOG = System.getLogger(Indexers.class.getName());

  /// A run waits no longer for something to do.
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

  private final ShardIndexer.Tools tools;
  private final Nodes nodes;
  private final Map<ShardIndexer.Work, ShardIndexer> running = new HashMap<>();
  private final Map<DataPlace, Instant> due = new HashMap<>();
  private final Map<DataPlace, Rates> rates = new ConcurrentHashMap<>();
  private final Set<Signal> signals = ConcurrentHashMap.newKeySet();
  private final Semaphore signalled = new Semaphore(0);
  private Instant lookedAt = Instant.MIN;

  Indexers(ShardIndexer.Tools tools, Nodes nodes) {
    this.tools = tools;
    this.nodes = nodes;
  }

  private record Signal(DataPlace place, int shards) {
    private static Signal of(Directory.Found found) {
      return new Signal(
          found.data(found.bucket().side()), DocumentSettings.of(found.bucket()).shardCount());
    }
  }

  /// Says that there is something to send.
  public void queued(Directory.Found found) {
    if (signals.add(Signal.of(found))) {
      signalled.release();
    }
  }

  /// What was done since the start.
  public Counts counts() {
    return tools.counts();
  }

  /// How many elements of a shard are sent a second, by this node.
  double rate(DataPlace place, int shard) {
    Rates known = rates.get(place);
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

  /// Does what there is to do now.
  ///
  /// @return whether there was anything
  boolean runAll() {
    nodes.beat();
    boolean any = false;
    for (Iterator<Signal> next = signals.iterator(); next.hasNext(); ) {
      Signal signal = next.next();
      // Before it is looked at: what comes after that is signalled again.
      next.remove();
      any |= run(signal, List.of(Queues.MAIN, Queues.EMERGENCY));
    }
    any |= lookAround();
    return any;
  }

  /// Looks at every bucket, if that is due, and at those in which something is to be tried again.
  private boolean lookAround() {
    Map<DataPlace, Signal> some = new HashMap<>();
    Instant now;
    try (Snapshot snapshot = tools.store().snapshot()) {
      now = snapshot.now();
      boolean all = !lookedAt.isAfter(now.minus(LOOK_EVERY));
      boolean again = due.values().stream().anyMatch(time -> !time.isAfter(now));
      if (!all && !again) {
        return false;
      }
      Buckets.each(
          snapshot,
          found -> {
            if (found.bucket().type().name().equals(DocumentSettings.TYPE)) {
              Signal signal = Signal.of(found);
              boolean waits = due.getOrDefault(signal.place, Instant.MAX).isAfter(now);
              if (all || !waits) {
                some.put(signal.place, signal);
              }
            }
          });
      if (all) {
        lookedAt = now;
        due.keySet().retainAll(some.keySet());
        rates.keySet().retainAll(some.keySet());
        forgetIdle();
      }
    }
    boolean any = false;
    for (Signal signal : some.values()) {
      any |= run(signal, Queues.NAMES);
      try (Snapshot snapshot = tools.store().snapshot()) {
        next(snapshot, signal)
            .ifPresentOrElse(time -> due.put(signal.place, time), () -> due.remove(signal.place));
      }
    }
    return any;
  }

  /// Those that have nothing to do need not be kept.
  private void forgetIdle() {
    running.values().removeIf(ShardIndexer::isIdle);
  }

  /// When the first of the elements that failed is to be tried again.
  private Optional<Instant> next(Reader reader, Signal signal) {
    Group group = new Group(new Queue(signal.place, Queues.FAILED), Queues.INDEXERS);
    Optional<Instant> first = Optional.empty();
    for (int lane = 0; lane < signal.shards * Retries.LANES; lane++) {
      long offset = group.position(reader, lane).offset();
      for (Queue.Element element : group.queue().read(reader, lane, offset, 1, Long.MAX_VALUE)) {
        Instant time = Element.decode(element.payload()).trouble().nextAttemptAt();
        first = first.filter(earlier -> earlier.isBefore(time)).or(() -> Optional.of(time));
      }
    }
    return first;
  }

  private boolean run(Signal signal, List<String> queues) {
    long failed = tools.counts().failed().sum();
    boolean any = false;
    for (String queue : queues) {
      int lanes =
          switch (queue) {
            case Queues.FAILED -> signal.shards * Retries.LANES;
            case Queues.DEAD -> 0;
            default -> signal.shards;
          };
      for (int shard = 0; shard < lanes; shard++) {
        any |= run(new ShardIndexer.Work(signal.place, queue, shard, signal.shards)) > 0;
      }
    }
    if (tools.counts().failed().sum() > failed) {
      due.put(signal.place, Instant.EPOCH);
    }
    if (any && signals.add(signal)) {
      // There may be more; but first it is the others' turn.
      signalled.release();
    }
    return any;
  }

  private int run(ShardIndexer.Work work) {
    if (!nodes.isOwn(new Queue(work.place(), work.queue()), work.partition())) {
      ShardIndexer other = running.remove(work);
      if (other != null) {
        other.release();
      }
      return 0;
    }
    ShardIndexer indexer =
        running.computeIfAbsent(work, each -> new ShardIndexer(tools, each, nodes.own()));
    try {
      int done = indexer.runOnce();
      if (done > 0) {
        rates.computeIfAbsent(work.place(), _ -> new Rates()).add(work.partition(), done);
      }
      return done;
    } catch (VeridexException e) {
      // A bucket that was deleted meanwhile, or a store in trouble: the others go on.
      LOG.log(System.Logger.Level.WARNING, "a shard could not be indexed: " + e.getMessage());
      running.remove(work);
      return 0;
    }
  }

  /// Gives everything back, so that others need not wait.
  public void stop() {
    running.values().forEach(ShardIndexer::release);
    running.clear();
    nodes.leave();
  }
}
