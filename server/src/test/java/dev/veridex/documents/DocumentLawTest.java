package dev.veridex.documents;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UnknownFieldSet;
import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.Converter;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.publish.PublishCounters;
import dev.veridex.documents.publish.Publishers;
import dev.veridex.documents.publish.ShardPublisher;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.documents.receive.ReceiveResult;
import dev.veridex.documents.registry.DocumentConversion;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registries;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.index.FieldKind;
import dev.veridex.index.Schema;
import dev.veridex.json.JsonText;
import dev.veridex.protocol.Embedding;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.Geo;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import dev.veridex.queue.LiveNodes;
import dev.veridex.quota.Quota;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.Account;
import dev.veridex.topic.DelegatingTopics;
import dev.veridex.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What must not make a difference makes none: batches, formats, what others do in between, time
/// that passes, one document that is unlike the others.
final class DocumentLawTest {
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final String BUCKET = "offers";

  private final MutableClock clock = MutableClock.daysAgo(0);
  private boolean ticks;
  private Store store;
  private Domain domain;
  private Token root;

  @BeforeEach
  void start() {
    store =
        new MemoryStore(
            new MemoryDisk(new Random(1)), this::now, Duration.ofHours(1), Duration.ofDays(7));
    Random random = new Random(2);
    domain =
        Domain.on(
            store,
            new Domain.Parts(
                random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
    root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    bucket(BUCKET, Map.of());
  }

  @AfterEach
  void stop() {
    store.close();
  }

  /// A clock on which time passes with every look, if it ticks.
  private Instant now() {
    if (ticks) {
      clock.advance(Duration.ofSeconds(1));
    }
    return clock.instant();
  }

  private void bucket(String name, Map<Quota, Long> quotas) {
    domain
        .buckets()
        .buckets()
        .put(
            Caller.of(root),
            ACME,
            name,
            "documents",
            new Bucket.Definition(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                quotas,
                Optional.empty(),
                Bucket.Placement.SHARED,
                DocumentSettings.USUAL.withShards(Optional.of(1))),
            Optional.empty(),
            Optional.empty());
  }

  private ActingCaller actor() {
    return new ActingCaller(Caller.of(root), Optional.empty());
  }

  private List<ReceiveResult> receive(String bucket, List<DocumentInput> inputs) {
    return domain.documents().receiver().receive(actor(), ACME, bucket, inputs).results();
  }

  private String receive(String json) {
    return receive(BUCKET, List.of(input(json))).getFirst().status();
  }

  private static DocumentInput input(String json) {
    return DocumentJson.read(
        JsonText.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
  }

  private String document(String pk, long epoch, long version, String fields, String more) {
    return "{'pk':'%s','epoch':%d,'version':%d,'modifiedAt':'%s','action':'UPSERT','fields':{%s}%s}"
        .formatted(pk, epoch, version, clock.instant(), fields, more);
  }

  private BucketLocation location() {
    try (Snapshot snapshot = store.snapshot()) {
      BucketLookup.LocatedBucket found =
          domain.buckets().lookup().find(snapshot, ACME, BUCKET).orElseThrow();
      return found.data(found.bucket().side());
    }
  }

  private ShardPublisher.Tools tools(Topics topics, Converter converter) {
    return new ShardPublisher.Tools(
        store,
        new Registries(domain.buckets().lookup(), Map.of()),
        new Epochs.Store(),
        topics,
        converter,
        new PublishCounters(),
        new Random(1));
  }

  private Publishers indexers(Topics topics, Converter converter) {
    return new Publishers(tools(topics, converter), new LiveNodes(store, "a node"), Runnable::run);
  }

  private void drain() {
    Publishers publishers = indexers(domain.documents().topics(), Converter.USUAL);
    while (publishers.runAll()) {}
    publishers.stop();
  }

  private List<IndexMessage> sent(long epoch) {
    return domain
        .documents()
        .topics()
        .read(new IndexGeneration(location(), epoch), 0, 0, Integer.MAX_VALUE, Long.MAX_VALUE)
        .stream()
        .map(Sink::parse)
        .toList();
  }

  /// Whoever misses a version in the index finds in the log why it was passed.
  @Test
  void aSupersededElementIsInTheDebugLog() {
    receive(document("a", 1, 1, "'n':1", ""));
    receive(document("a", 1, 2, "'n':2", ""));
    Logger logger = Logger.getLogger("dev.veridex.documents.publish.PublishBatch");
    List<String> told = new ArrayList<>();
    Handler handler =
        new StreamHandler() {
          @Override
          public void publish(LogRecord record) {
            told.add(record.getMessage());
          }
        };
    handler.setLevel(Level.ALL);
    logger.addHandler(handler);
    logger.setLevel(Level.FINE);
    try {
      drain();
    } finally {
      logger.removeHandler(handler);
      logger.setLevel(null);
    }
    assertThat(told).singleElement().asString().contains("superseded", "a, epoch 1, version 1");
  }

  /// Two buckets are published at the same time: neither waits for the other's topic.
  @Test
  void aSlowTopicHoldsUpNoOtherBucket() {
    bucket("other", Map.of());
    receive(document("a", 1, 1, "'n':1", ""));
    receive("other", List.of(input(document("b", 1, 1, "'n':1", ""))));
    CyclicBarrier together = new CyclicBarrier(2);
    Topics meeting =
        new Watched(domain.documents().topics()) {
          @Override
          void before(List<Outgoing> messages) {
            try {
              together.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
              throw new AssertionError("the other one is not sent meanwhile", e);
            }
          }
        };
    try (ExecutorService workers = Executors.newFixedThreadPool(2)) {
      Publishers publishers =
          new Publishers(tools(meeting, Converter.USUAL), new LiveNodes(store, "a node"), workers);
      assertThat(publishers.runAll()).isTrue();
      publishers.stop();
    }
    assertThat(sent(1)).hasSize(1);
  }

  private Optional<String> read(String pk) {
    try {
      return Optional.of(
          domain
              .documents()
              .reader()
              .read(actor(), ACME, BUCKET, pk)
              .json()
              .get("fields")
              .toString());
    } catch (VeridexException e) {
      return Optional.empty();
    }
  }

  @Test
  void whatHasExpiredNeverComesBack() {
    domain.documents().epochs().open(Caller.of(root), ACME, BUCKET, Optional.empty());
    receive(document("a", 1, 1, "'n':1", ""));
    receive(document("a", 2, 1, "'n':2", ",'ttl':3600"));
    assertThat(read("a")).contains("{\"n\":2}");
    clock.advance(Duration.ofHours(2));
    assertThat(read("a")).isEmpty();
    clock.advance(Duration.ofDays(40));
    assertThat(read("a")).as("also when it could be forgotten").isEmpty();
  }

  @Test
  void whatHidesNothingIsForgottenInTime() {
    domain.documents().epochs().open(Caller.of(root), ACME, BUCKET, Optional.empty());
    receive(document("a", 1, 1, "'n':1", ",'ttl':3600"));
    clock.advance(Duration.ofHours(2));
    String late = document("a", 2, 1, "'n':2", "");
    assertThat(receive(document("a", 2, 2, "'n':2", "").replace("UPSERT", "DELETE")))
        .isEqualTo("ACK");
    assertThat(receive(late)).isEqualTo("STALE_DOCUMENT");
    clock.advance(Duration.ofDays(31));
    assertThat(receive(late)).as("nobody remembers").isEqualTo("ACK");
  }

  /// However time passes between two looks, nothing is decided about what was not looked up.
  @Test
  void theBorderOfTimeIsNoWayPastWhatIsKnown() {
    ticks = true;
    for (int seconds = 590; seconds < 640; seconds++) {
      String pk = "p" + seconds;
      receive(document(pk, 1, 5, "'n':1", ""));
      String ahead =
          document(pk, 1, 3, "'n':1", "")
              .replace(clock.instant().toString(), clock.instant().plusSeconds(seconds).toString());
      List<ReceiveResult> results =
          receive(
              BUCKET,
              List.of(
                  input(document("other", 1, seconds, "'f" + seconds + "':1", "")), input(ahead)));
      assertThat(results.get(1).status()).isIn("STALE_DOCUMENT", "BAD_TIMESTAMP");
    }
  }

  @Test
  void aRefusedDocumentSettlesNothing() {
    bucket("small", Map.of(Quota.DOCUMENTS, 1L));
    List<ReceiveResult> results =
        receive(
            "small",
            List.of(
                input(document("a", 1, 1, "'n':1", "")),
                input(document("b", 1, 1, "'refused':'x'", "")),
                input(document("a", 1, 2, "'refused':5", ""))));
    assertThat(results.stream().map(ReceiveResult::status))
        .containsExactly("ACK", "QUOTA_EXCEEDED", "ACK");
  }

  /// In one commit or each alone: the same answers, the same schema.
  @Test
  @Tag("campaign")
  void batchesMakeNoDifference() {
    Campaign.DOCUMENTS_BATCHES.forEach(
        seed -> {
          Random random = new Random(seed);
          List<DocumentInput> inputs = new ArrayList<>();
          for (int i = 0; i < 15; i++) {
            String value = List.of("1", "'x'", "true", "[1,2]", "[]").get(random.nextInt(5));
            inputs.add(
                input(
                    document(
                        "pk" + random.nextInt(3),
                        1,
                        random.nextInt(4),
                        "'f%d':%s".formatted(random.nextInt(3), value),
                        random.nextInt(4) == 0 ? ",'embeddings':{'f1':[1]}" : "")));
          }
          bucket("alone" + seed, Map.of());
          bucket("together" + seed, Map.of());
          List<ReceiveResult> alone = new ArrayList<>();
          inputs.forEach(input -> alone.addAll(receive("alone" + seed, List.of(input))));
          assertThat(receive("together" + seed, inputs)).isEqualTo(alone);
          assertThat(schema("together" + seed)).isEqualTo(schema("alone" + seed));
        });
  }

  private Schema schema(String bucket) {
    return domain.documents().epochs().epochs(actor(), ACME, bucket).serving().schema();
  }

  /// What an earlier epoch settles later does not change what later documents are in it.
  @Test
  void aRebuildSendsTheSameAgainWhateverWasSettledSince() {
    receive(document("q", 1, 1, "'a':1", ""));
    domain.documents().epochs().open(Caller.of(root), ACME, BUCKET, Optional.empty());
    receive(document("p", 2, 1, "'a':1,'b':'two','c':'odd'", ""));
    drain();
    receive(document("r", 1, 1, "'b':1", ""));
    receive(document("s", 1, 1, "'c':[1,2]", ""));
    drain();
    List<IndexMessage> before = newest("p");
    TestDomain.rebuild(domain, Caller.of(root), ACME, BUCKET);
    drain();
    assertThat(newest("p")).isEqualTo(before);
    assertThat(before.getFirst().getDocument().getFieldsList().stream().map(Field::getName))
        .containsExactly("a");
  }

  private List<IndexMessage> newest(String pk) {
    Map<Long, IndexMessage> newest = new HashMap<>();
    for (long epoch = 1; epoch <= 2; epoch++) {
      for (IndexMessage message : sent(epoch)) {
        if (message.getPk().equals(pk)) {
          newest.put(epoch, message);
        }
      }
    }
    return List.of(newest.get(1L), newest.get(2L));
  }

  @Test
  void saysTheSameHoweverItIsWritten() {
    RawDocument.Builder document = RawDocument.newBuilder();
    List<List<Value>> same =
        List.of(
            List.of(
                Value.newBuilder().setInteger(1_000_000_000_000_000_000L).build(),
                Value.newBuilder().setDecimal(1e18).build()),
            List.of(
                Value.newBuilder().setDecimal(-0.0).build(),
                Value.newBuilder().setInteger(0).build()),
            List.of(
                Value.newBuilder().setText("x").build(),
                Value.newBuilder()
                    .setText("x")
                    .setUnknownFields(
                        UnknownFieldSet.newBuilder()
                            .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                            .build())
                    .build()));
    for (List<Value> pair : same) {
      assertThat(hash(document, pair.get(0))).isEqualTo(hash(document, pair.get(1)));
    }
    Schema places =
        Schema.EMPTY.with(Map.of("f", Schema.Field.found(FieldKind.GEO, false)), Map.of());
    assertThat(hash(document, place(0.0), places)).isEqualTo(hash(document, place(-0.0), places));
    assertThat(
            DocumentConversion.settling(
                    document.clone().addEmbeddings(embedding(0.0f)).build(), Schema.EMPTY)
                .hash())
        .isEqualTo(
            DocumentConversion.settling(
                    document.clone().addEmbeddings(embedding(-0.0f)).build(), Schema.EMPTY)
                .hash());
  }

  private static Value place(double latitude) {
    return Value.newBuilder().setGeo(Geo.newBuilder().setLatitude(latitude)).build();
  }

  private static Embedding embedding(float number) {
    return Embedding.newBuilder().setName("v").addValues(number).build();
  }

  private static byte[] hash(RawDocument.Builder document, Value value) {
    return hash(document, value, Schema.EMPTY);
  }

  private static byte[] hash(RawDocument.Builder document, Value value, Schema schema) {
    return DocumentConversion.settling(
            document.clone().addFields(Field.newBuilder().setName("f").addValues(value)).build(),
            schema)
        .hash();
  }

  /// Documents that are small when packed and large when sent.
  @Test
  void manyLargeDocumentsAreSentInSmallBatches() {
    String large = "'text':'" + "x".repeat(3 << 20) + "'";
    for (int i = 0; i < 30; i++) {
      assertThat(receive(document("d" + i, 1, 1, large, ""))).isEqualTo("ACK");
    }
    List<Long> sizes = new ArrayList<>();
    Publishers publishers =
        indexers(
            new Watched(domain.documents().topics()) {
              @Override
              void before(List<Outgoing> messages) {
                sizes.add(messages.stream().mapToLong(message -> message.value().length).sum());
              }
            },
            Converter.USUAL);
    while (publishers.runAll()) {}
    assertThat(sent(1)).hasSize(30);
    assertThat(sizes).allSatisfy(size -> assertThat(size).isLessThan(20L << 20));
  }

  @Test
  void aDocumentThatNobodyUnderstandsDelaysNobody() {
    List<String> pks = IntStream.range(0, 5).mapToObj(i -> "d" + i).toList();
    pks.forEach(pk -> receive(document(pk, 1, 1, "'n':1", "")));
    Publishers publishers =
        indexers(
            domain.documents().topics(),
            (document, schema, own) -> {
              if (document.getPk().equals("d0")) {
                throw new IllegalStateException("a fault");
              }
              return Converter.USUAL.convert(document, schema, own);
            });
    while (publishers.runAll()) {}
    assertThat(sent(1).stream().filter(IndexMessage::hasDocument).map(IndexMessage::getPk))
        .containsExactlyInAnyOrder("d1", "d2", "d3", "d4");
    assertThat(sent(1).stream().filter(message -> !message.hasDocument()))
        .as("what was there before must not be taken for it")
        .extracting(IndexMessage::getPk)
        .containsExactly("d0");
    assertThat(
            domain
                .documents()
                .queues()
                .elements(actor(), ACME, BUCKET, DocumentQueues.FAILED, Optional.empty(), 0, 9))
        .singleElement()
        .satisfies(
            listed -> assertThat(listed.element().trouble().lastError()).contains("a fault"));
  }

  /// One that the topic refuses for good fails alone.
  @Test
  void aDocumentThatTheTopicRefusesDelaysNobody() {
    List<String> pks = IntStream.range(0, 9).mapToObj(i -> "d" + i).toList();
    pks.forEach(pk -> receive(document(pk, 1, 1, "'n':1", "")));
    Publishers publishers =
        indexers(
            new Watched(domain.documents().topics()) {
              @Override
              void before(List<Outgoing> messages) {
                if (messages.stream().anyMatch(message -> message.key().equals("d4"))) {
                  throw new VeridexException(Problem.of(ErrorCode.TOO_LARGE, "not this one"));
                }
              }
            },
            Converter.USUAL);
    while (publishers.runAll()) {}
    assertThat(sent(1).stream().map(IndexMessage::getPk))
        .containsExactly("d0", "d1", "d2", "d3", "d5", "d6", "d7", "d8");
  }

  @Test
  void aTopicThatWasAwayIsTriedAgainSoon() {
    receive(document("a", 1, 1, "'n':1", ""));
    boolean[] away = {true};
    Publishers publishers =
        indexers(
            new Watched(domain.documents().topics()) {
              @Override
              void before(List<Outgoing> messages) {
                if (away[0]) {
                  throw new VeridexException(Problem.of(ErrorCode.UNAVAILABLE, "away"));
                }
              }
            },
            Converter.USUAL);
    publishers.runAll();
    away[0] = false;
    assertThat(sent(1)).isEmpty();
    clock.advance(Duration.ofMillis(1100));
    publishers.runAll();
    assertThat(sent(1)).hasSize(1);
  }

  /// Topics that somebody watches.
  private abstract static class Watched extends DelegatingTopics {
    private Watched(Topics topics) {
      super(topics);
    }

    abstract void before(List<Outgoing> messages);

    @Override
    public void append(
        IndexGeneration topic, int partition, Producer producer, List<Outgoing> messages) {
      before(messages);
      super.append(topic, partition, producer, messages);
    }
  }
}
