package dev.veridex.search.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.veridex.TestDomain;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How fresh answers are beside a writer who never stops: nothing moves towards the index but by
/// the test, and no search waits.
final class FreshnessTest {
  @TempDir private Path folder;
  private final MutableClock clock = MutableClock.daysAgo(0);
  private SearchWorld world;

  @BeforeEach
  void open() {
    world =
        new SearchWorld(
            SearchWorld.inMemory(clock), folder, SearchWorld.settings(Optional.empty()), 1);
    world.receive(List.of());
    // The index is made, and has caught up with nothing.
    accept("first");
    publish();
    index();
  }

  @AfterEach
  void close() {
    world.close();
  }

  private Revision accept(String pk) {
    clock.advance(Duration.ofMillis(1));
    var received =
        world
            .domain
            .documents()
            .receiver()
            .receive(world.actor(), TestDomain.ACME, SearchWorld.BUCKET, List.of(document(pk)));
    assertThat(received.results().getFirst().status()).isEqualTo("ACK");
    return received.revision();
  }

  private static DocumentInput document(String pk) {
    return DocumentJson.read(
        SearchWorld.node(
            "{'pk':'%s','epoch':1,'version':1,'modifiedAt':'2026-01-01T00:00:00Z','action':'UPSERT','fields':{'title':'some words'}}"
                .formatted(pk)));
  }

  private void publish() {
    while (world.domain.documents().publishers().runOnce()) {}
  }

  private void index() {
    while (world.indexers.runAll()) {}
  }

  private SearchAnswer search(Revision atLeast) {
    SearchRequest request = SearchModelTest.everything(100, world.store.seal().seal(atLeast));
    return world.search.search(world.actor(), TestDomain.ACME, SearchWorld.BUCKET, request);
  }

  private static List<String> pks(SearchAnswer answered) {
    return answered.hits().stream().map(hit -> hit.found().pk()).toList();
  }

  @Test
  void aSearchWaitsForTheRevisionThatItNamesAndForNothingLater() {
    for (int i = 0; i < 20; i++) {
      Revision indexed = accept("indexed-" + i);
      publish();
      Revision pending = accept("pending-" + i);
      index();
      SearchAnswer answered = search(indexed);
      assertThat(pks(answered)).contains("indexed-" + i).doesNotContain("pending-" + i);
      assertThat(pks(search(answered.revision())))
          .as("the revision of an answer is never waited for")
          .contains("indexed-" + i);
      assertThatExceptionOfType(VeridexException.class)
          .isThrownBy(() -> search(pending))
          .extracting(VeridexException::code)
          .isEqualTo(ErrorCode.NOT_YET_FRESH);
    }
  }

  /// What was accepted before a backlog is not waited for until all of the backlog is applied.
  @Test
  void whatIsIndexedIsFreshHoweverMuchWaitsBehindIt() {
    Revision early = accept("early");
    publish();
    List<Revision> later = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      pass();
      later.add(acceptMany(i * 100, 100));
      publish();
    }
    int passes = 0;
    int waited = 0;
    while (world.indexers.runAll()) {
      pass();
      passes++;
      waited += isFresh(early) && !isFresh(later.getLast()) ? 1 : 0;
    }
    assertThat(passes).as("so much that it takes several passes").isGreaterThan(3);
    assertThat(waited).as("fresh for the early one before the last is there").isGreaterThan(1);
    assertThat(isFresh(later.getLast())).isTrue();
  }

  private void pass() {
    world.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
  }

  private boolean isFresh(Revision revision) {
    try {
      return !search(revision).hits().isEmpty();
    } catch (VeridexException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.NOT_YET_FRESH);
      return false;
    }
  }

  private Revision acceptMany(int from, int count) {
    clock.advance(Duration.ofMillis(1));
    List<DocumentInput> inputs =
        IntStream.range(from, from + count)
            .<DocumentInput>mapToObj(number -> document("many-" + number))
            .toList();
    return world
        .domain
        .documents()
        .receiver()
        .receive(world.actor(), TestDomain.ACME, SearchWorld.BUCKET, inputs)
        .revision();
  }

  @Test
  void aRevisionOfSomethingElseIsNotWaitedForWhereNothingIsPending() {
    world.bucket("other", SearchWorld.settings(Optional.empty()));
    Revision elsewhere = world.store.revision();
    assertThat(pks(search(elsewhere))).containsExactly("first");
    assertThat(search(elsewhere).revision().sequence())
        .isGreaterThanOrEqualTo(elsewhere.sequence());
  }
}
