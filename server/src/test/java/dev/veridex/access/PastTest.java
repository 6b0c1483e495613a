package dev.veridex.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.access.RightsLists.ListRequest;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.RightsPage;
import dev.veridex.access.check.Trace;
import dev.veridex.access.check.TraceVerifier;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import dev.veridex.common.Utf8Order;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.json.JsonText;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.Account;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Questions about the past against the model at every prefix of a history.
final class PastTest {
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final int MESSAGES = 40;
  private static final int EXPLAINED = 5;

  @TempDir private Path folder;

  @Test
  @Tag("campaign")
  void everyRevisionIsAsTheModelWasThen() {
    Campaign.ACCESS_PAST.forEach(
        seed -> {
          MutableClock clock = MutableClock.daysAgo(0);
          MemoryDisk disk = new MemoryDisk(new Random(seed));
          new History(seed, clock, () -> memory(disk, clock)).run();
        });
  }

  @Test
  @Tag("campaign")
  void soItIsOnRocks() {
    Campaign.ACCESS_PAST_ROCKS.forEach(
        seed -> {
          MutableClock clock = MutableClock.daysAgo(0);
          Path store = folder.resolve("store" + seed);
          new History(
                  seed,
                  clock,
                  () ->
                      RocksStore.open(store, RocksSettings.DEFAULT, clock, clock, new Random(seed)))
              .run();
        });
  }

