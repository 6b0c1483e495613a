package dev.veridex.search.indexing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.TestDomain;
import dev.veridex.access.statement.Message;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.common.VersionTuple;
import dev.veridex.common.Waiting;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.identity.Caller;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import dev.veridex.store.Snapshot;
import dev.veridex.tenancy.Account;
import dev.veridex.topic.DelegatingTopics;
import dev.veridex.topic.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/// How indexes are kept up to date.
final class IndexerPoolTest extends IndexerWorld {
  /// The schema must be as new as what was read: else names that it lacks would be lost.
  @Test
  void aNameThatSettlesWhileTheTopicIsReadIsIndexed() {
    receive("a", "first");
    assertThat(held()).containsExactly(Map.entry("a", "first"));
    boolean[] once = {true};
    indexers.stop();
    indexers =
        feed(
            new DelegatingTopics(domain.documents().topics()) {
              @Override
              public List<Message> read(
                  IndexGeneration topic, int partition, long after, int limit, long maxBytes) {
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
    indexers.stop();
    receive("b", "x");
    clock.advance(KEPT.multipliedBy(2));
    receive("c", "x");
    indexers = feed(domain.documents().topics());
    assertThat(held()).containsOnlyKeys("a", "b", "c");
  }

  @Test
  void anIndexThatComesBackInTimeReadsOn() {
    receive("a", "x");
    assertThat(held()).containsOnlyKeys("a");
    indexers.stop();
    receive("b", "x");
    clock.advance(KEPT.minus(Duration.ofHours(4)));
    receive("c", "x");
    indexers = feed(domain.documents().topics());
    indexers.runAll();
    assertThat(indexers.building(generation())).as("not from the registry").isEmpty();
    assertThat(indexers.startProgress()).as("from the topic").isPresent();
    assertThat(held()).containsOnlyKeys("a", "b", "c");
  }

  @Test
  void anIndexThatASearchFindsDamagedIsMadeAnew() {
    receive("a", "x");
    assertThat(held()).containsOnlyKeys("a");
    DamagedIndexes damaged = new DamagedIndexes(indexes);
    indexers.stop();
    indexers = feed(domain.documents().topics(), damaged);
    assertThat(held()).containsOnlyKeys("a");
    FreshView seen = indexers.look(generation());
    seen.view().close();
    damaged.damage();
    indexers.reportDamage(seen.source());
    assertThat(held()).containsOnlyKeys("a");
    assertThat(damaged.dropped()).isEqualTo(1);
    receive("b", "x");
    assertThat(held()).containsOnlyKeys("a", "b");

    // A cursor that still looks at the old one does not make the new one go.
    damaged.damage();
    indexers.reportDamage(seen.source());
    indexers.requestDamageScan(seen.source());
    assertThat(held()).containsOnlyKeys("a", "b");
    assertThat(damaged.dropped()).as("the healthy one stays").isEqualTo(1);
  }

  @Test
  void anIndexThatIsBeingMadeSaysHowMuchIsDone() {
    List<DocumentInput> documents = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      documents.add(document("d" + i, "x"));
    }
    receive(documents);
    indexers.runAll();
    assertThat(indexers.building(generation()).orElseThrow()).isZero();
    indexers.runAll();
    double done = indexers.building(generation()).orElseThrow();
    assertThat(done).isBetween(0.5, 0.8);
    assertThatThrownBy(() -> indexers.index(generation()).view(Duration.ZERO))
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
    indexers.stop();
    indexers = feed(domain.documents().topics(), new RefusingIndexes(indexes, "bad field"));
    receive("bad", "good field");
    receive("other", "good field");
    assertThat(held()).containsOnlyKeys("bad", "other");
    List<DocumentInput> documents = new ArrayList<>(List.of(document("bad", "bad field")));
    for (int i = 0; i < 300; i++) {
      documents.add(document("d" + i, "good field"));
    }
    receive(documents);
    assertThat(held()).hasSize(301).doesNotContainKey("bad");
    assertThat(indexers.refused()).isEqualTo(1);
    assertThat(drift()).hasSize(1).allMatch(drift -> drift.contains("it lacks bad"));
    assertThat(failed()).containsExactly("bad INDEX_REFUSED: this cannot be indexed, 1");

    // The same comes again after a crash.
    indexes.crash();
    indexers = feed(domain.documents().topics(), new RefusingIndexes(indexes, "bad field"));
    assertThat(held()).hasSize(301);
    assertThat(failed()).as("once").containsExactly("bad INDEX_REFUSED: this cannot be indexed, 1");
    assertThat(failedByNow()).containsExactly("bad");

    clock.advance(Duration.ofMinutes(1));
    send();
    assertThat(held()).hasSize(301);
    assertThat(failed()).containsExactly("bad INDEX_REFUSED: this cannot be indexed, 2");

    indexers.stop();
    indexers = feed(domain.documents().topics(), indexes);
    assertThat(held()).hasSize(301);
    clock.advance(Duration.ofMinutes(1));
    send();
    assertThat(failed()).as("it is on its way").isEmpty();
    assertThat(failedByNow()).as("and named until it is there").containsExactly("bad");
    assertThat(held()).as("whatever was the matter is over").hasSize(302).containsKey("bad");
    assertThat(failedByNow()).isEmpty();
    assertThat(drift()).isEmpty();
  }

  @Test
  void whatIsDeadIsNamedToo() {
    indexers.stop();
    indexers = feed(domain.documents().topics(), new RefusingIndexes(indexes, "bad field"));
    receive("bad", "bad field");
    for (int attempt = 0; attempt < 12; attempt++) {
      assertThat(held()).isEmpty();
      clock.advance(Duration.ofMinutes(10));
      send();
    }
    assertThat(failed()).as("it is not tried again").isEmpty();
    assertThat(failedByNow()).containsExactly("bad");
    Instant before = clock.instant();
    clock.advance(Duration.ofSeconds(1));
    receive("worse", "bad field");
    assertThat(held()).isEmpty();
    assertThat(failedBy(before)).as("not what came later").containsExactly("bad");
    assertThat(failedByNow()).containsExactlyInAnyOrder("bad", "worse");
  }

  /// Who puts it back believes that it is on its way, and not that it is there.
  @Test
  void whatIsPutBackIsNamedUntilItIsThere() {
    indexers.stop();
    indexers = feed(domain.documents().topics(), new RefusingIndexes(indexes, "bad field"));
    receive("bad", "bad field");
    for (int attempt = 0; attempt < 12; attempt++) {
      assertThat(held()).isEmpty();
      clock.advance(Duration.ofMinutes(10));
      send();
    }
    assertThat(failed()).as("it is dead").isEmpty();
    indexers.stop();
    indexers = feed(domain.documents().topics(), indexes);
    assertThat(held()).isEmpty();

    domain
        .documents()
        .queues()
        .requeue(Caller.of(root), TestDomain.ACME, "offers", "dead", Optional.empty());
    assertThat(failedByNow()).as("nothing has happened yet").containsExactly("bad");
    clock.advance(Duration.ofSeconds(2));
    send();
    assertThat(failedByNow()).as("it is sent").containsExactly("bad");
    assertThat(held()).containsOnlyKeys("bad");
    assertThat(failedByNow()).as("it is there").isEmpty();
  }

  /// A newer state does not make it true that the older one was found.
  @Test
  void whatWasReplacedAfterwardsIsNamedInEarlierAnswers() {
    indexers.stop();
    indexers = feed(domain.documents().topics(), new RefusingIndexes(indexes, "bad field"));
    receive("bad", "bad field");
    assertThat(held()).isEmpty();
    Instant before = clock.instant();
    clock.advance(Duration.ofSeconds(1));
    domain
        .documents()
        .receiver()
        .receive(actor(), TestDomain.ACME, "offers", List.of(document("bad", "good field")));
    assertThat(failedBy(before)).containsExactly("bad");
    send();
    assertThat(held()).containsOnlyKeys("bad");
    assertThat(failedByNow()).isEmpty();
  }

  /// Damage that the reader takes for something else keeps nobody waiting for ever.
  @Test
  void damageThatTheFeedingThreadStumblesOverIsFound() {
    receive("a", "x");
    assertThat(held()).containsOnlyKeys("a");
    DamagedIndexes damaged = new DamagedIndexes(indexes);
    indexers.stop();
    indexers = feed(domain.documents().topics(), damaged);
    receive("b", "x");
    damaged.damage();
    assertThat(held()).containsOnlyKeys("a", "b");
    assertThat(damaged.dropped()).isEqualTo(1);
  }

  @Test
  void whatIsNotPublishedYetIsNoPartOfWhatIsDone() {
    receive("a", "x");
    assertThat(held()).containsOnlyKeys("a");
    indexers.stop();
    domain
        .documents()
        .receiver()
        .receive(actor(), TestDomain.ACME, "offers", List.of(document("b", "x")));
    indexers = feed(domain.documents().topics());
    indexers.runAll();
    indexers.runAll();
    assertThatThrownBy(() -> indexers.index(generation()).view(Duration.ZERO))
        .asInstanceOf(InstanceOfAssertFactories.type(VeridexException.class))
        .extracting(VeridexException::problem)
        .extracting(Problem::code, problem -> problem.values().get("percent"))
        .containsExactly(ErrorCode.INDEX_BUILDING, "50");
    assertThat(indexers.startProgress().orElseThrow().percent()).isEqualTo(50);
    send();
    assertThat(held()).containsOnlyKeys("a", "b");
    assertThat(indexers.startProgress()).isEmpty();
  }

  /// An index that takes long with a piece of work keeps no other one waiting for the next one.
  @Test
  void aSlowIndexHoldsUpNoOther() throws InterruptedException {
    bucket("other");
    receive(List.of(document("a", "x")));
    receive("other", List.of(document("b", "x")));
    indexers.stop();
    CountDownLatch released = new CountDownLatch(1);
    CountDownLatch slow = new CountDownLatch(1);
    IndexGeneration first = generation();
    Topics topics =
        new DelegatingTopics(domain.documents().topics()) {
          @Override
          public List<Message> read(
              IndexGeneration topic, int partition, long after, int limit, long maxBytes) {
            if (topic.equals(first)) {
              slow.countDown();
              await(released);
            }
            return super.read(topic, partition, after, limit, maxBytes);
          }
        };
    try (ExecutorService workers = Executors.newFixedThreadPool(2)) {
      indexers = feed(topics, indexes, workers);
      for (String pk : List.of("c", "d", "e")) {
        receive("other", List.of(document(pk, "x")));
        Waiting.until("the other index", () -> isFed("other", pk));
      }
      assertThat(slow.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(released.getCount()).as("all that time the first one is at work").isOne();
      released.countDown();
      Waiting.until("the first index", () -> isFed("offers", "a"));
      indexers.stop();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(60, TimeUnit.SECONDS)) {
        throw new AssertionError("nobody let it go on");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private boolean isFed(String bucket, String pk) {
    boolean _ = indexers.runAll();
    try (IndexView view = indexers.view(generation(bucket))) {
      return !view.find(List.of(pk), clock.instant()).isEmpty()
          && view.find(List.of(pk), clock.instant()).getFirst().isPresent();
    } catch (VeridexException e) {
      return false;
    }
  }

  /// What waits among the failed elements: key, error and attempts.
  private List<String> failed() {
    return domain
        .documents()
        .queues()
        .elements(actor(), TestDomain.ACME, "offers", "failed", Optional.empty(), 0, 100)
        .stream()
        .map(
            each ->
                each.element().pk()
                    + " "
                    + each.element().trouble().lastError()
                    + ", "
                    + each.element().trouble().attempts())
        .toList();
  }

  private List<String> failedByNow() {
    return failedBy(clock.instant());
  }

  private List<String> failedBy(Instant until) {
    FreshView seen = indexers.index(generation()).view(Duration.ZERO);
    try (Snapshot snapshot = store.snapshot();
        IndexView _ = seen.view()) {
      return domain
          .documents()
          .generations()
          .failed(snapshot, generation(), seen.asOf(), until, 10, _ -> true);
    }
  }

  @Test
  void whatTheRegistryDoesNotSayIsFoundByTheCheck() {
    receive("lost", "x");
    receive("other", "x");
    receive("good", "x");
    held();
    assertThat(drift()).isEmpty();
    List<VersionTuple> tuples;
    try (IndexView view = indexers.view(generation())) {
      tuples =
          view.find(List.of("lost", "other"), clock.instant()).stream()
              .map(each -> each.orElseThrow().tuple())
              .toList();
    }
    indexers.stop();
    Schema schema =
        Schema.EMPTY.with(Map.of("x", Schema.Field.found(FieldKind.NUMBER, false)), Map.of());
    try (SearchIndex index = indexes.open(generation().storageName())) {
      index.apply(
          schema,
          List.of(
              new IndexChange("lost", tuples.getFirst(), Optional.empty(), Optional.empty()),
              change("other", tuples.getLast()),
              change("ghost", new VersionTuple(1, 1, 1))));
      index.commit(index.committed().orElseThrow());
    }
    indexers = feed(domain.documents().topics());
    held();
    assertThat(drift())
        .hasSize(3)
        .anyMatch(drift -> drift.contains("it lacks lost"))
        .anyMatch(drift -> drift.contains("it has another other"))
        .anyMatch(drift -> drift.contains("it has ghost, which was never accepted"));
  }

  private static IndexChange change(String pk, VersionTuple tuple) {
    RawDocument document =
        RawDocument.newBuilder()
            .setPk(pk)
            .addFields(Field.newBuilder().setName("x").addValues(Value.newBuilder().setInteger(7)))
            .build();
    return new IndexChange(
        pk,
        tuple,
        Optional.of(new IndexChange.Entry(document, Optional.empty(), List.of(pk))),
        Optional.empty());
  }

  /// The index forgets a deletion when the registry does, not earlier and not later.
  @Test
  void tombstonesEndInTheIndexWhenTheyEndInTheRegistry() {
    receive(List.of(document("a", "x"), deletion("a")));
    assertThat(held()).isEmpty();
    clock.advance(DocumentSettings.USUAL.tombstoneRetention().orElseThrow().minusSeconds(1));
    assertThat(takesAnOlderStateOf("a")).isFalse();
    clock.advance(Duration.ofMinutes(2));
    assertThat(takesAnOlderStateOf("a")).isTrue();
  }

  private boolean takesAnOlderStateOf(String pk) {
    held();
    indexers.stop();
    Schema schema =
        Schema.EMPTY.with(Map.of("x", Schema.Field.found(FieldKind.NUMBER, false)), Map.of());
    boolean taken;
    try (SearchIndex index = indexes.open(generation().storageName())) {
      index.apply(schema, List.of(change(pk, new VersionTuple(1, 1, 1))));
      index.refresh();
      try (IndexView view = index.view()) {
        taken = view.find(List.of(pk), clock.instant()).getFirst().isPresent();
      }
    }
    indexers = feed(domain.documents().topics());
    return taken;
  }

  /// What expires while the check is at work is not missing.
  @Test
  void whatExpiresMeanwhileIsNotMissed() {
    receive("a", "x");
    held();
    boolean[] armed = {false};
    indexers.stop();
    indexers =
        feed(
            new DelegatingTopics(domain.documents().topics()) {
              @Override
              public long last(IndexGeneration topic, int partition) {
                if (armed[0]) {
                  armed[0] = false;
                  clock.advance(Duration.ofMinutes(2));
                  while (indexers.runAll()) {}
                }
                return super.last(topic, partition);
              }
            });
    DocumentInput.Parsed lasting = (DocumentInput.Parsed) document("ends", "x");
    RawDocument document = lasting.document().toBuilder().setTtl(60).build();
    receive(List.of(new DocumentInput.Parsed(document, List.of())));
    assertThat(held()).containsOnlyKeys("a", "ends");
    armed[0] = true;
    // The index is not known to be as new as this.
    domain
        .tenancy()
        .accounts()
        .put(root, "other", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    assertThat(drift()).isEmpty();
    assertThat(armed[0]).isFalse();
    assertThat(held()).containsOnlyKeys("a");
  }

  /// A busy index is not one that is behind.
  @Test
  void anIndexThatIsNeverIdleStaysWhatItIs() {
    receive("a", "x");
    held();
    for (int hour = 0; hour < 30; hour++) {
      clock.advance(Duration.ofHours(1));
      receive("n" + hour, "x");
      indexers.runAll();
      assertThat(indexers.building(generation())).isEmpty();
      assertThat(indexers.visibleState(generation()).offsets()).isNotEmpty();
    }
    assertThat(held()).hasSize(31);
  }

  /// A long idle time is not a long lag.
  @Test
  void anIdleIndexStaysWhatItIs() {
    receive("a", "x");
    assertThat(held()).containsOnlyKeys("a");
    for (int hour = 0; hour < 60; hour++) {
      clock.advance(Duration.ofHours(1));
      while (indexers.runAll()) {}
      assertThat(indexers.building(generation())).isEmpty();
    }
    assertThat(held()).containsOnlyKeys("a");
  }
}
