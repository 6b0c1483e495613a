package dev.veridex.documents;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Seeds;
import dev.veridex.common.VeridexException;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.DocumentModel.Doc;
import dev.veridex.documents.publish.Converter;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.publish.PublishCounters;
import dev.veridex.documents.publish.PublishTask;
import dev.veridex.documents.publish.Publishers;
import dev.veridex.documents.publish.QueueAdministration;
import dev.veridex.documents.publish.RetrySchedule;
import dev.veridex.documents.publish.ShardPublisher;
import dev.veridex.documents.publish.ShardPublisher.Work;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentReceiver;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registries;
import dev.veridex.documents.registry.SchemaChange;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.lucene.CrashingIndexes;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import dev.veridex.queue.LiveNodes;
import dev.veridex.queue.Queue;
import dev.veridex.queue.ReaderGroup;
import dev.veridex.search.indexing.IndexerPool;
import dev.veridex.search.indexing.TopicSignals;
import dev.veridex.store.CrashingStore;
import dev.veridex.store.Snapshot;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.Account;
import dev.veridex.topic.DelegatingTopics;
import dev.veridex.topic.Topics;
import dev.veridex.topic.local.LocalTopics;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Everything that can go wrong between a receiver and an index, on one thread with a clock and a
/// source of chance that the test owns.
///
/// Receivers take documents in any order and again; several indexers go one step at a time, so that
/// any of them may die or fall asleep between any two steps; shards are stolen, those who sleep
/// wake up and go on as if nothing had happened; documents that cannot be converted, topics that
/// fail before or after they have taken a batch, rebuilds, offsets that are set back, restarts.
/// When all is quiet, every generation holds what the registry says, and what is not there waits
/// where it can be found.
final class DocumentSimulationTest {
  private static final int STEPS = 250;
  private static final int SHARDS = 3;
  private static final int PKS = 10;
  private static final Namespace ACME = TestDomain.ACME;
  private static final String BUCKET = "offers";
  private static final Duration TOPICS_KEEP = Duration.ofDays(3);

  @Test
  @Tag("campaign")
  void atRestTheIndexIsTheRegistry() {
    long[] sum = new long[5];
    Campaign.DOCUMENTS_SIMULATIONS.forEach(
        seed -> {
          Simulation simulation = new Simulation(seed);
          simulation.run();
          sum[0] += simulation.accepted;
          sum[1] += simulation.sent;
          sum[2] += simulation.counts.lost().sum();
          sum[3] += simulation.counts.failed().sum();
          sum[4] += simulation.crashes;
        });
    Campaign.DOCUMENTS_SIMULATIONS.count(sum[0], "documents accepted");
    Campaign.DOCUMENTS_SIMULATIONS.count(sum[1], "sent");
    Campaign.DOCUMENTS_SIMULATIONS.count(sum[4], "crashes");
    if (!Seeds.single()) {
      // It would be no simulation if nothing happened.
      assertThat(sum).as("accepted, sent, shards lost, failed, crashes").doesNotContain(0);
    }
  }

  /// A node: it takes steps in the shards of all queues, until it dies.
  private static final class Node {
    private final String id;
    private final Map<Work, ShardPublisher> indexers = new HashMap<>();
    private Instant asleepUntil = Instant.MIN;

    private Node(String id) {
      this.id = id;
    }
  }

  private static final class Simulation {
    private final Random random;
    private final boolean calm;
    private final MutableClock clock = MutableClock.daysAgo(0);
    private final MemoryDisk disk;
    private final DocumentModel model = new DocumentModel();
    private final PublishCounters counts = new PublishCounters();
    private final List<Doc> given = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Set<Long> poison = new HashSet<>();
    private final List<SetBack> setBack = new ArrayList<>();
    private final boolean forgiving;
    private final boolean indexes;
    private final CrashingIndexes disks;
    private IndexerPool indexers;
    private CrashingStore store;
    private boolean fragile;
    private Domain domain;
    private Token root;
    private Topics topics;
    private int outage;
    private int epochs = 1;
    private int ids;
    private long accepted;
    private long sent;
    private long crashes;

