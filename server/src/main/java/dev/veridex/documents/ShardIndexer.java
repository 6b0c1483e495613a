package dev.veridex.documents;

import dev.veridex.buckets.DataPlace;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.protocol.RawDocument;
import dev.veridex.queue.Group;
import dev.veridex.queue.Position;
import dev.veridex.queue.Queue;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.topic.TopicId;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// Sends what one shard of a queue says on to the topics of the open generations.
///
/// It goes step by step: take the shard, load some elements with what the registry knows of them,
/// send them, say that they are done. It may be killed between any two steps, or find that another
/// one has taken the shard meanwhile: what was sent may be sent again then, and nothing is left
/// out.
final class ShardIndexer {
  /// How long a shard is taken for. It lasts longer with everything that is done.
  static final Duration LEASE = Duration.ofSeconds(30);

  private static final int MAX_ELEMENTS = 100;
  private static final long MAX_BYTES = 16L << 20;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /// What it takes to send documents.
  ///
  /// @param isThere whether there is anything in a place: in one that was cleaned up, nothing may
  ///   be left
  /// @param converter documents to what an index takes
  /// @param random for pauses, so that not everybody comes back at once
  record Tools(
      Store store,
      BiPredicate<Reader, DataPlace> isThere,
      Epochs.Store epochs,
      Topics topics,
      Converter converter,
      Counts counts,
      RandomGenerator random) {}

  /// Which shard of which queue.
  record Work(DataPlace place, String queue, int shard, int shards) {
    int partition() {
      return shard % shards;
    }
  }

  private sealed interface Phase {
    /// Nothing is taken.
    record Idle() implements Phase {}

    record Taken(Group.Lease lease) implements Phase {}

    record Loaded(Group.Lease lease, Batch batch) implements Phase {}

    record Sent(Group.Lease lease, Batch batch) implements Phase {}
  }

  /// Elements and what they come to.
  ///
  /// @param messages by the epoch of the generation
  /// @param failed those that cannot be sent
  private record Batch(
      long previous,
      long offset,
      int elements,
      Map<Long, List<Topics.Outgoing>> messages,
      List<Element> failed,
      int superseded) {}

  private final Tools tools;
  private final Work work;
  private final String holder;
  private final Group group;
  private Phase phase = new Phase.Idle();
  private Instant pausedUntil = Instant.EPOCH;
  private Duration pause = FIRST_PAUSE;

  ShardIndexer(Tools tools, Work work, String holder) {
    this.tools = tools;
    this.work = work;
    this.holder = holder;
    this.group = new Group(new Queue(work.place, work.queue), Queues.INDEXERS);
  }

  /// What comes after a step.
  ///
  /// @param goOn whether there is something to do
  private record Next(Phase phase, boolean goOn) {
    private static Next nothing() {
      return new Next(new Phase.Idle(), false);
    }
  }

  /// Does the next step.
  ///
  /// @return whether there is one after it
  boolean step() {
    Next next =
        switch (phase) {
          case Phase.Idle() -> take();
          case Phase.Taken(Group.Lease lease) -> load(lease);
          case Phase.Loaded(Group.Lease lease, Batch batch) -> send(lease, batch);
          case Phase.Sent(Group.Lease lease, Batch batch) -> commit(lease, batch);
        };
    phase = next.phase;
    return next.goOn;
  }

  /// Does all steps until some elements are done, or there is nothing to do.
  ///
  /// @return how many are done
  int runOnce() {
    boolean goOn = true;
    while (goOn) {
      int sent = phase instanceof Phase.Sent(_, Batch batch) ? batch.elements : 0;
      goOn = step();
      if (sent > 0) {
        return goOn ? sent : 0;
      }
    }
    return 0;
  }

  /// Whether it is not certain that nobody else has the shard.
  boolean isIdle() {
    return phase instanceof Phase.Idle;
  }

  /// Gives the shard back.
  void release() {
    if (phase instanceof Phase.Taken(Group.Lease lease)) {
      tools.store.transact(transaction -> group.release(transaction, work.shard, lease.token()));
    }
    phase = new Phase.Idle();
  }

  private Next take() {
    try (Snapshot snapshot = tools.store.snapshot()) {
      Position position = group.position(snapshot, work.shard);
      boolean free = position.holder().equals(holder) || !position.isHeld(snapshot.now());
      if (!free
          || snapshot.now().isBefore(pausedUntil)
          || due(snapshot, position.offset(), 1).isEmpty()) {
        return Next.nothing();
      }
    }
    return tools
        .store
        .transact(
            transaction -> {
              if (!tools.isThere.test(transaction, work.place)) {
                return Optional.<Group.Lease>empty();
              }
              group.use(transaction, queueShards());
              return group.lease(transaction, work.shard, holder, LEASE);
            })
        .result()
        .map(lease -> new Next(new Phase.Taken(lease), true))
        .orElseGet(Next::nothing);
  }

