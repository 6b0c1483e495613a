package dev.veridex.search.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.TestDomain;
import dev.veridex.common.MutableClock;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.Converter;
import dev.veridex.documents.publish.DocumentQueues;
import dev.veridex.documents.publish.PublishCounters;
import dev.veridex.documents.publish.ShardPublisher;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registries;
import dev.veridex.queue.Queue;
import dev.veridex.store.Snapshot;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.suite.Campaign;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Documents are redacted, moved and deleted, rights come and go, cursors are opened and gone on
/// with, while the way to the index stands still anywhere, between any two steps of a publisher and
/// between what is applied and what is shown: nobody sees a state that they could not read when it
/// was the newest, or whose successor they may not read.
final class SupersededStatesTest {
  private static final int STEPS = 160;
  private static final int SHARDS = 2;
  private static final List<String> PKS = List.of("a", "b", "c");
  private static final List<String> FOLDERS = List.of("f1", "f2");
  private static final List<String> SUBJECTS = List.of("u1", "u2");

  @TempDir private Path folder;

  @Test
  @Tag("campaign")
  void oldContentNeverMeetsNewRights() {
    long[] seen = new long[4];
    Campaign.SUPERSEDED_HISTORIES.forEach(
        seed -> {
          try (History history = new History(seed, folder.resolve("history-" + seed))) {
            for (int step = 0; step < STEPS; step++) {
              history.step();
            }
            seen[0] += history.shown;
            seen[1] += history.superseded;
            seen[2] += history.withheld;
            seen[3] += history.explained;
          }
        });
    Campaign.SUPERSEDED_HISTORIES.count(seen[0], "states shown");
    Campaign.SUPERSEDED_HISTORIES.count(seen[1], "of them superseded");
    Campaign.SUPERSEDED_HISTORIES.count(seen[2], "withheld");
    Campaign.SUPERSEDED_HISTORIES.count(seen[3], "explained");
    assertThat(seen).as("shown, superseded, withheld, explained").doesNotContain(0);
  }

  /// A state of a document, and who could read it just before the next one was accepted.
  private static final class Accepted {
    private final long version;
    private final Optional<String> resource;
    private Optional<Set<String>> lastReaders = Optional.empty();

    private Accepted(long version, Optional<String> resource) {
      this.version = version;
      this.resource = resource;
    }
  }

  /// A list that is gone on with.
  private record Open(String subject, int limit, String cursor) {}

  private static final class History implements AutoCloseable {
    private final Random random;
    private final boolean byField;
    private final MutableClock clock = MutableClock.daysAgo(0);
    private final SearchWorld world;
    private final Map<String, List<Accepted>> states = new HashMap<>();

    /// Of each resource, who may read it.
    private final Map<String, Set<String>> readers = new HashMap<>();

    private final List<Open> open = new ArrayList<>();
    private final Map<Integer, ShardPublisher> publishers = new HashMap<>();
    private final ShardPublisher.Tools tools;
    private long version;
    private long shown;
    private long superseded;
    private long withheld;
    private long explained;

    private History(long seed, Path folder) {
      random = new Random(seed);
      byField = random.nextBoolean();
      world =
          new SearchWorld(
              new MemoryStore(
                  new MemoryDisk(random), clock, Duration.ofHours(1), Duration.ofDays(8)),
              folder,
              SearchWorld.settings(byField ? Optional.of("folder") : Optional.empty())
                  .withShards(Optional.of(SHARDS)),
              1);
      tools =
          new ShardPublisher.Tools(
              world.store,
              new Registries(world.domain.buckets().lookup(), Map.of()),
              new Epochs.Store(),
              world.domain.documents().topics(),
              Converter.USUAL,
              new PublishCounters(),
              random);
      world.receive(List.of());
      clock.advance(Duration.ofSeconds(1));
    }

    private void step() {
      // Commits of the same instant have no order that a clock tells.
      clock.advance(Duration.ofMillis(1));
      switch (random.nextInt(14)) {
        case 0, 1, 2 -> write();
        case 3 -> delete();
        case 4, 5 -> change();
        case 6, 7, 8 -> send();
        case 9 -> world.indexers.runAll();
        case 10 -> search();
        case 11 -> why();
        case 12 -> freshSearch();
        default -> goOn();
      }
    }

    private Optional<Accepted> newest(String pk) {
      List<Accepted> all = states.getOrDefault(pk, List.of());
      return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
    }

    private Set<String> readers(Accepted state) {
      return state.resource.map(each -> readers.getOrDefault(each, Set.of())).orElse(Set.of());
    }

    private void accept(String pk, String json, Optional<String> resource) {
      newest(pk).ifPresent(last -> last.lastReaders = Optional.of(Set.copyOf(readers(last))));
      List<DocumentInput> inputs = List.of(DocumentJson.read(SearchWorld.node(json)));
      assertThat(
              world
                  .domain
                  .documents()
                  .receiver()
                  .receive(world.actor(), TestDomain.ACME, SearchWorld.BUCKET, inputs)
                  .results()
                  .getFirst()
                  .status())
          .isEqualTo("ACK");
      states.computeIfAbsent(pk, _ -> new ArrayList<>()).add(new Accepted(version, resource));
    }

    private void write() {
      version++;
      String pk = PKS.get(random.nextInt(PKS.size()));
      String resource = byField ? FOLDERS.get(random.nextInt(FOLDERS.size())) : pk;
      accept(
          pk,
          "{'pk':'%s','epoch':1,'version':%d,'modifiedAt':'2026-01-01T00:00:00Z','action':'UPSERT','fields':{'n':%d,'folder':'%s'}}"
              .formatted(pk, version, version, resource),
          Optional.of(resource));
    }

