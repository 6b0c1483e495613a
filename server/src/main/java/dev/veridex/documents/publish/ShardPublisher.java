package dev.veridex.documents.publish;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registries;
import dev.veridex.queue.GroupPosition;
import dev.veridex.queue.Queue;
import dev.veridex.queue.ReaderGroup;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The publisher of one shard of a queue: it sends the states of documents that wait there to the
/// topics of the open generations.
///
/// It goes step by step: take the shard, load some elements with what the registry knows of them,
/// send them, say that they are done. It may be killed between any two steps, or find that another
/// one has taken the shard meanwhile: what was sent may be sent again then, and nothing is left
/// out.
public final class ShardPublisher {
  /// How long a shard is taken for. It lasts longer with everything that is done.
  static final Duration LEASE = Duration.ofSeconds(30);

  private static final int MAX_ELEMENTS = 100;
  private static final long MAX_BYTES = 16L << 20;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /// The collaborators of a publisher.
  ///
  /// @param registries of what is published; where there is no bucket any more, nothing may be left
  /// @param converter documents to what an index takes
  /// @param random for pauses, so that not everybody comes back at once
  public record Tools(
      Store store,
      Registries registries,
      Epochs.Store epochs,
      Topics topics,
      Converter converter,
      PublishCounters counts,
      RandomGenerator random) {}

  /// The shard of a queue that is published.
  public record Work(BucketLocation location, String queue, int shard, int shards) {
    int partition() {
      return shard % shards;
    }
  }

  private sealed interface Phase {
    /// No lease is held.
    record Idle() implements Phase {}

    record Taken(ReaderGroup.Lease lease) implements Phase {}

    record Loaded(ReaderGroup.Lease lease, PublishBatch batch) implements Phase {}

    record Sent(ReaderGroup.Lease lease, PublishBatch batch) implements Phase {}
  }

  private final Tools tools;
  private final Work work;
  private final String holder;
  private final ReaderGroup group;
  private Phase phase = new Phase.Idle();
  private Instant pausedUntil = Instant.EPOCH;
  private Duration pause = FIRST_PAUSE;
  private int atOnce = MAX_ELEMENTS;

  public ShardPublisher(Tools tools, Work work, String holder) {
    this.tools = tools;
    this.work = work;
    this.holder = holder;
    this.group = new ReaderGroup(new Queue(work.location, work.queue), DocumentQueues.PUBLISHERS);
  }

  /// The phase after a step.
  ///
  /// @param goOn whether there is something to do
  private record StepResult(Phase phase, boolean goOn) {
    private static StepResult nothing() {
      return new StepResult(new Phase.Idle(), false);
    }
  }

  /// Does the next step.
  ///
  /// @return whether there is one after it
  public boolean step() {
    StepResult next =
        switch (phase) {
          case Phase.Idle() -> take();
          case Phase.Taken(ReaderGroup.Lease lease) -> load(lease);
          case Phase.Loaded(ReaderGroup.Lease lease, PublishBatch batch) -> send(lease, batch);
          case Phase.Sent(ReaderGroup.Lease lease, PublishBatch batch) -> commit(lease, batch);
        };
    phase = next.phase;
    return next.goOn;
  }

  /// Does all steps until some elements are done, or there is nothing to do.
  ///
  /// @return how many are done
  public int runOnce() {
    boolean goOn = true;
    while (goOn) {
      int sent = phase instanceof Phase.Sent(_, PublishBatch batch) ? batch.elements().size() : 0;
      goOn = step();
      if (sent > 0) {
        return goOn ? sent : 0;
      }
    }
    return 0;
  }

  /// Whether there is nothing in it that would be missed.
  boolean isForgettable(Instant now) {
    return switch (phase) {
      case Phase.Idle() -> !now.isBefore(pausedUntil);
      case Phase.Taken(ReaderGroup.Lease lease) -> !lease.until().plus(LEASE).isAfter(now);
      case Phase.Loaded _, Phase.Sent _ -> false;
    };
  }

  /// Until when it waits because a topic was in trouble.
  Instant pausedUntil() {
    return pausedUntil;
  }

  /// Gives the shard back.
  public void release() {
    if (phase instanceof Phase.Taken(ReaderGroup.Lease lease)) {
      tools.store.transact(transaction -> group.release(transaction, work.shard, lease.token()));
    }
    phase = new Phase.Idle();
  }

  private StepResult take() {
    try (Snapshot snapshot = tools.store.snapshot()) {
      GroupPosition position = group.position(snapshot, work.shard);
      boolean free = position.holder().equals(holder) || !position.isHeld(snapshot.now());
      if (!free
          || snapshot.now().isBefore(pausedUntil)
          || due(snapshot, position.offset(), 1).isEmpty()) {
        return StepResult.nothing();
      }
    }
    return tools
        .store
        .transact(
            transaction -> {
              if (!tools.registries.lookup().isThere(transaction, work.location)) {
                return Optional.<ReaderGroup.Lease>empty();
              }
              group.use(transaction, queueShards(), Optional.empty());
              return group.lease(transaction, work.shard, holder, LEASE);
            })
        .result()
        .map(lease -> new StepResult(new Phase.Taken(lease), true))
        .orElseGet(StepResult::nothing);
  }