  private int queueShards() {
    return work.queue.equals(Queues.FAILED) ? work.shards * Retries.LANES : work.shards;
  }

  /// The elements that are to be tried now.
  private List<Queue.Element> due(Snapshot snapshot, long after, int limit) {
    List<Queue.Element> elements =
        group.queue().read(snapshot, work.shard, after, limit, MAX_BYTES);
    if (!work.queue.equals(Queues.FAILED)) {
      return elements;
    }
    List<Queue.Element> due = new ArrayList<>();
    for (Queue.Element element : elements) {
      if (Element.decode(element.payload()).trouble().nextAttemptAt().isAfter(snapshot.now())) {
        break;
      }
      due.add(element);
    }
    return due;
  }

  private Next load(Group.Lease lease) {
    try (Snapshot snapshot = tools.store.snapshot()) {
      Position position = group.position(snapshot, work.shard);
      if (position.token() != lease.token()) {
        tools.counts.lost().increment();
        return Next.nothing();
      }
      List<Queue.Element> elements = due(snapshot, position.offset(), MAX_ELEMENTS);
      if (elements.isEmpty() || snapshot.now().isBefore(pausedUntil)) {
        return new Next(new Phase.Taken(lease), false);
      }
      Batch batch = new Loading(snapshot, position.offset(), elements).batch();
      return new Next(new Phase.Loaded(lease, batch), true);
    }
  }

  private Next send(Group.Lease lease, Batch batch) {
    try {
      batch.messages.forEach(
          (epoch, messages) ->
              tools.topics.append(
                  new TopicId(work.place, epoch),
                  work.partition(),
                  // What was read up to here is sent once, as long as nobody else takes the shard.
                  new Topics.Producer(work.queue + ":" + work.shard, lease.token(), batch.offset),
                  messages));
    } catch (VeridexException e) {
      if (!e.problem().retryable()) {
        throw e;
      }
      // It is the topic that is in trouble, not the documents.
      tools.counts.troubles().increment();
      backOff();
      return new Next(new Phase.Taken(lease), false);
    }
    pause = FIRST_PAUSE;
    return new Next(new Phase.Sent(lease, batch), true);
  }