    private Simulation(long seed) {
      random = new Random(seed);
      // In calm ones nobody falls asleep and nothing is sent anew, so that the order can be seen.
      calm = seed % 5 == 0;
      forgiving = seed % 3 != 0;
      disk = new MemoryDisk(random);
      // Not in all of them: it takes longer than all the rest.
      indexes = seed % 7 == 1;
      disks = new CrashingIndexes(new Random(seed));
      open();
      root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
      domain
          .tenancy()
          .accounts()
          .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
      domain
          .buckets()
          .buckets()
          .put(
              Caller.of(root),
              ACME,
              BUCKET,
              "documents",
              Bucket.Definition.PLAIN.settling(
                  DocumentSettings.USUAL.withShards(Optional.of(SHARDS))),
              Optional.empty(),
              Optional.empty());
      domain
          .documents()
          .epochs()
          .settle(Caller.of(root), ACME, BUCKET, 1, SchemaChange.to(schema(false)));
      // Of several, one may send what it has loaded long after another has taken its place.
      for (int i = 0; i < (calm ? 1 : 3); i++) {
        nodes.add(new Node("node" + ids++));
      }
    }

    /// In the second epoch, `x` is something else than in the first.
    private static Schema schema(boolean second) {
      TreeMap<String, Schema.Field> fields = new TreeMap<>();
      fields.put("n", Schema.Field.found(FieldKind.NUMBER, false));
      fields.put("x", Schema.Field.found(second ? FieldKind.STRING : FieldKind.NUMBER, false));
      return new Schema(false, fields, new TreeMap<>());
    }

    private void open() {
      store =
          new CrashingStore(
              new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7)),
              () -> fragile && random.nextInt(60) == 0);
      Random ours = new Random(7);
      domain =
          Domain.on(
              store,
              new Domain.Parts(ours, ours, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
      topics = new LocalTopics(store, TOPICS_KEEP, domain.buckets().lookup()::isThere);
      indexers =
          new IndexerPool(
              store,
              domain.documents().generations(),
              topics,
              disks,
              new TopicSignals(),
              TOPICS_KEEP,
              TOPICS_KEEP,
              () -> 0,
              domain.documents().refusals(),
              Runnable::run,
              Runnable::run);
    }

    private ActingCaller actor() {
      return new ActingCaller(Caller.of(root), Optional.empty());
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        fragile = true;
        try {
          step();
        } catch (CrashingStore.Crash e) {
          crashes++;
          fragile = false;
          restart();
        }
        fragile = false;
      }
      settle();
      check();
      store.close();
    }

    private void step() {
      if (indexes && random.nextInt(8) == 0) {
        indexers.runAll();
        return;
      }
      int what = random.nextInt(100);
      if (what < 25) {
        receive();
      } else if (what < 80) {
        indexerStep();
      } else if (what < 88) {
        clock.advance(Duration.ofMillis(random.nextInt(5000)));
      } else if (what < 90) {
        clock.advance(Duration.ofSeconds(random.nextInt(90)));
      } else if (what < 93) {
        Node dead = nodes.get(random.nextInt(nodes.size()));
        dead.indexers.clear();
        nodes.set(nodes.indexOf(dead), new Node("node" + ids++));
      } else if (what < 94) {
        outage = random.nextInt(30);
      } else if (what < 95 && epochs == 1) {
        domain.documents().epochs().open(Caller.of(root), ACME, BUCKET, Optional.of(schema(true)));
        epochs = 2;
      } else if (what < 96) {
        restart();
      } else if (!calm && what < 97) {
        nodes.get(random.nextInt(nodes.size())).asleepUntil =
            clock.instant().plusSeconds(random.nextInt(120));
      } else if (!calm && what < 98) {
        TestDomain.rebuild(domain, Caller.of(root), ACME, BUCKET);
      } else if (!calm) {
        setBack();
      }
    }

    /// The process dies with everything that it had not written.
    private void restart() {
      store.close();
      disks.crash();
      if (random.nextInt(4) == 0) {
        disks.damage();
      }
      open();
      nodes.replaceAll(_ -> new Node("node" + ids++));
    }

    private BucketLocation location() {
      try (Snapshot snapshot = store.snapshot()) {
        BucketLookup.LocatedBucket found =
            domain.buckets().lookup().find(snapshot, ACME, BUCKET).orElseThrow();
        return found.data(found.bucket().side());
      }
    }

