package dev.veridex.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Timestamp;
import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.accounts.Account;
import dev.veridex.accounts.Caller;
import dev.veridex.accounts.Token;
import dev.veridex.buckets.Asking;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.Generation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Problem;
import dev.veridex.common.Tuple;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.DocumentInput;
import dev.veridex.index.Change;
import dev.veridex.index.FieldType;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexes;
import dev.veridex.index.lucene.CrashingIndexes;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import dev.veridex.store.Snapshot;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.topic.DelegatingTopics;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// How indexes are kept up to date, with a clock and disks that the test owns.
final class FeedTest {
  private static final Duration KEPT = Duration.ofDays(1);

  private final MutableClock clock = MutableClock.daysAgo(0);
  private final MemoryStore store =
      new MemoryStore(
          new MemoryDisk(new Random(1)), clock, Duration.ofHours(1), Duration.ofDays(7));
  private final CrashingIndexes indexes = new CrashingIndexes(new Random(1));
  private final Random random = new Random(7);
  private final Domain domain =
      Domain.on(
          store,
          new Domain.Parts(random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
  private final Token root = domain.tokens().adoptRoot("the root secret of this test");
  private Feed feed = feed(domain.topics());
  private int versions;

  @BeforeEach
  void arrange() {
    domain.accounts().put(root, "acme", Account.Wanted.PLAIN, Optional.empty(), Optional.empty());
    domain
        .buckets()
        .put(
            Caller.of(root),
            TestDomain.ACME,
            "offers",
            "documents",
            Bucket.Wanted.PLAIN.settling(DocumentSettings.USUAL),
            Optional.empty(),
            Optional.empty());
  }

  @AfterEach
  void close() {
    feed.stop();
    store.close();
  }

  private Feed feed(Topics topics) {
    return feed(topics, indexes);
  }

  private Feed feed(Topics topics, SearchIndexes kept) {
    return new Feed(
        store, domain.documents().generations(), topics, kept, domain.arrivals(), KEPT, () -> 0);
  }

  private Generation generation() {
    try (Snapshot snapshot = store.snapshot()) {
      Directory.Found found =
          domain.directory().find(snapshot, TestDomain.ACME, "offers").orElseThrow();
      return new Generation(found.data(found.bucket().side()), 1);
    }
  }

  private DocumentInput document(String pk, String field) {
    RawDocument document =
        RawDocument.newBuilder()
            .setPk(pk)
            .setEpoch(1)
            .setVersion(++versions)
            .setModifiedAt(Timestamp.newBuilder().setSeconds(clock.instant().getEpochSecond()))
            .setAction(Action.UPSERT)
            .addFields(
                Field.newBuilder().setName(field).addValues(Value.newBuilder().setInteger(1)))
            .build();
    return new DocumentInput.Read(document, List.of());
  }

  private void receive(String pk, String field) {
    receive(List.of(document(pk, field)));
  }

  private void receive(List<DocumentInput> documents) {
    domain
        .documents()
        .receiver()
        .receive(
            new Asking(Caller.of(root), Optional.empty()), TestDomain.ACME, "offers", documents);
    while (domain.documents().indexers().runOnce()) {}
  }

  private Map<String, String> held() {
    while (feed.runAll()) {}
    Map<String, String> held = new TreeMap<>();
    try (IndexView view = feed.view(generation())) {
      view.each(
          clock.instant(), each -> held.put(each.pk(), each.document().getFields(0).getName()));
    }
    return held;
  }

  /// The schema must be as new as what was read: else names that it lacks would be lost.
  @Test
  void aNameThatSettlesWhileTheTopicIsReadIsIndexed() {
    receive("a", "first");
    assertThat(held()).containsExactly(Map.entry("a", "first"));
    boolean[] once = {true};
    feed.stop();
    feed =
        feed(
            new DelegatingTopics(domain.topics()) {
              @Override
              public List<Message> read(
                  Generation topic, int partition, long after, int limit, long maxBytes) {
                if (once[0]) {
                  once[0] = false;
                  receive("b", "second");
                }
                return super.read(topic, partition, after, limit, maxBytes);
              }
            });
    clock.advance(Duration.ofSeconds(10));
    assertThat(held()).containsExactly(Map.entry("a", "first"), Map.entry("b", "second"));
  }

  /// What the topic had for it is gone: only the registry knows everything.
  @Test
  void anIndexThatComesBackTooLateIsMadeAnew() {
    receive("a", "x");
    assertThat(held()).containsOnlyKeys("a");
    feed.stop();
    receive("b", "x");
    clock.advance(KEPT.multipliedBy(2));
    receive("c", "x");
    feed = feed(domain.topics());
    assertThat(held()).containsOnlyKeys("a", "b", "c");
  }

  @Test
  void anIndexThatASearchFindsDamagedIsMadeAnew() {
    receive("a", "x");
    assertThat(held()).containsOnlyKeys("a");
    feed.suspect(generation());
    assertThat(held()).containsOnlyKeys("a");
    receive("b", "x");
    assertThat(held()).containsOnlyKeys("a", "b");
  }

  @Test
  void anIndexThatIsBeingMadeSaysHowMuchIsDone() {
    List<DocumentInput> documents = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      documents.add(document("d" + i, "x"));
    }
    receive(documents);
    feed.runAll();
    assertThat(feed.building(generation()).orElseThrow()).isZero();
    feed.runAll();
    double done = feed.building(generation()).orElseThrow();
    assertThat(done).isBetween(0.5, 0.8);
    assertThatThrownBy(() -> feed.index(generation()).view(Duration.ZERO))
        .asInstanceOf(InstanceOfAssertFactories.type(VeridexException.class))
        .extracting(VeridexException::problem)
        .extracting(Problem::code, problem -> problem.values().get("percent"))
        .containsExactly(ErrorCode.INDEX_BUILDING, Integer.toString((int) (100 * done)));
    assertThat(held()).hasSize(1500);
  }

  /// A document that the index does not take costs neither its neighbours nor the truth: what it
  /// replaces is not found any more.
  @Test
  void whatTheIndexDoesNotTakeIsHiddenAlone() {
    feed.stop();
    feed = feed(domain.topics(), new RefusingIndexes(indexes, "bad field"));
    receive("bad", "good field");
    receive("other", "good field");
    assertThat(held()).containsOnlyKeys("bad", "other");
    List<DocumentInput> documents = new ArrayList<>(List.of(document("bad", "bad field")));
    for (int i = 0; i < 300; i++) {
      documents.add(document("d" + i, "good field"));
    }
    receive(documents);
    assertThat(held()).hasSize(301).doesNotContainKey("bad");
    assertThat(feed.refused()).isEqualTo(1);
    assertThat(drift()).hasSize(1).allMatch(drift -> drift.contains("it lacks bad"));
  }

  private List<String> drift() {
    return new SearchCheck(store, domain.documents().generations(), feed).run(_ -> {}).drift();
  }

  @Test
  void whatTheRegistryDoesNotSayIsFoundByTheCheck() {
    receive("lost", "x");
    receive("other", "x");
    receive("good", "x");
    held();
    assertThat(drift()).isEmpty();
    List<Tuple> tuples;
    try (IndexView view = feed.view(generation())) {
      tuples =
          view.find(List.of("lost", "other"), clock.instant()).stream()
              .map(each -> each.orElseThrow().tuple())
              .toList();
    }
    feed.stop();
    Schema schema =
        Schema.EMPTY.with(Map.of("x", Schema.Field.found(FieldType.NUMBER, false)), Map.of());
    try (SearchIndex index = indexes.open(generation().storageName())) {
      index.apply(
          schema,
          List.of(
              new Change("lost", tuples.getFirst(), Optional.empty(), Optional.empty()),
              change("other", tuples.getLast()),
              change("ghost", new Tuple(1, 1, 1))));
      index.commit(index.committed().orElseThrow());
    }
    feed = feed(domain.topics());
    held();
    assertThat(drift())
        .hasSize(3)
        .anyMatch(drift -> drift.contains("it lacks lost"))
        .anyMatch(drift -> drift.contains("it has another other"))
        .anyMatch(drift -> drift.contains("it has ghost, which was never accepted"));
  }

  private static Change change(String pk, Tuple tuple) {
    RawDocument document =
        RawDocument.newBuilder()
            .setPk(pk)
            .addFields(Field.newBuilder().setName("x").addValues(Value.newBuilder().setInteger(7)))
            .build();
    return new Change(
        pk,
        tuple,
        Optional.of(new Change.Entry(document, Optional.empty(), List.of(pk))),
        Optional.empty());
  }

  /// A long idle time is not a long lag.
  @Test
  void anIdleIndexStaysWhatItIs() {
    receive("a", "x");
    assertThat(held()).containsOnlyKeys("a");
    for (int hour = 0; hour < 60; hour++) {
      clock.advance(Duration.ofHours(1));
      while (feed.runAll()) {}
      assertThat(feed.building(generation())).isEmpty();
    }
    assertThat(held()).containsOnlyKeys("a");
  }
}
