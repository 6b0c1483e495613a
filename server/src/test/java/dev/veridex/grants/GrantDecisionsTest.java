package dev.veridex.grants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.access.AccessModel;
import dev.veridex.access.AccessSettings;
import dev.veridex.access.AsOf;
import dev.veridex.access.AtRevision;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.RightsLists.ListRequest;
import dev.veridex.access.Worlds;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.RightsPage;
import dev.veridex.access.check.Trace;
import dev.veridex.access.check.TraceVerifier;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Utf8Order;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.IncarnationRecords;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Grants in decisions: random grants, revocations, extensions, statements, clock steps to the very
/// microsecond, restarts and rebuilds, in two scopes; checks, traces, lists and groups are what a
/// slow model says, now and as of every time that there was.
final class GrantDecisionsTest {
  private static final int STEPS = 40;
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final Namespace DEV = new Namespace("acme", Optional.of("dev"));

  @TempDir private Path folder;

  @Test
  @Tag("campaign")
  void everyAnswerCountsWhatIsAlive() {
    Campaign.GRANT_DECISIONS.forEach(
        seed -> {
          MemoryDisk disk = new MemoryDisk(new Random(seed));
          run(seed, clock -> new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(8)));
        });
  }

  @Test
  @Tag("campaign")
  void soItIsOnRocks() {
    Campaign.GRANT_DECISIONS_ROCKS.forEach(
        seed ->
            run(
                seed,
                clock ->
                    RocksStore.open(
                        folder.resolve("store" + seed),
                        RocksSettings.DEFAULT,
                        clock,
                        clock,
                        new Random(seed))));
  }

  private static void run(long seed, Function<MutableClock, Store> open) {
    History history = new History(new Random(seed), MutableClock.daysAgo(0), open);
    for (int step = 0; step < STEPS; step++) {
      history.step();
    }
    history.finish();
  }

  /// One run: the product and the model, side by side.
  private static final class History {
    private final Random random;
    private final MutableClock clock;
    private final Function<MutableClock, Store> open;
    private final Worlds worlds;
    private final AccessSettings settings;
    private final Map<Namespace, Side> sides = new LinkedHashMap<>();
    private Store store;
    private Domain domain;
    private final Token root;
    private int opIds;

    /// The model of one scope.
    private static final class Side {
      private final AccessModel statements = new AccessModel();
      private final List<JsonNode> stated = new ArrayList<>();
      private final GivenGrants grants;
      private final List<Point> points = new ArrayList<>();

      private Side(Namespace namespace) {
        grants = new GivenGrants(namespace.scope());
      }
    }

    /// A time that there was.
    private record Point(int number, Instant time, int messages, GivenGrants grants) {}

    History(Random random, MutableClock clock, Function<MutableClock, Store> open) {
      this.random = random;
      this.clock = clock;
      this.open = open;
      this.worlds = new Worlds(random);
      // Where there is no memory, the store answers.
      this.settings =
          random.nextInt(4) == 0
              ? new AccessSettings(0, AccessSettings.PAST_RETENTION, Runnable::run)
              : TestAccess.SETTINGS;
      start();
      root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
      domain
          .tenancy()
          .accounts()
          .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
      domain.tenancy().environments().put(root, "acme", "dev");
      sides.put(ACME, new Side(ACME));
      sides.put(DEV, new Side(DEV));
    }

    private void start() {
      store = open.apply(clock);
      Random fixed = new Random(1);
      domain =
          Domain.on(
              store, new Domain.Parts(fixed, fixed, Domain.itemVersions(), _ -> false, settings));
    }

    void step() {
      Namespace namespace = random.nextInt(4) == 0 ? DEV : ACME;
      Side side = Objects.requireNonNull(sides.get(namespace));
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> state(namespace, side);
        case 3, 4, 5 -> pass(side);
        case 6 -> disturb(namespace);
        default -> side.grants.step(random, worlds, domain, root, clock.instant());
      }
      compare(namespace, side, AsOf.now(), clock.instant());
      side.points.add(
          new Point(side.points.size(), clock.instant(), side.stated.size(), side.grants.copy()));
    }

    private void state(Namespace namespace, Side side) {
      List<JsonNode> messages = worlds.messages(random.nextInt(1, 5));
      messages.forEach(
          message -> {
            ((ObjectNode) message).put("opId", ++opIds);
            side.statements.apply(message);
          });
      domain
          .access()
          .index()
          .put(root, namespace, messages.stream().map(MessageInput::of).toList());
      side.stated.addAll(messages);
      side.grants.state(messages);
    }

    /// Time passes, often to where something ends: just before, at, or just after it.
    private void pass(Side side) {
      List<Instant> ends =
          side.grants.ends().stream()
              .filter(end -> end.isAfter(clock.instant().plusNanos(1000)))
              .toList();
      Instant to =
          ends.isEmpty() || random.nextInt(3) == 0
              ? clock.instant().plusMillis(random.nextInt(1, 300_000))
              : ends.get(random.nextInt(Math.min(3, ends.size())))
                  .plusNanos(1000L * random.nextInt(-1, 2));
      if (random.nextInt(5) == 0) {
        // Somebody sets the clock of the machine back: the store's does not follow.
        clock.advance(Duration.ofMinutes(-10));
        compare(
            ACME,
            Objects.requireNonNull(sides.get(ACME)),
            AsOf.now(),
            clock.instant().plus(Duration.ofMinutes(10)));
        clock.advance(Duration.ofMinutes(10));
      }
      clock.advance(Duration.between(clock.instant(), to));
    }

    private void disturb(Namespace namespace) {
      switch (random.nextInt(3)) {
        case 0 -> TestDomain.rebuild(domain, root, namespace);
        case 1 -> {
          store.close();
          start();
        }
        default -> {
          try (Snapshot snapshot = store.snapshot()) {
            assertThat(
                    new GrantIntegrity(store, new IncarnationRecords(), domain.access().grants())
                        .run(_ -> {})
                        .drift())
                .as("at %s", snapshot.revision())
                .isEmpty();
          }
        }
      }
    }

    private void compare(Namespace namespace, Side side, AsOf moment, Instant time) {
      compare(namespace, side.statements, side.grants, moment, time);
    }

    private void compare(
        Namespace namespace,
        AccessModel statements,
        GivenGrants grants,
        AsOf moment,
        Instant time) {
      Model model = new Model(statements, grants, time, random.nextInt(3) == 0);
      List<RightsChecker.Query> asked = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        asked.add(
            new RightsChecker.Query(
                CheckRequest.of(
                    pick(worlds.subjects()),
                    pick(worlds.resources()),
                    random.nextInt(4) == 0 ? Optional.of("f1") : Optional.empty(),
                    model.bucket),
                false));
      }
      checks(namespace, model, asked, moment);
      RightsChecker.Query why = asked.get(random.nextInt(asked.size()));
      explained(namespace, model, grants, new RightsChecker.Query(why.question(), true), moment);
      if (random.nextBoolean()) {
        lists(namespace, model, moment);
      }
      if (moment instanceof AsOf.Now) {
        groups(namespace, grants, statements, time);
      }
    }

    private void checks(
        Namespace namespace, Model model, List<RightsChecker.Query> asked, AsOf moment) {
      List<RightsChecker.Answer> answers =
          domain.access().checker().check(Caller.of(root), namespace, asked, moment).value();
      for (int i = 0; i < asked.size(); i++) {
        CheckRequest question = asked.get(i).question();
        assertThat(answers.get(i).rights())
            .as("%s at %s", question, model.time)
            .isEqualTo(model.rights(question));
      }
    }

    private void explained(
        Namespace namespace,
        Model model,
        GivenGrants grants,
        RightsChecker.Query why,
        AsOf moment) {
      Trace trace =
          domain
              .access()
              .checker()
              .check(Caller.of(root), namespace, List.of(why), moment)
              .value()
              .getFirst()
              .trace()
              .orElseThrow();
      assertThat(trace.rights()).as("%s", trace).isEqualTo(model.rights(why.question()));
      assertThat(trace.time()).isEqualTo(model.time);
      assertThat(
              TraceVerifier.verify(
                  trace,
                  id ->
                      domain
                          .access()
                          .checker()
                          .individual(namespace, id, Integer.MAX_VALUE, moment)
                          .map(AtRevision::value),
                  grants::isGiven))
          .as("%s", trace)
          .isEmpty();
    }

    private void groups(
        Namespace namespace, GivenGrants grants, AccessModel statements, Instant time) {
      String subject = pick(worlds.subjects());
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(domain.access().checker().groups(snapshot, namespace.scope(), subject))
            .as("groups of %s at %s", subject, time)
            .isEqualTo(statements.groups(subject, grants.related(time)));
      }
    }

    private void lists(Namespace namespace, Model model, AsOf moment) {
      List<String> approved = model.grants.approvedSubjects(model.time);
      String subject =
          pick(approved.isEmpty() || random.nextBoolean() ? worlds.subjects() : approved);
      int right = 1 << random.nextInt(4);
      boolean all = model.has(subject, "never seen", right);
      Set<String> expected = new TreeSet<>(Utf8Order.INSTANCE);
      // A relationship may put anybody into a group.
      for (String resource : worlds.everybody()) {
        if (model.bearsRecord(resource) && model.has(subject, resource, right) != all) {
          expected.add(resource);
        }
      }
      assertThat(
              pages(
                  namespace,
                  new ListRequest(subject, right, model.bucket, moment, false),
                  /* resources= */ true))
          .as("%s of %s at %s, all but these: %s", right, subject, model.time, all)
          .containsExactlyElementsOf(expected);
      String resource = pick(worlds.resources());
      Set<String> readers = new TreeSet<>(Utf8Order.INSTANCE);
      for (String each : worlds.everybody()) {
        if (model.has(each, resource, right)) {
          readers.add(each);
        }
      }
      assertThat(
              pages(
                  namespace,
                  new ListRequest(resource, right, model.bucket, moment, false),
                  /* resources= */ false))
          .as("who has %s on %s at %s", right, resource, model.time)
          .containsExactlyElementsOf(readers);
    }

    private List<String> pages(Namespace namespace, ListRequest wanted, boolean resources) {
      List<String> found = new ArrayList<>();
      Optional<String> after = Optional.of("");
      while (after.isPresent()) {
        int limit = random.nextInt(1, 5);
        RightsPage part =
            (resources
                    ? domain
                        .access()
                        .lists()
                        .resources(Caller.of(root), namespace, wanted, after.get(), limit)
                    : domain
                        .access()
                        .lists()
                        .subjects(Caller.of(root), namespace, wanted, after.get(), limit))
                .value();
        found.addAll(part.ids());
        after = part.next();
      }
      return found;
    }

    private String pick(List<String> from) {
      return from.get(random.nextInt(from.size()));
    }

    /// Looks back at all times that there were, as they were.
    void finish() {
      clock.advance(Duration.ofHours(5));
      sides.forEach(
          (namespace, side) -> {
            for (Point point : side.points) {
              AccessModel statements = new AccessModel();
              side.stated.subList(0, point.messages).forEach(statements::apply);
              // Of what was committed at the same instant, the last is what there was.
              boolean last =
                  side.points.stream()
                      .filter(other -> other.time.equals(point.time))
                      .allMatch(other -> other.number <= point.number);
              if (last && random.nextInt(3) == 0) {
                compare(
                    namespace, statements, point.grants, new AsOf.AtTime(point.time), point.time);
              }
            }
          });
      store.close();
    }

    /// The slow answers at a time.
    private static final class Model {
      private final AccessModel statements;
      private final GivenGrants grants;
      private final Instant time;
      private final Optional<String> bucket;
      private final List<String[]> related;

      Model(AccessModel statements, GivenGrants grants, Instant time, boolean inBucket) {
        this.statements = statements;
        this.grants = grants;
        this.time = time;
        this.bucket = inBucket ? Optional.of(Worlds.BUCKET) : Optional.empty();
        this.related = grants.related(time);
      }

      int rights(CheckRequest question) {
        return statements.rights(
            question.subject(),
            question.resource(),
            question.filter(),
            question.implicit(),
            grants.approved(question.subject(), question.resource(), time),
            related);
      }

      boolean has(String subject, String resource, int rights) {
        return (rights(CheckRequest.of(subject, resource, Optional.empty(), bucket)) & rights)
            == rights;
      }

      boolean bearsRecord(String resource) {
        return statements.bearsRecord(resource) || grants.bearsGrant(resource, time);
      }
    }
  }
}
