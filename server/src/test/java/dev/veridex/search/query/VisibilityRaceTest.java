package dev.veridex.search.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestDomain;
import dev.veridex.access.AccessSnapshot;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import dev.veridex.grants.GrantKey;
import dev.veridex.grants.GrantRequest;
import dev.veridex.grants.RelationType;
import dev.veridex.store.Store;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Rights are given and taken while others search: whoever begins to search when the right was
/// taken never finds the document, and whoever begins when it was given does.
final class VisibilityRaceTest {
  private static final int DOCUMENTS = 4;
  private static final int SEARCHERS = 2;

  @TempDir private Path folder;

  /// Each hands out the state of rights that the one before found.
  private static final class Delaying implements AccessSnapshots {
    private final AccessSnapshots real;
    private final AtomicReference<Optional<AccessSnapshot>> last =
        new AtomicReference<>(Optional.empty());

    private Delaying(AccessSnapshots real) {
      this.real = real;
    }

    @Override
    public AccessSnapshot open(Namespace namespace, Optional<Revision> atLeast, boolean explained) {
      AccessSnapshot now = real.open(namespace, atLeast, explained);
      return last.getAndSet(Optional.of(now))
          .orElseGet(() -> real.open(namespace, atLeast, explained));
    }
  }

  private static AccessSnapshots usual(Domain domain) {
    return domain.access().visibility()::open;
  }

  @Test
  @Tag("campaign")
  void nothingLeaksInMemory() throws Exception {
    Race race = race(SearchWorld.inMemory(), VisibilityRaceTest::usual);
    assertThat(race.run(Campaign.VISIBILITY_RACE.size())).as("leaks").isZero();
  }

  @Test
  @Tag("campaign")
  void nothingLeaksOnDisk() throws Exception {
    MutableClock clock = MutableClock.daysAgo(0);
    Store store =
        RocksStore.open(
            folder.resolve("store"), RocksSettings.DEFAULT, clock, clock, new Random(1));
    Race race = race(store, VisibilityRaceTest::usual);
    assertThat(race.run(Campaign.VISIBILITY_RACE_DISK.size())).as("leaks").isZero();
  }

  @Test
  void aLateStateOfRightsIsNoticed() throws Exception {
    List<Delaying> late = new ArrayList<>();
    Race race =
        race(
            SearchWorld.inMemory(),
            domain -> {
              late.add(new Delaying(domain.access().visibility()::open));
              return late.getFirst();
            });
    race.atEnd = () -> late.getFirst().last.get().ifPresent(AccessSnapshot::close);
    assertThat(race.run(5000)).as("leaks").isPositive();
  }

  private Race race(Store store, Function<Domain, AccessSnapshots> accessSnapshots) {
    return new Race(
        new SearchWorld(
            store,
            folder.resolve("index"),
            SearchWorld.settings(Optional.empty()),
            SEARCHERS,
            accessSnapshots));
  }

  private static final class Race {
    private final SearchWorld world;
    private Runnable atEnd = () -> {};
    private final SearchRequest everything = SearchModelTest.everything(DOCUMENTS);

    /// Of each document: how often its right was changed, twice, and one more while it is.
    private final AtomicIntegerArray changes = new AtomicIntegerArray(DOCUMENTS);

    private final AtomicLong searches = new AtomicLong();
    private final AtomicLong tries = new AtomicLong();
    private final AtomicLong leaks = new AtomicLong();
    private final AtomicLong missed = new AtomicLong();

    private Race(SearchWorld world) {
      this.world = world;
      List<JsonNode> documents = new ArrayList<>();
      for (int i = 0; i < DOCUMENTS; i++) {
        documents.add(
            SearchWorld.node(
                "{'pk':'d%d','epoch':1,'version':1,'modifiedAt':'2026-01-01T00:00:00Z','action':'UPSERT','fields':{'n':1}}"
                    .formatted(i)));
      }
      world.receive(documents);
      Map.of("u", "group", "d1", "set1")
          .forEach(
              (member, group) ->
                  world.state(
                      List.of(
                          SearchWorld.node(
                              "{'@id':'%s','rdf:type':'v-s:Membership','v-s:resource':'%s','v-s:memberOf':'%s'}"
                                  .formatted(member + " in " + group, member, group)))));
      state("readers", "d3", "readers", true);
    }

    /// One document is seen by a statement on it, one by what a group may do to what it is in, one
    /// by an approval, and one by a membership relationship.
    private void change(int document, boolean may) {
      switch (document) {
        case 0 -> state("p0", "d0", "u", may);
        case 1 -> state("p1", "set1", "group", may);
        case 2 -> give(GrantKey.approval("u", "d2", "read"), may);
        default -> give(GrantKey.relationship("u", "member", "readers"), may);
      }
    }

    private void state(String id, String object, String subject, boolean may) {
      world.state(
          List.of(
              SearchWorld.node(
                  "{'@id':'%s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'%s','v-s:permissionSubject':'%s','v-s:canRead':true,'v-s:deleted':%s}"
                      .formatted(id, object, subject, !may))));
    }

    private void give(GrantKey key, boolean may) {
      if (may) {
        world
            .domain
            .grants()
            .writer()
            .give(
                world.root,
                new GrantRequest(
                    TestDomain.ACME.scope(),
                    false,
                    key,
                    Optional.of(new RelationType("membership")),
                    GrantRequest.WantedLife.USUAL,
                    Map.of(),
                    Optional.empty()));
      } else {
        world.domain.grants().writer().revoke(world.root, TestDomain.ACME.scope(), key);
      }
    }

    /// Whether a document may be seen when its right was changed so often.
    private static boolean may(int changes) {
      return changes / 2 % 2 == 1;
    }

    private long run(long wanted) throws Exception {
      try (world;
          ExecutorService threads = Executors.newFixedThreadPool(SEARCHERS + 1)) {
        List<Future<?>> all = new ArrayList<>();
        all.add(threads.submit(() -> write(wanted)));
        for (int i = 0; i < SEARCHERS; i++) {
          all.add(threads.submit(() -> search(wanted)));
        }
        for (Future<?> each : all) {
          each.get();
        }
        atEnd.run();
      }
      if (leaks.get() == 0) {
        assertThat(missed.get()).as("not shown though it was given").isZero();
      }
      return leaks.get();
    }

    private void write(long wanted) {
      Random random = new Random(3);
      while (tries.get() < wanted) {
        int document = random.nextInt(DOCUMENTS);
        int now = changes.incrementAndGet(document);
        change(document, may(now + 1));
        changes.incrementAndGet(document);
        // Others search while this goes on, and some after it.
        long enough = searches.get() + SEARCHERS;
        while (searches.get() < enough && tries.get() < wanted) {
          Thread.onSpinWait();
        }
      }
    }

    private void search(long wanted) {
      int[] before = new int[DOCUMENTS];
      while (tries.get() < wanted) {
        Arrays.setAll(before, changes::get);
        Set<String> found = new HashSet<>();
        world
            .search
            .search(world.as("u"), TestDomain.ACME, SearchWorld.BUCKET, everything)
            .hits()
            .forEach(hit -> found.add(hit.found().pk()));
        searches.incrementAndGet();
        for (int i = 0; i < DOCUMENTS; i++) {
          // Whatever is changed meanwhile may be seen or not.
          if (before[i] % 2 == 0 && before[i] == changes.get(i)) {
            boolean shown = found.contains("d" + i);
            if (may(before[i])) {
              missed.addAndGet(shown ? 0 : 1);
            } else {
              tries.incrementAndGet();
              leaks.addAndGet(shown ? 1 : 0);
            }
          }
        }
      }
    }
  }
}