    private void setBack() {
      // Where somebody is at work, if possible.
      List<Work> busy =
          nodes.stream()
              .flatMap(node -> node.indexers.keySet().stream())
              .filter(work -> !work.queue().equals(DocumentQueues.FAILED))
              .toList();
      Work work =
          busy.isEmpty()
              ? new Work(location(), DocumentQueues.MAIN, random.nextInt(SHARDS), SHARDS)
              : busy.get(random.nextInt(busy.size()));
      ReaderGroup group =
          new ReaderGroup(new Queue(location(), work.queue()), DocumentQueues.PUBLISHERS);
      int shard = work.shard();
      store.transact(
          transaction -> {
            List<Queue.Element> elements =
                group.queue().read(transaction, shard, 0, 1000, Long.MAX_VALUE);
            long offset = group.position(transaction, shard).offset();
            List<Queue.Element> done =
                elements.stream().filter(element -> element.idx() <= offset).toList();
            if (!done.isEmpty()) {
              int first = random.nextInt(done.size());
              group.reset(transaction, shard, done.get(first).idx() - 1);
              setBack.add(
                  new SetBack(
                      shard,
                      end(shard),
                      done.subList(first, done.size()).stream()
                          .map(element -> PublishTask.decode(element.payload()))
                          .toList()));
            }
            return true;
          });
    }

    /// Elements that are to be sent again.
    ///
    /// @param after the last message of the first generation before that
    private record SetBack(int shard, long after, List<PublishTask> elements) {}

    private long end(int shard) {
      List<Topics.Message> all =
          topics.read(
              new IndexGeneration(location(), 1), shard, 0, Integer.MAX_VALUE, Long.MAX_VALUE);
      return all.isEmpty() ? 0 : all.getLast().number();
    }

    /// Whoever sets a group back wants to see everything again that still counts.
    private void checkSetBack(Map<String, Set<VersionTuple>> waiting) {
      for (SetBack back : setBack) {
        Map<String, Set<VersionTuple>> again = new HashMap<>();
        topics
            .read(
                new IndexGeneration(location(), 1),
                back.shard,
                back.after,
                Integer.MAX_VALUE,
                Long.MAX_VALUE)
            .forEach(
                message -> {
                  IndexMessage state = Sink.parse(message);
                  again.computeIfAbsent(state.getPk(), _ -> new HashSet<>()).add(Sink.tuple(state));
                });
        for (PublishTask element : back.elements) {
          boolean counts =
              model
                      .newest(element.pk())
                      .filter(doc -> doc.tuple().equals(element.tuple()))
                      .isPresent()
                  && !waiting.getOrDefault(element.pk(), Set.of()).contains(element.tuple());
          if (counts) {
            assertThat(again.getOrDefault(element.pk(), Set.of()))
                .as("%s is sent again", element)
                .contains(element.tuple());
          }
        }
      }
    }

    private void receive() {
      List<Doc> batch = new ArrayList<>();
      for (int i = random.nextInt(1, 5); i > 0; i--) {
        boolean again = !given.isEmpty() && random.nextInt(4) == 0;
        batch.add(again ? given.get(random.nextInt(given.size())) : doc());
      }
      given.addAll(batch);
      int before = store.commits();
      DocumentReceiver.BatchResult received;
      try {
        received = received(batch);
      } catch (CrashingStore.Crash e) {
        // Nobody was told, and still it is so, or not, as a whole.
        if (store.commits() > before) {
          batch.forEach(model::receive);
        }
        throw e;
      }
      for (int i = 0; i < batch.size(); i++) {
        String expected = model.receive(batch.get(i));
        assertThat(received.results().get(i).status()).as("%s", batch.get(i)).isEqualTo(expected);
        accepted += expected.equals("ACK") ? 1 : 0;
      }
    }

    private DocumentReceiver.BatchResult received(List<Doc> batch) {
      return domain
          .documents()
          .receiver()
          .receive(
              actor(),
              ACME,
              BUCKET,
              batch.stream()
                  .<DocumentInput>map(doc -> new DocumentInput.Parsed(document(doc), List.of()))
                  .toList());
    }