  private void backOff() {
    try (Snapshot snapshot = tools.store.snapshot()) {
      pausedUntil = snapshot.now().plus(pause);
    }
    Duration twice = pause.multipliedBy(2);
    pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  private Next commit(Group.Lease lease, Batch batch) {
    boolean done =
        tools
            .store
            .transact(
                transaction -> {
                  boolean own =
                      tools.isThere.test(transaction, work.place)
                          && group.commit(
                              transaction,
                              work.shard,
                              lease.token(),
                              batch.previous,
                              batch.offset,
                              batch.elements,
                              LEASE);
                  if (own) {
                    batch.failed.forEach(
                        element ->
                            Retries.add(
                                transaction, work.place, work.partition(), work.shards, element));
                  }
                  return own;
                })
            .result();
    if (!done) {
      tools.counts.lost().increment();
      return Next.nothing();
    }
    tools.counts.elements().add(batch.elements);
    tools.counts.superseded().add(batch.superseded);
    tools.counts.failed().add(batch.failed.size());
    return new Next(new Phase.Taken(lease), true);
  }

  /// Joins elements with the registry.
  private final class Loading {
    private final Snapshot snapshot;
    private final long previous;
    private final Epochs epochs;
    private final Registry registry = new Registry(work.place);
    private final Map<Long, List<Topics.Outgoing>> messages = new TreeMap<>();
    private final List<Element> failed = new ArrayList<>();
    private final List<Queue.Element> elements;
    private int superseded;

    private Loading(Snapshot snapshot, long previous, List<Queue.Element> elements) {
      this.snapshot = snapshot;
      this.previous = previous;
      this.elements = elements;
      this.epochs = tools.epochs.read(snapshot, work.place);
    }

    private Batch batch() {
      List<Element> decoded =
          elements.stream().map(element -> Element.decode(element.payload())).toList();
      List<Registry.Known> known =
          registry.find(snapshot, decoded.stream().map(Element::pk).toList(), epochs.numbers());
      Map<Registry.BodyOf, Optional<byte[]>> bodies = bodies(known);
      long bytes = 0;
      int taken = 0;
      for (int i = 0; i < decoded.size(); i++) {
        Element element = decoded.get(i);
        long size = known.get(i).rows().values().stream().mapToLong(Row::bodyBytes).sum();
        if (taken > 0 && bytes + size > MAX_BYTES) {
          break;
        }
        bytes += size;
        taken++;
        if (known.get(i).newest().filter(row -> row.tuple().equals(element.tuple())).isEmpty()) {
          superseded++;
        } else {
          one(element, known.get(i), bodies);
        }
      }
      return new Batch(
          previous, elements.get(taken - 1).idx(), taken, messages, failed, superseded);
    }

    private Map<Registry.BodyOf, Optional<byte[]>> bodies(List<Registry.Known> known) {
      List<Registry.BodyOf> wanted = new ArrayList<>();
      long bytes = 0;
      for (Registry.Known document : known) {
        for (Row row : document.rows().values()) {
          if (row.isAlive(snapshot.now()) && bytes <= MAX_BYTES) {
            bytes += row.bodyBytes();
            wanted.add(new Registry.BodyOf(document.pk(), row.tuple().epoch()));
          }
        }
      }
      List<Optional<byte[]>> values = registry.bodies(snapshot, wanted);
      Map<Registry.BodyOf, Optional<byte[]>> bodies = new HashMap<>();
      for (int i = 0; i < wanted.size(); i++) {
        bodies.put(wanted.get(i), values.get(i));
      }
      return bodies;
    }

    /// What every generation is to hold of a document. One that cannot be told leaves the others
    /// alone.
    private void one(
        Element element, Registry.Known document, Map<Registry.BodyOf, Optional<byte[]>> bodies) {
      Map<Long, IndexMessage> told = new TreeMap<>();
      Row newest = document.newest().orElseThrow();
      try {
        for (Epochs.Epoch generation : epochs.open().values()) {
          boolean alive = newest.isAlive(snapshot.now());
          if (!alive || generation.number() <= newest.tuple().epoch()) {
            told.put(generation.number(), message(document, newest, generation, bodies));
          }
        }
      } catch (VeridexException e) {
        failed.add(
            element.failed(
                e.problem(),
                Retries.next(snapshot.now(), element.trouble().attempts(), tools.random),
                work.queue));
        return;
      }
      told.forEach(
          (epoch, message) ->
              messages
                  .computeIfAbsent(epoch, _ -> new ArrayList<>())
                  .add(new Topics.Outgoing(element.pk(), message.toByteArray())));
    }

    /// A generation holds the newest row that it can hold, with the newest row's tuple: so what it
    /// holds is decided by the registry alone, and never goes back.
    private IndexMessage message(
        Registry.Known document,
        Row newest,
        Epochs.Epoch generation,
        Map<Registry.BodyOf, Optional<byte[]>> bodies) {
      Tuple tuple = newest.tuple();
      IndexMessage.Builder message =
          IndexMessage.newBuilder()
              .setPk(document.pk())
              .setEpoch(tuple.epoch())
              .setVersion(tuple.version())
              .setModifiedMicros(tuple.modifiedMicros());
      if (!newest.isAlive(snapshot.now())) {
        return message.build();
      }
      for (Row row : document.rows().descendingMap().values()) {
        boolean may = row.isAlive(snapshot.now()) && row.tuple().epoch() >= generation.number();
        Optional<RawDocument> converted =
            may
                ? tools.converter.convert(
                    body(document.pk(), row, bodies),
                    generation.schema(),
                    row.tuple().epoch() == generation.number())
                : Optional.empty();
        if (converted.isPresent()) {
          message.setDocument(converted.get());
          // It is not to be found longer than the newest one, either.
          Stream.of(row, newest)
              .flatMap(each -> each.expiresAt().stream())
              .min(Instant::compareTo)
              .map(Expiry::micros)
              .ifPresent(message::setExpiresMicros);
          return message.build();
        }
      }
      return message.build();
    }

    private RawDocument body(String pk, Row row, Map<Registry.BodyOf, Optional<byte[]>> bodies) {
      Registry.BodyOf of = new Registry.BodyOf(pk, row.tuple().epoch());
      Optional<byte[]> body = bodies.getOrDefault(of, Optional.empty());
      return Registry.unpack(
          body.or(() -> registry.bodies(snapshot, List.of(of)).getFirst())
              .orElseThrow(() -> Registry.corrupt("the body of a document is missing")));
    }
  }

  /// Turns a document into what an index of some schema holds.
  @FunctionalInterface
  interface Converter {
    /// What a document is in a schema.
    ///
    /// @param own whether the document was made for this very schema
    /// @return nothing, if it was not, and the schema does not allow it
    /// @throws VeridexException if it cannot be converted at all
    Optional<RawDocument> convert(RawDocument document, Schema schema, boolean own);

    /// The usual one.
    Converter USUAL =
        (document, schema, own) -> {
          Optional<RawDocument> converted = Conversion.to(document, schema);
          if (own && converted.isEmpty()) {
            throw new VeridexException(
                Problem.of(
                    ErrorCode.SCHEMA_MISMATCH,
                    "the document does not fit the schema that it was made for"));
          }
          return converted;
        };
  }
}
