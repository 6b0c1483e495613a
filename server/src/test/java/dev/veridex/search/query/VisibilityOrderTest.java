package dev.veridex.search.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.TestDomain;
import dev.veridex.access.AccessSnapshot;
import dev.veridex.common.MutableClock;
import dev.veridex.identity.Caller;
import dev.veridex.suite.Campaign;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What happens between two moments of a search.
final class VisibilityOrderTest {
  @TempDir private Path folder;
  private Runnable between = () -> {};

  private final MutableClock clock = MutableClock.daysAgo(0);

  private SearchWorld world() {
    return new SearchWorld(
        SearchWorld.inMemory(clock),
        folder.resolve("index"),
        SearchWorld.settings(Optional.empty()),
        2,
        domain ->
            (namespace, atLeast, explained) -> {
              AccessSnapshot access =
                  domain.access().visibility().open(namespace, atLeast, explained);
              Runnable now = between;
              between = () -> {};
              now.run();
              return access;
            });
  }

  private void put(SearchWorld world, int version, String title) {
    clock.advance(Duration.ofMillis(1));
    world.receive(
        List.of(
            SearchWorld.node(
                "{'pk':'d','epoch':1,'version':%d,'modifiedAt':'2026-01-01T00:00:00Z','action':'UPSERT','fields':{'title':'%s'}}"
                    .formatted(version, title))));
  }

  private static void may(SearchWorld world, boolean may) {
    world.state(
        List.of(
            SearchWorld.node(
                "{'@id':'p','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'d','v-s:permissionSubject':'u','v-s:canRead':true,'v-s:deleted':%s}"
                    .formatted(!may))));
  }

  /// Whoever is no longer trusted with a document sees nothing that is written from then on, not
  /// even if the search began before.
  @Test
  void whatIsWrittenAfterARevokeIsNotShown() {
    try (SearchWorld world = world()) {
      put(world, 1, "harmless");
      may(world, true);
      between =
          () -> {
            may(world, false);
            put(world, 2, "hush");
          };
      assertThat(
              world
                  .search
                  .suggestions()
                  .suggest(world.as("u"), TestDomain.ACME, SearchWorld.BUCKET, "h", List.of(), 10)
                  .words()
                  .words())
          .as("rights were changed since the index was looked at: they are looked up again")
          .isEmpty();
      may(world, true);
      put(world, 3, "harmless");
      between =
          () -> {
            may(world, false);
            put(world, 4, "hush");
          };
      assertThat(
              world
                  .search
                  .search(
                      world.as("u"),
                      TestDomain.ACME,
                      SearchWorld.BUCKET,
                      SearchModelTest.everything(4))
                  .hits()
                  .toString())
          .contains("harmless")
          .doesNotContain("hush");
    }
  }

  /// Whoever searches all buckets need not know that one of them went away meanwhile.
  @Test
  void aBucketThatGoesAwayWhileASearchBeginsIsNotMissed() {
    HookedStore store = new HookedStore(SearchWorld.inMemory());
    try (SearchWorld world =
        new SearchWorld(
            store, folder.resolve("index"), SearchWorld.settings(Optional.empty()), 2)) {
      world.bucket("other", SearchWorld.settings(Optional.empty()));
      put(world, 1, "harmless");
      store.afterSnapshots(
          1,
          () ->
              world
                  .domain
                  .buckets()
                  .buckets()
                  .delete(Caller.of(world.root), TestDomain.ACME, "other", Optional.empty()));
      assertThat(
              world
                  .search
                  .search(world.actor(), TestDomain.ACME, SearchModelTest.everything(4))
                  .hits())
          .hasSize(1);
      assertThat(store.isHooked()).as("it went away").isFalse();
    }
  }

  /// Whoever wants to see at least something old does not wait for others, let alone in vain.
  @Test
  @Tag("campaign")
  void whoWantsAFreshAnswerGetsOneWhileOthersChangeRights() throws Exception {
    int searches = Campaign.VISIBILITY_FRESH.size();
    try (SearchWorld world = world();
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      put(world, 1, "harmless");
      may(world, true);
      String revision = world.store.seal().seal(world.store.revision());
      String many =
          IntStream.range(0, 5000).mapToObj(i -> "'o" + i + "'").collect(Collectors.joining(","));
      AtomicBoolean over = new AtomicBoolean();
      Future<?> writing =
          threads.submit(
              () -> {
                for (boolean deleted = false; !over.get(); deleted = !deleted) {
                  world.state(
                      List.of(
                          SearchWorld.node(
                              "{'@id':'big','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':[%s],'v-s:permissionSubject':'w','v-s:canRead':true,'v-s:deleted':%s}"
                                  .formatted(many, deleted))));
                }
              });
      SearchRequest some = SearchModelTest.everything(4);
      SearchRequest fresh =
          new SearchRequest(
              some.buckets(),
              some.query(),
              some.all(),
              some.fields(),
              some.filter(),
              some.knn(),
              some.sort(),
              some.facets(),
              some.highlight(),
              some.limit(),
              some.cursor(),
              some.as(),
              true,
              Optional.of(revision),
              Duration.ofSeconds(10),
              some.timeout());
      for (int i = 0; i < searches; i++) {
        assertThat(
                world
                    .search
                    .search(world.as("u"), TestDomain.ACME, SearchWorld.BUCKET, fresh)
                    .total())
            .isEqualTo(1);
      }
      over.set(true);
      writing.get();
    }
  }
}