    private Doc doc() {
      long epoch = random.nextInt(1, epochs + 1);
      Instant modifiedAt =
          clock.instant().minusSeconds(random.nextInt(200)).truncatedTo(ChronoUnit.SECONDS);
      long n = random.nextInt(1000);
      if (random.nextInt(40) == 0) {
        poison.add(n);
      }
      return new Doc(
          "pk" + random.nextInt(PKS),
          new VersionTuple(epoch, random.nextInt(6), Expiry.micros(modifiedAt)),
          random.nextInt(4) == 0,
          n,
          epoch == 2 && random.nextInt(3) == 0,
          random.nextInt(4) == 0 ? Optional.of((long) random.nextInt(60, 600)) : Optional.empty());
    }

    private static RawDocument document(Doc doc) {
      Instant time = doc.tuple().modifiedAt();
      RawDocument.Builder document =
          RawDocument.newBuilder()
              .setPk(doc.pk())
              .setEpoch(doc.tuple().epoch())
              .setVersion(doc.tuple().version())
              .setModifiedAt(Timestamp.newBuilder().setSeconds(time.getEpochSecond()))
              .setAction(doc.delete() ? Action.DELETE : Action.UPSERT)
              .addFields(
                  Field.newBuilder()
                      .setName("n")
                      .addValues(Value.newBuilder().setInteger(doc.n())));
      doc.ttlSeconds().ifPresent(document::setTtl);
      if (doc.odd()) {
        document.addFields(
            Field.newBuilder().setName("x").addValues(Value.newBuilder().setText("odd")));
      }
      return document.build();
    }

    private void indexerStep() {
      Node node = nodes.get(random.nextInt(nodes.size()));
      if (node.asleepUntil.isAfter(clock.instant())) {
        return;
      }
      List<Work> all = works();
      Work work = all.get(random.nextInt(all.size()));
      if (!node.indexers.isEmpty() && random.nextInt(3) > 0) {
        // Most of the time it goes on with what it has begun.
        List<Work> begun = List.copyOf(node.indexers.keySet());
        work = begun.get(random.nextInt(begun.size()));
      }
      try {
        boolean goesOn = node.indexers.computeIfAbsent(work, each -> indexer(each, node.id)).step();
        if (!goesOn && random.nextBoolean()) {
          node.indexers.remove(work);
        }
      } catch (CrashingStore.Crash e) {
        node.indexers.clear();
        throw e;
      }
    }

    private List<Work> works() {
      BucketLocation location = location();
      List<Work> works = new ArrayList<>();
      for (int shard = 0; shard < SHARDS; shard++) {
        works.add(new Work(location, DocumentQueues.MAIN, shard, SHARDS));
        works.add(new Work(location, DocumentQueues.EMERGENCY, shard, SHARDS));
      }
      for (int lane = 0; lane < 2 * SHARDS; lane++) {
        works.add(new Work(location, DocumentQueues.FAILED, lane, SHARDS));
      }
      return works;
    }

    private ShardPublisher indexer(Work work, String holder) {
      return new ShardPublisher(
          new ShardPublisher.Tools(
              store,
              new Registries(domain.buckets().lookup(), Map.of()),
              new Epochs.Store(),
              new Faulty(),
              this::convert,
              counts,
              random),
          work,
          holder);
    }

    private Optional<RawDocument> convert(RawDocument document, Schema schema, boolean own) {
      for (Field field : document.getFieldsList()) {
        if (field.getName().equals("n") && poison.contains(field.getValues(0).getInteger())) {
          throw new VeridexException(Problem.of(ErrorCode.SCHEMA_MISMATCH, "poison"));
        }
      }
      return Converter.USUAL.convert(document, schema, own);
    }

    /// A topic that fails now and then, before it has taken a batch or after.
    private final class Faulty extends DelegatingTopics {
      private Faulty() {
        super(topics);
      }

      @Override
      public void append(
          IndexGeneration topic, int partition, Producer producer, List<Outgoing> messages) {
        boolean fails = outage > 0 && random.nextInt(3) > 0;
        outage = Math.max(0, outage - 1);
        if (!fails || random.nextBoolean()) {
          super.append(topic, partition, producer, messages);
          sent += messages.size();
        }
        if (fails) {
          throw new VeridexException(Problem.of(ErrorCode.UNAVAILABLE, "the topic is away"));
        }
      }
    }

