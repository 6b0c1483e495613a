package dev.veridex.search.indexing;

import dev.veridex.common.IndexGeneration;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.index.IndexProgress;
import dev.veridex.store.Snapshot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/// The freshness of an index: the watermark that the feeding thread has reached, and the one that
/// searches see, which follows with each refresh. Whoever needs a revision waits here.
///
/// The feeding thread moves it; any number wait and read.
final class IndexFreshness {
  /// How often a waiting thread looks whether the index is fresh enough, besides being notified.
  private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(2).toNanos();

  private static final int MAX_TARGETS = 256;

  /// How old the watermark of an idle index may be.
  private static final long FRESHEN_NANOS = Duration.ofMillis(20).toNanos();

  /// The offsets that have to be applied for everything accepted up to a point to be there.
  ///
  /// @param asOf that point
  /// @param ends up to where the topic has to be applied
  record Target(IndexGenerations.Watermark asOf, Map<Integer, Long> ends) {
    /// Whether it tells more than another one: of two targets neither is behind the other in one
    /// respect and ahead in another.
    private boolean isAfter(Target other) {
      return asOf.sequence() >= other.asOf.sequence() && other.isIn(ends) && !equals(other);
    }

    private boolean isIn(Map<Integer, Long> offsets) {
      return ends.entrySet().stream()
          .allMatch(end -> offsets.getOrDefault(end.getKey(), 0L) >= end.getValue());
    }
  }

  private final IndexerTools tools;
  private final IndexGeneration generation;
  private volatile Optional<VisibleState> shown = Optional.empty();

  /// When somebody last looked whether an idle index is as fresh as now.
  private volatile long freshenedAt;

  private final AtomicLong awaitedAt = new AtomicLong(System.nanoTime());

  /// The targets that are not reached yet, the nearest first. There are several, so that what was
  /// accepted long ago is not waited for until all of a backlog is applied.
  private final Deque<Target> targets = new ArrayDeque<>();

  /// The generation as it was when it was fed last.
  private volatile Optional<IndexGenerations.OpenGeneration> fed = Optional.empty();

  private final AtomicLong aimedAt = new AtomicLong();

  // The feeding thread's own from here on.

  /// Everything accepted up to here is applied, or waits in a queue of failed elements.
  private IndexGenerations.Watermark reached = IndexGenerations.Watermark.NOTHING;

  IndexFreshness(IndexerTools tools, IndexGeneration generation) {
    this.tools = tools;
    this.generation = generation;
  }

  /// Everything that was accepted by now, and where the topic ends.
  Target everything(IndexGenerations.OpenGeneration open) {
    try (Snapshot snapshot = tools.store().snapshot()) {
      return new Target(tools.generations().asOf(snapshot, generation), ends(open));
    }
  }

  /// Everything that was published by now.
  private Target published(IndexGenerations.OpenGeneration open) {
    IndexGenerations.Watermark sent;
    try (Snapshot snapshot = tools.store().snapshot()) {
      sent = tools.generations().sent(snapshot, generation);
    }
    // Read after it: whatever was published by then lies before these ends.
    return new Target(sent, ends(open));
  }

  /// Up to which sequence everything that was accepted is published by now.
  long sent() {
    try (Snapshot snapshot = tools.store().snapshot()) {
      return tools.generations().sent(snapshot, generation).sequence();
    }
  }

  private Map<Integer, Long> ends(IndexGenerations.OpenGeneration open) {
    Map<Integer, Long> ends = new TreeMap<>();
    for (int partition = 0; partition < open.partitions(); partition++) {
      ends.put(partition, tools.topics().last(generation, partition));
    }
    return ends;
  }

  /// Begins anew, with nothing applied.
  void reset() {
    synchronized (targets) {
      targets.clear();
    }
    reached = IndexGenerations.Watermark.NOTHING;
  }

  /// A rebuild ended: everything accepted before it began is applied.
  void rebuilt(IndexGenerations.Watermark asOf) {
    reached = asOf;
  }