    private void delete() {
      version++;
      String pk = PKS.get(random.nextInt(PKS.size()));
      accept(
          pk,
          "{'pk':'%s','epoch':1,'version':%d,'modifiedAt':'2026-01-01T00:00:00Z','action':'DELETE'}"
              .formatted(pk, version),
          byField ? Optional.empty() : Optional.of(pk));
    }

    /// Takes one step of the way to the topic.
    private void send() {
      Queue queue = new Queue(world.generation().location(), DocumentQueues.MAIN);
      List<Integer> used;
      try (Snapshot snapshot = world.store.snapshot()) {
        used = List.copyOf(queue.used(snapshot));
      }
      if (!used.isEmpty()) {
        int shard = used.get(random.nextInt(used.size()));
        publishers
            .computeIfAbsent(
                shard,
                _ ->
                    new ShardPublisher(
                        tools,
                        new ShardPublisher.Work(queue.location(), queue.name(), shard, SHARDS),
                        "a node"))
            .step();
      }
    }

    private void change() {
      List<String> resources = byField ? FOLDERS : PKS;
      String resource = resources.get(random.nextInt(resources.size()));
      String subject = SUBJECTS.get(random.nextInt(SUBJECTS.size()));
      Set<String> now = new HashSet<>(readers.getOrDefault(resource, Set.of()));
      boolean given = !now.remove(subject) && now.add(subject);
      readers.put(resource, now);
      world.state(
          List.of(
              SearchWorld.node(
                  "{'@id':'%s-%s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'%s','v-s:permissionSubject':'%s','v-s:canRead':true,'v-s:deleted':%s}"
                      .formatted(subject, resource, resource, subject, !given))));
    }

    private void search() {
      look(SUBJECTS.get(random.nextInt(SUBJECTS.size())), 1 + random.nextInt(3), Optional.empty());
    }

    /// What somebody is told about a document is what a search shows at the same moment.
    private void why() {
      String subject = SUBJECTS.get(random.nextInt(SUBJECTS.size()));
      String pk = PKS.get(random.nextInt(PKS.size()));
      try {
        VisibilityReasons.Explanation told =
            world.search.reasons().why(world.as(subject), TestDomain.ACME, SearchWorld.BUCKET, pk);
        SearchAnswer got =
            world.search.search(
                world.as(subject),
                TestDomain.ACME,
                SearchWorld.BUCKET,
                SearchModelTest.everything(10, Optional.empty()));
        assertThat(told.because() == VisibilityReasons.Reason.VISIBLE)
            .as("%s of %s", told.because(), pk)
            .isEqualTo(got.hits().stream().anyMatch(hit -> hit.found().pk().equals(pk)));
        explained++;
      } catch (VeridexException e) {
        assertThat(e.problem().code().name()).isEqualTo("INDEX_BUILDING");
      }
    }

    /// A search that asks for everything accepted by now gets it, or nothing at all.
    private void freshSearch() {
      String subject = SUBJECTS.get(random.nextInt(SUBJECTS.size()));
      String now = world.store.seal().seal(world.store.revision());
      try {
        SearchAnswer page =
            world.search.search(
                world.as(subject),
                TestDomain.ACME,
                SearchWorld.BUCKET,
                SearchModelTest.everything(10, now));
        for (SearchAnswer.Hit hit : page.hits()) {
          assertThat(newest(hit.found().pk()).orElseThrow().version)
              .isEqualTo(hit.found().tuple().version());
          check(subject, hit.found().pk(), hit.found().tuple().version());
        }
      } catch (VeridexException e) {
        assertThat(e.problem().code().name()).isIn("INDEX_BUILDING", "NOT_YET_FRESH");
      }
    }

    private void goOn() {
      if (!open.isEmpty()) {
        Open list = open.remove(random.nextInt(open.size()));
        look(list.subject, list.limit, Optional.of(list.cursor));
      }
    }

    private void look(String subject, int limit, Optional<String> from) {
      SearchRequest request = SearchModelTest.everything(limit, from);
      SearchAnswer page;
      try {
        page = world.search.search(world.as(subject), TestDomain.ACME, SearchWorld.BUCKET, request);
      } catch (VeridexException e) {
        assertThat(e.problem().code().name()).isIn("INDEX_BUILDING", "CURSOR_EXPIRED");
        return;
      }
      for (SearchAnswer.Hit hit : page.hits()) {
        check(subject, hit.found().pk(), hit.found().tuple().version());
      }
      withheld +=
          Math.max(0, Math.min(limit, from.isEmpty() ? page.total() : 0) - page.hits().size());
      page.cursor().ifPresent(cursor -> open.add(new Open(subject, limit, cursor)));
    }

    private void check(String subject, String pk, long shownVersion) {
      shown++;
      List<Accepted> all = states.getOrDefault(pk, List.of());
      Accepted state =
          all.stream().filter(each -> each.version == shownVersion).findFirst().orElseThrow();
      Accepted newest = all.getLast();
      assertThat(readers(state)).as("%s of %s, now", shownVersion, pk).contains(subject);
      if (state == newest) {
        return;
      }
      superseded++;
      assertThat(state.lastReaders.orElseThrow())
          .as("%s of %s, just before it was superseded", shownVersion, pk)
          .contains(subject);
      assertThat(readers(newest))
          .as("what superseded %s of %s", shownVersion, pk)
          .contains(subject);
    }

    @Override
    public void close() {
      world.close();
    }
  }
}