    /// Everybody wakes up, nothing comes any more, and time passes until there is nothing to do.
    private void settle() {
      outage = 0;
      nodes.forEach(node -> node.asleepUntil = Instant.MIN);
      for (Node node : nodes) {
        node.indexers.values().forEach(indexer -> exhaust(indexer::step));
      }
      if (forgiving) {
        poison.clear();
      }
      Publishers last =
          new Publishers(
              new ShardPublisher.Tools(
                  store,
                  new Registries(domain.buckets().lookup(), Map.of()),
                  new Epochs.Store(),
                  topics,
                  this::convert,
                  counts,
                  random),
              new LiveNodes(store, "last"),
              Runnable::run);
      // Leases of those who died end; ten attempts take less than an hour.
      for (int minute = 0; minute < 60; minute++) {
        clock.advance(Duration.ofMinutes(1));
        while (last.runAll()) {}
      }
      last.stop();
    }

    private static void exhaust(BooleanSupplier step) {
      for (int i = 0; i < 10 && step.getAsBoolean(); i++) {}
    }

    private void check() {
      BucketLocation location = location();
      Map<String, Set<VersionTuple>> waiting = waiting();
      checkSetBack(waiting);
      for (long epoch = 1; epoch <= epochs; epoch++) {
        Sink sink = new Sink(topics, new IndexGeneration(location, epoch), SHARDS);
        sink.run();
        Instant now = clock.instant();
        Map<String, Long> found = sink.found(now);
        Map<String, Long> expected = model.generation(epoch, now);
        Map<String, VersionTuple> tuples = sink.tuples();
        for (int i = 0; i < PKS; i++) {
          String pk = "pk" + i;
          Optional<VersionTuple> newest = model.newest(pk).map(Doc::tuple);
          boolean dead = newest.filter(waiting.getOrDefault(pk, Set.of())::contains).isPresent();
          if (forgiving || !dead) {
            assertThat(found.get(pk))
                .as("%s in generation %d, newest %s", pk, epoch, model.newest(pk))
                .isEqualTo(expected.get(pk));
            if (epoch == 1) {
              assertThat(Optional.ofNullable(tuples.get(pk)))
                  .as("what was last said of %s", pk)
                  .isEqualTo(newest);
            }
          }
        }
        if (indexes) {
          Map<String, RawDocument> documents = sink.documents(now);
          Map<String, RawDocument> held = indexed(new IndexGeneration(location, epoch), now);
          // What is poison to those who send is none to an index that is made from the registry.
          documents.keySet().removeAll(waiting.keySet());
          held.keySet().removeAll(waiting.keySet());
          assertThat(held)
              .as("the index of generation %d, every field", epoch)
              .isEqualTo(documents);
        }
        if (calm) {
          assertThat(sink.wentBack()).as("published in order").isFalse();
        }
      }
      for (QueueAdministration.State state :
          domain.documents().queues().states(actor(), ACME, BUCKET)) {
        if (!state.name().equals(DocumentQueues.DEAD)) {
          assertThat(state.elements()).as("what waits in %s", state.name()).isZero();
        }
      }
    }

    private Map<String, RawDocument> indexed(IndexGeneration generation, Instant now) {
      for (int minute = 0; minute < 3; minute++) {
        while (indexers.runAll()) {}
        clock.advance(Duration.ofMinutes(1));
      }
      Map<String, RawDocument> documents = new HashMap<>();
      try (IndexView view = indexers.view(generation)) {
        view.each(now, held -> documents.put(held.pk(), held.document()));
      }
      return documents;
    }

    /// The documents that nobody could send, and that somebody can find.
    private Map<String, Set<VersionTuple>> waiting() {
      Map<String, Set<VersionTuple>> waiting = new HashMap<>();
      for (QueueAdministration.QueuedTask listed :
          domain
              .documents()
              .queues()
              .elements(actor(), ACME, BUCKET, DocumentQueues.DEAD, Optional.empty(), 0, 1000)) {
        assertThat(listed.element().trouble().attempts()).isEqualTo(RetrySchedule.MAX_ATTEMPTS);
        waiting
            .computeIfAbsent(listed.element().pk(), _ -> new HashSet<>())
            .add(listed.element().tuple());
      }
      return waiting;
    }
  }
}