  /// Sets a target. There has to be one before the topic is read.
  void aim(IndexGenerations.OpenGeneration open) {
    fed = Optional.of(open);
    aimedAt.set(tools.nanos().getAsLong());
    add(published(open));
  }

  /// Something was published: sets a target, unless that was done a moment ago.
  void publishing() {
    long now = tools.nanos().getAsLong();
    long last = aimedAt.get();
    if (fed.isPresent() && now - last > FRESHEN_NANOS && aimedAt.compareAndSet(last, now)) {
      add(published(fed.get()));
    }
  }

  private void add(Target target) {
    synchronized (targets) {
      Target last = targets.peekLast();
      if (last != null && !target.isAfter(last)) {
        return;
      }
      if (targets.size() == MAX_TARGETS) {
        // Every other one: what is waited for is told a little later, and the last is kept.
        boolean[] drop = {false};
        targets.removeIf(
            each -> {
              drop[0] = !drop[0];
              return drop[0];
            });
      }
      targets.addLast(target);
    }
  }

  /// The topic was applied up to these offsets.
  void applied(Map<Integer, Long> offsets) {
    synchronized (targets) {
      while (!targets.isEmpty() && targets.getFirst().isIn(offsets)) {
        reached = reached.orLater(targets.removeFirst().asOf);
      }
    }
  }

  /// Whether everything accepted up to a sequence is applied.
  boolean hasReached(long sequence) {
    return reached.sequence() >= sequence;
  }

  /// Everything that is applied is searchable now.
  synchronized void show(IndexProgress applied) {
    shown =
        Optional.of(
            new VisibleState(applied.offsets(), applied.at(), watermark().orLater(reached)));
    notifyAll();
  }

  /// Nothing can be found any more.
  synchronized void hide() {
    shown = Optional.empty();
    notifyAll();
  }

  Optional<VisibleState> shown() {
    return shown;
  }

  /// Everything accepted up to it can be found, or waits among the failed elements.
  IndexGenerations.Watermark watermark() {
    return shown.map(VisibleState::asOf).orElse(IndexGenerations.Watermark.NOTHING);
  }

  /// Looks whether what is shown is everything that was accepted by now: then it is as fresh as
  /// now, although nothing has come.
  private void lookAgain(IndexGenerations.OpenGeneration open) {
    Target now = published(open);
    synchronized (this) {
      shown =
          shown.map(
              each ->
                  now.isIn(each.offsets())
                      ? new VisibleState(each.offsets(), each.at(), each.asOf().orLater(now.asOf))
                      : each);
    }
  }

  /// Moves the watermark of an idle index, unless that was done a moment ago.
  void freshen(IndexGenerations.OpenGeneration open) {
    long now = tools.nanos().getAsLong();
    if (now - freshenedAt > FRESHEN_NANOS) {
      freshenedAt = now;
      lookAgain(open);
    }
  }

  /// Waits until everything accepted up to a commit can be found, or waits among the failed
  /// elements.
  ///
  /// @return whether it can, in time
  boolean await(IndexGenerations.OpenGeneration open, long sequence, long deadline) {
    boolean first = true;
    while (!isShown(sequence)) {
      long now = System.nanoTime();
      long last = awaitedAt.get();
      // Of many who wait, one looks for all.
      if (first || (now - last >= LOOK_AGAIN_NANOS && awaitedAt.compareAndSet(last, now))) {
        first = false;
        lookAgain(open);
        if (isShown(sequence)) {
          return true;
        }
      }
      if (deadline - now <= 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      Monitors.await(this, () -> isShown(sequence), Math.min(deadline, now + LOOK_AGAIN_NANOS));
    }
    return true;
  }

  private boolean isShown(long sequence) {
    return shown.filter(each -> each.asOf().sequence() >= sequence).isPresent();
  }

  /// Waits until more than this can be found.
  boolean awaitMore(Map<Integer, Long> offsets, long deadline) {
    return Monitors.await(
        this,
        () ->
            shown.stream()
                .flatMap(each -> each.offsets().entrySet().stream())
                .anyMatch(each -> each.getValue() > offsets.getOrDefault(each.getKey(), 0L)),
        deadline);
  }
}