  private int queueShards() {
    return work.queue.equals(DocumentQueues.FAILED)
        ? work.shards * RetrySchedule.LANES
        : work.shards;
  }

  /// The elements that are to be tried now.
  private List<Queue.Element> due(Snapshot snapshot, long after, int limit) {
    List<Queue.Element> elements =
        group.queue().read(snapshot, work.shard, after, limit, MAX_BYTES);
    if (!work.queue.equals(DocumentQueues.FAILED)) {
      return elements;
    }
    List<Queue.Element> due = new ArrayList<>();
    for (Queue.Element element : elements) {
      if (PublishTask.decode(element.payload()).trouble().nextAttemptAt().isAfter(snapshot.now())) {
        break;
      }
      due.add(element);
    }
    return due;
  }

  private StepResult load(ReaderGroup.Lease lease) {
    try (Snapshot snapshot = tools.store.snapshot()) {
      GroupPosition position = group.position(snapshot, work.shard);
      if (position.token() != lease.token()) {
        tools.counts.lost().increment();
        return StepResult.nothing();
      }
      List<Queue.Element> elements = due(snapshot, position.offset(), atOnce);
      if (elements.isEmpty() || snapshot.now().isBefore(pausedUntil)) {
        return new StepResult(new Phase.Taken(lease), false);
      }
      PublishBatch batch = PublishBatch.load(tools, work, snapshot, position.offset(), elements);
      return new StepResult(new Phase.Loaded(lease, batch), true);
    }
  }

  private StepResult send(ReaderGroup.Lease lease, PublishBatch batch) {
    try {
      batch
          .messages()
          .forEach(
              (epoch, messages) ->
                  tools.topics.append(
                      new IndexGeneration(work.location, epoch),
                      work.partition(),
                      // What was read up to here is sent once, as long as nobody else takes the
                      // shard.
                      new Topics.Producer(
                          work.queue + ":" + work.shard, lease.token(), batch.offset()),
                      messages));
    } catch (VeridexException e) {
      if (!e.problem().retryable()) {
        return refused(lease, batch, e.problem());
      }
      // It is the topic that is in trouble, not the documents.
      tools.counts.troubles().increment();
      backOff();
      return new StepResult(new Phase.Taken(lease), false);
    }
    pause = FIRST_PAUSE;
    atOnce = MAX_ELEMENTS;
    return new StepResult(new Phase.Sent(lease, batch), true);
  }

  /// A topic that will never take a batch may take half of it; if it does not take a single
  /// document, that one fails alone.
  private StepResult refused(ReaderGroup.Lease lease, PublishBatch batch, Problem problem) {
    if (batch.elements().size() > 1) {
      atOnce = batch.elements().size() / 2;
      // Taken anew: another generation's topic may have the whole batch, and must not mistake the
      // half for what it has.
      return new StepResult(new Phase.Idle(), true);
    }
    atOnce = MAX_ELEMENTS;
    if (!batch.failed().isEmpty()) {
      // Not even that it is gone.
      return new StepResult(new Phase.Sent(lease, batch.unsent()), true);
    }
    try (Snapshot snapshot = tools.store.snapshot()) {
      return new StepResult(
          new Phase.Loaded(lease, batch.refused(tools, work, snapshot, problem)), true);
    }
  }

  private void backOff() {
    try (Snapshot snapshot = tools.store.snapshot()) {
      pausedUntil = snapshot.now().plus(pause);
    }
    Duration twice = pause.multipliedBy(2);
    pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  private StepResult commit(ReaderGroup.Lease lease, PublishBatch batch) {
    Optional<ReaderGroup.Lease> longer =
        tools.store.transact(transaction -> commit(transaction, lease, batch)).result();
    if (longer.isEmpty()) {
      tools.counts.lost().increment();
      return StepResult.nothing();
    }
    tools.counts.elements().add(batch.elements().size());
    tools.counts.superseded().add(batch.superseded());
    tools.counts.failed().add(batch.failed().size());
    return new StepResult(new Phase.Taken(longer.get()), true);
  }

  /// Moves the offset, and puts what failed where it is tried again.
  ///
  /// @return the lease, which lasts longer by it; nothing if it was lost
  private Optional<ReaderGroup.Lease> commit(
      Transaction transaction, ReaderGroup.Lease lease, PublishBatch batch) {
    boolean own =
        tools.registries.lookup().isThere(transaction, work.location)
            && group.commit(
                transaction,
                work.shard,
                lease.token(),
                batch.previous(),
                batch.offset(),
                batch.elements().size(),
                LEASE);
    if (!own) {
      return Optional.empty();
    }
    for (PublishTask element : batch.failed()) {
      RetrySchedule.add(transaction, work.location, work.partition(), work.shards, element);
    }
    return Optional.of(
        new ReaderGroup.Lease(
            work.shard, lease.token(), batch.offset(), transaction.now().plus(LEASE)));
  }
}