  private static Store memory(MemoryDisk disk, MutableClock clock) {
    return new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(8));
  }

  private static Domain domain(Store store) {
    Random random = new Random(1);
    return Domain.on(
        store,
        new Domain.Parts(random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
  }

  private static Token begin(Domain domain) {
    Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    return root;
  }

  /// A history that is looked at from later.
  private static final class History {
    private final Random random;
    private final Worlds made;
    private final MutableClock clock;
    private final Supplier<Store> disk;
    private final List<Point> points = new ArrayList<>();
    private final List<JsonNode> given = new ArrayList<>();
    private Store store;
    private Domain domain;
    private final Token root;

    /// A state that there was: the first so many messages, and what explained some answers then.
    private record Point(
        Revision revision, Instant from, int messages, Map<CheckRequest, Trace> traces) {}

    private History(long seed, MutableClock clock, Supplier<Store> disk) {
      this.random = new Random(seed);
      this.made = new Worlds(random);
      this.clock = clock;
      this.disk = disk;
      this.store = disk.get();
      this.domain = domain(store);
      this.root = begin(domain);
      points.add(new Point(store.revision(), clock.instant(), 0, traces()));
    }

    void run() {
      List<JsonNode> messages = made.messages(MESSAGES);
      for (int from = 0; from < messages.size(); ) {
        int to = Math.min(messages.size(), from + random.nextInt(1, 8));
        clock.advance(Duration.ofMillis(random.nextInt(1, 1000)));
        Revision revision =
            domain
                .access()
                .index()
                .put(root, ACME, messages.subList(from, to).stream().map(MessageInput::of).toList())
                .revision();
        given.addAll(messages.subList(from, to));
        points.add(new Point(revision, clock.instant(), to, traces()));
        if (random.nextInt(8) == 0) {
          disturb();
        }
        from = to;
      }
      clock.advance(Duration.ofMillis(1));
      points.forEach(this::compare);
      store.close();
    }

    private Map<CheckRequest, Trace> traces() {
      Map<CheckRequest, Trace> traces = new LinkedHashMap<>();
      for (int i = 0; i < EXPLAINED; i++) {
        CheckRequest question =
            CheckRequest.of(
                made.subjects().get(random.nextInt(made.subjects().size())),
                made.resources().get(random.nextInt(made.resources().size())),
                Optional.empty(),
                Optional.empty());
        traces.put(question, trace(question, AsOf.now()));
      }
      return traces;
    }

    private Trace trace(CheckRequest question, AsOf moment) {
      return domain
          .access()
          .checker()
          .check(Caller.of(root), ACME, List.of(new RightsChecker.Query(question, true)), moment)
          .value()
          .getFirst()
          .trace()
          .orElseThrow();
    }

    /// Nothing of this changes what was.
    private void disturb() {
      switch (random.nextInt(3)) {
        case 0 -> TestDomain.rebuild(domain, root, ACME);
        case 1 -> {
          store.close();
          store = disk.get();
          domain = domain(store);
        }
        default ->
            domain
                .tenancy()
                .accounts()
                .put(
                    root,
                    "b" + given.size(),
                    Account.Definition.PLAIN,
                    Optional.empty(),
                    Optional.empty());
      }
    }

    private void compare(Point point) {
      AccessModel model = new AccessModel();
      given.subList(0, point.messages).forEach(model::apply);
      Optional<String> bucket =
          random.nextInt(3) == 0 ? Optional.of(Worlds.BUCKET) : Optional.empty();
      List<RightsChecker.Query> asked = new ArrayList<>();
      for (String subject : made.subjects()) {
        for (String resource : made.resources()) {
          asked.add(
              new RightsChecker.Query(
                  CheckRequest.of(subject, resource, Optional.empty(), bucket), false));
        }
      }
      AsOf moment =
          random.nextBoolean() ? new AsOf.AtRevision(point.revision) : new AsOf.AtTime(point.from);
      AtRevision<List<RightsChecker.Answer>> checked =
          domain.access().checker().check(Caller.of(root), ACME, asked, moment);
      if (moment instanceof AsOf.AtRevision) {
        assertThat(checked.revision()).isEqualTo(point.revision);
      }
      for (int i = 0; i < asked.size(); i++) {
        CheckRequest question = asked.get(i).question();
        assertThat(checked.value().get(i).rights())
            .as("%s at %s, %s", question, point, moment)
            .isEqualTo(rights(model, question));
      }
      lists(model, moment, bucket);
      point.traces.forEach((question, then) -> explained(question, then, moment));
    }

    private void explained(CheckRequest question, Trace then, AsOf moment) {
      Trace trace = trace(question, moment);
      assertThat(trace)
          .as("%s at %s", question, moment)
          .usingRecursiveComparison()
          .ignoringFields("time")
          .isEqualTo(then);
      assertThat(trace.time()).isEqualTo(then.time());
      assertThat(
              TraceVerifier.verify(
                  trace,
                  id ->
                      domain
                          .access()
                          .checker()
                          .individual(ACME, id, Integer.MAX_VALUE, moment)
                          .map(AtRevision::value),
                  _ -> false))
          .as("%s at %s, %s", question, moment, trace)
          .isEmpty();
    }

    private void lists(AccessModel model, AsOf moment, Optional<String> bucket) {
      String subject = made.subjects().get(random.nextInt(made.subjects().size()));
      boolean all = reads(model, subject, "never seen", bucket);
      Set<String> expected = new TreeSet<>(Utf8Order.INSTANCE);
      for (String resource : made.resources()) {
        if (model.bearsRecord(resource) && reads(model, subject, resource, bucket) != all) {
          expected.add(resource);
        }
      }
      assertThat(pages(new ListRequest(subject, Rights.READ, bucket, moment, false), true))
          .as("%s reads in %s, all but these: %s", subject, bucket, all)
          .containsExactlyElementsOf(expected);
      String resource = made.resources().get(random.nextInt(made.resources().size()));
      Set<String> readers = new TreeSet<>(Utf8Order.INSTANCE);
      for (String each : made.everybody()) {
        if (reads(model, each, resource, bucket)) {
          readers.add(each);
        }
      }
      assertThat(pages(new ListRequest(resource, Rights.READ, bucket, moment, false), false))
          .as("who reads %s in %s", resource, bucket)
          .containsExactlyElementsOf(readers);
    }

    private List<String> pages(ListRequest wanted, boolean resources) {
      List<String> found = new ArrayList<>();
      Optional<String> after = Optional.of("");
      while (after.isPresent()) {
        RightsPage part =
            (resources
                    ? domain
                        .access()
                        .lists()
                        .resources(Caller.of(root), ACME, wanted, after.get(), random.nextInt(1, 5))
                    : domain
                        .access()
                        .lists()
                        .subjects(Caller.of(root), ACME, wanted, after.get(), random.nextInt(1, 5)))
                .value();
        found.addAll(part.ids());
        after = part.next();
      }
      return found;
    }

    private static boolean reads(
        AccessModel model, String subject, String resource, Optional<String> bucket) {
      return (rights(model, CheckRequest.of(subject, resource, Optional.empty(), bucket))
              & Rights.READ)
          != 0;
    }

    private static int rights(AccessModel model, CheckRequest question) {
      return model.rights(
          question.subject(),
          question.resource(),
          question.filter(),
          question.implicit(),
          List.of(),
          List.of());
    }
  }

  @Test
  void thePastIsForgottenOnTime() {
    MutableClock clock = MutableClock.daysAgo(0);
    try (Store store = memory(new MemoryDisk(new Random(1)), clock)) {
      Domain domain = domain(store);
      Token root = begin(domain);
      Revision first = put(domain, root, true);
      Instant then = clock.instant();
      clock.advance(Duration.ofDays(1));
      Revision second = put(domain, root, false);
      clock.advance(Duration.ofDays(6));
      assertThat(rights(domain, root, new AsOf.AtRevision(first))).isEqualTo(Rights.READ);
      assertThat(rights(domain, root, new AsOf.AtTime(then))).isEqualTo(Rights.READ);
      clock.advance(Duration.ofNanos(1000));
      assertCode(ErrorCode.REVISION_TOO_OLD, () -> rights(domain, root, new AsOf.AtTime(then)));
      assertThat(rights(domain, root, new AsOf.AtRevision(first)))
          .as("it was so for another day")
          .isEqualTo(Rights.READ);
      clock.advance(Duration.ofDays(1));
      assertCode(
          ErrorCode.REVISION_TOO_OLD, () -> rights(domain, root, new AsOf.AtRevision(first)));
      clock.advance(Duration.ofDays(30));
      assertThat(rights(domain, root, new AsOf.AtRevision(second))).as("it is still so").isZero();
      assertThat(
              domain
                  .access()
                  .changes()
                  .after(
                      domain.access().index().target(ACME),
                      domain.access().changes().begin(ACME, Optional.of(second)))
                  .changes())
          .as("nothing was missed")
          .isEmpty();
      assertCode(
          ErrorCode.BAD_REQUEST,
          () -> rights(domain, root, new AsOf.AtTime(clock.instant().plusSeconds(1))));
      assertCode(
          ErrorCode.UNKNOWN_REVISION,
          () ->
              rights(
                  domain,
                  root,
                  new AsOf.AtRevision(
                      new Revision(first.storeId(), store.revision().sequence() + 1))));
    }
  }

  @Test
  void changesThatWereForgottenAreNotLeftOutSilently() {
    MutableClock clock = MutableClock.daysAgo(0);
    try (Store store = memory(new MemoryDisk(new Random(1)), clock)) {
      Domain domain = domain(store);
      Token root = begin(domain);
      Revision since = store.revision();
      clock.advance(Duration.ofSeconds(1));
      put(domain, root, true);
      AccessIndex.Target target = domain.access().index().target(ACME);
      ChangeFeed.Position begun = domain.access().changes().begin(ACME, Optional.of(since));
      ChangeFeed.Part part = domain.access().changes().after(target, begun);
      assertThat(part.changes()).hasSize(1);
      assertThat(part.changes().getFirst().change().number()).isEqualTo(1);
      // A reader who is slow.
      clock.advance(Duration.ofDays(7).plusSeconds(90));
      assertCode(ErrorCode.REVISION_TOO_OLD, () -> domain.access().changes().after(target, begun));
      assertCode(
          ErrorCode.REVISION_TOO_OLD,
          () -> domain.access().changes().begin(ACME, Optional.of(since)));
    }
  }

  @Test
  void largeChangesAreToldInParts() {
    MutableClock clock = MutableClock.daysAgo(0);
    try (Store store = memory(new MemoryDisk(new Random(1)), clock)) {
      Domain domain = domain(store);
      Token root = begin(domain);
      Revision since = store.revision();
      List<MessageInput> large = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        large.add(
            MessageInput.of(
                JsonText.read(
                    "{\"@id\":\"x%d\",\"rdf:type\":\"v-s:Document\",\"text\":\"%s\"}"
                        .formatted(i, "z".repeat(600_000))
                        .getBytes(StandardCharsets.UTF_8))));
      }
      Revision revision = domain.access().index().put(root, ACME, large).revision();
      AccessIndex.Target target = domain.access().index().target(ACME);
      ChangeFeed.Position position = domain.access().changes().begin(ACME, Optional.of(since));
      List<ChangeFeed.Event> told = new ArrayList<>();
      boolean more = true;
      while (more) {
        ChangeFeed.Part part = domain.access().changes().after(target, position);
        assertThat(part.changes()).hasSizeLessThanOrEqualTo(2);
        assertThat(part.until().seen())
            .as("a commit counts when all of it was told")
            .isEqualTo(part.more() ? since : revision);
        told.addAll(part.changes());
        position = part.until();
        more = part.more();
      }
      assertThat(told).hasSize(5);
      assertThat(told)
          .extracting(ChangeFeed.Event::last)
          .containsExactly(false, false, false, false, true);
    }
  }

  @Test
  void whatWasDeletedWithItsAccountIsNoPastOfTheNextOne() {
    MutableClock clock = MutableClock.daysAgo(0);
    try (Store store = memory(new MemoryDisk(new Random(1)), clock)) {
      Domain domain = domain(store);
      Token root = begin(domain);
      Revision first = put(domain, root, true);
      assertThat(rights(domain, root, AsOf.now())).isEqualTo(Rights.READ);
      domain.tenancy().accounts().delete(root, "acme", Optional.empty());
      domain.jobs().runAll();
      domain
          .tenancy()
          .accounts()
          .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
      assertThat(rights(domain, root, AsOf.now())).isZero();
      assertThat(rights(domain, root, new AsOf.AtRevision(first))).isZero();
      Revision second = put(domain, root, true);
      assertThat(rights(domain, root, new AsOf.AtRevision(first))).isZero();
      assertThat(rights(domain, root, new AsOf.AtRevision(second))).isEqualTo(Rights.READ);
      assertThat(rights(domain, root, AsOf.now())).isEqualTo(Rights.READ);
    }
  }

  private static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThatExceptionOfType(VeridexException.class)
        .isThrownBy(call)
        .extracting(VeridexException::code)
        .isEqualTo(code);
  }

  private static Revision put(Domain domain, Token root, boolean reads) {
    return domain
        .access()
        .index()
        .put(
            root,
            ACME,
            List.of(
                MessageInput.of(
                    JsonText.read(
                        "{\"@id\":\"p\",\"rdf:type\":\"v-s:PermissionStatement\",\"v-s:permissionObject\":\"d\",\"v-s:permissionSubject\":\"u\",\"v-s:canRead\":%s}"
                            .formatted(reads)
                            .getBytes(StandardCharsets.UTF_8)))))
        .revision();
  }

  private static int rights(Domain domain, Token root, AsOf moment) {
    CheckRequest question = CheckRequest.of("u", "d", Optional.empty(), Optional.empty());
    return domain
        .access()
        .checker()
        .check(Caller.of(root), ACME, List.of(new RightsChecker.Query(question, false)), moment)
        .value()
        .getFirst()
        .rights();
  }
}
