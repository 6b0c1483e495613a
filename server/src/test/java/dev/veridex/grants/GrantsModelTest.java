package dev.veridex.grants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Page;
import dev.veridex.common.Scope;
import dev.veridex.common.TtlPolicy;
import dev.veridex.common.VeridexException;
import dev.veridex.grants.GrantRequest.WantedLife;
import dev.veridex.grants.GrantsModel.Entry;
import dev.veridex.grants.GrantsModel.Who;
import dev.veridex.grants.RelationshipPaths.PathResult;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.Token;
import dev.veridex.identity.Token.Flag;
import dev.veridex.identity.TokenRequest;
import dev.veridex.jobs.Job;
import dev.veridex.store.CrashingStore;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.IncarnationRecords;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Random grants, revocations, extensions, policies, deletions, migrations, clock steps and
/// restarts, against [GrantsModel].
final class GrantsModelTest {
  private static final int STEPS = 150;
  private static final Scope GLOBAL = new Scope.Global();
  private static final Scope ACME = new Scope.Tenant("acme");
  private static final List<Scope> SCOPES =
      List.of(
          GLOBAL,
          ACME,
          new Scope.Tenant("acme-corp"),
          new Scope.Tenant("acme:x"),
          new Scope.TenantEnvironment("acme", "dev"),
          new Scope.TenantEnvironment("acme", "prod"),
          new Scope.Custom(List.of("a")),
          new Scope.Custom(List.of("a", "b")),
          new Scope.Custom(List.of("a:b")),
          new Scope.Custom(List.of("a", "b", "c")));
  private static final List<String> IDS = List.of("ada", "gina", "bob", "ada:x", "a\0", "");
  private static final List<String> TYPES =
      List.of("role", "trust", "membership", "ownership", "custom:x");

  @TempDir private Path folder;

  @Test
  @Tag("campaign")
  void aStoreInMemoryHoldsWhatTheModelHolds() {
    Campaign.GRANTS_HISTORIES.forEach(
        seed -> {
          MemoryDisk disk = new MemoryDisk(new Random(seed));
          run(seed, clock -> new MemoryStore(disk, clock, GrantsModel.GRACE, Duration.ofDays(7)));
        });
  }

  @Test
  @Tag("campaign")
  void rocksHoldsWhatTheModelHolds() {
    Campaign.GRANTS_ROCKS.forEach(
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
    try (History history = new History(new Random(seed), MutableClock.daysAgo(0), open)) {
      for (int step = 0; step < STEPS; step++) {
        history.step();
      }
    }
  }

  /// One run: the product and the model, side by side.
  private static final class History implements AutoCloseable {
    private final Random random;
    private final MutableClock clock;
    private final Function<MutableClock, Store> open;
    private final GrantsModel model = new GrantsModel();
    private final Map<Who, Token> callers = new LinkedHashMap<>();

    /// Requests with an idempotency key, and what they came to.
    private final List<Given> given = new ArrayList<>();

    private Store store;
    private Domain domain;

    /// How many commits are left until the process dies; below zero: it does not.
    private int left = -1;

    private record Given(Who who, GrantRequest request, Grant result, Instant at) {}

    History(Random random, MutableClock clock, Function<MutableClock, Store> open) {
      this.random = random;
      this.clock = clock;
      this.open = open;
      start();
      Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
      call(root, true, true);
      call(mint(root, "ada", Flag.ADMIN), true, false);
      call(mint(root, "gina", Flag.GRANTOR), false, true);
      call(mint(root, "hugo", Flag.GRANTOR), false, true);
      call(mint(root, "bob"), false, false);
    }

    private void call(Token token, boolean admin, boolean grantor) {
      callers.put(new Who(token.subject().orElse(token.id()), token.id(), admin, grantor), token);
    }

    private Token token(Who who) {
      return Objects.requireNonNull(callers.get(who));
    }

    /// Tokens of Global, which reach every scope.
    private Token mint(Token root, String subject, Flag... flags) {
      TokenRequest request =
          new TokenRequest(
              GLOBAL,
              false,
              Optional.of(subject),
              new TreeSet<>(),
              Optional.empty(),
              Set.of(flags),
              Optional.empty());
      return ((MintResult.Minted) domain.tenancy().tokens().mint(root, request)).token();
    }

    private void start() {
      left = -1;
      store = new CrashingStore(open.apply(clock), () -> left >= 0 && left-- == 0);
      domain =
          Domain.on(
              store,
              new Domain.Parts(
                  random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
    }

    private Instant now() {
      return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    private <T> T one(List<T> of) {
      return of.get(random.nextInt(of.size()));
    }

    private Who who() {
      return one(List.copyOf(callers.keySet()));
    }

    private GrantKey key() {
      String id = one(IDS.subList(0, 5));
      return random.nextBoolean()
          ? GrantKey.approval(id, "r" + random.nextInt(3), one(List.of("read", "delete")))
          : GrantKey.relationship(id, one(List.of("in", "of")), one(IDS.subList(0, 5)));
    }

    void step() {
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3, 4, 5 -> give();
        case 6, 7 -> extend();
        case 8, 9 -> revoke();
        case 10, 11 -> passTime();
        case 12 -> setPolicy();
        case 13 -> delete();
        case 14 -> migrate();
        case 15 -> {
          store.close();
          start();
        }
        case 16 -> repeat();
        default -> {
          // Nothing happens: what is there is compared once more.
        }
      }
      compare();
    }

    /// Mostly around an end: just before it, at it, just after it.
    private void passTime() {
      List<Instant> ends =
          SCOPES.stream()
              .flatMap(scope -> all(scope, true).stream())
              .flatMap(entry -> entry.end().stream())
              .flatMap(end -> List.of(end, end.plus(GrantsModel.GRACE)).stream())
              .filter(end -> end.isAfter(now()))
              .sorted()
              .toList();
      if (!ends.isEmpty() && random.nextInt(3) > 0) {
        Instant end = ends.get(random.nextInt(Math.min(3, ends.size())));
        clock.set(end.plus(random.nextInt(-1, 2), ChronoUnit.MICROS));
      } else {
        clock.advance(Duration.ofSeconds(random.nextInt(1, 7200)));
      }
      if (random.nextInt(5) == 0) {
        // The clock of the machine is set back; that of the store does not run backwards.
        Instant high = clock.instant();
        try (Snapshot seen = store.snapshot()) {
          assertThat(seen.now()).isEqualTo(now());
        }
        clock.set(high.minusSeconds(100));
        compareAt(high.truncatedTo(ChronoUnit.MICROS));
        clock.set(high);
      }
    }

    private List<Entry> all(Scope scope, boolean expiredToo) {
      List<Entry> all = new ArrayList<>();
      for (GrantKind kind : GrantKind.values()) {
        all.addAll(model.all(kind, Set.of(scope), expiredToo, now()));
      }
      return all;
    }

    private WantedLife life() {
      Duration ttl =
          one(
              List.of(
                  Duration.ofSeconds(59),
                  Duration.ofSeconds(60),
                  Duration.ofMinutes(10),
                  Duration.ofHours(2),
                  Duration.ofDays(1),
                  Duration.ofDays(7),
                  Duration.ofDays(365),
                  Duration.ofDays(366)));
      return switch (random.nextInt(4)) {
        case 0 -> WantedLife.USUAL;
        case 1 -> new WantedLife(Optional.empty(), Optional.of(now().plus(ttl)));
        default -> new WantedLife(Optional.of(ttl), Optional.empty());
      };
    }

    /// Whether a life is within the bounds of a policy, and its end.
    private static Optional<Optional<Instant>> settled(
        TtlPolicy policy, WantedLife wanted, Instant now) {
      Optional<Instant> end =
          wanted.expiresAt().or(() -> wanted.ttl().or(policy::defaultTtl).map(now::plus));
      boolean within =
          end.map(
                  each ->
                      !policy.enforce()
                          || (!each.isBefore(now.plus(policy.min()))
                              && !each.isAfter(now.plus(policy.max()))))
              .orElse(true);
      return within ? Optional.of(end) : Optional.empty();
    }

    private void give() {
      Who who = who();
      Scope scope = one(SCOPES);
      GrantKey key = key();
      String type = one(TYPES);
      WantedLife wanted = life();
      Map<String, String> metadata = random.nextBoolean() ? Map.of() : Map.of("why", "é\0");
      boolean unscoped = scope.equals(GLOBAL) && random.nextInt(3) > 0;
      Optional<String> idempotency =
          random.nextInt(4) == 0
              ? Optional.of("key " + random.nextInt(1_000_000))
              : Optional.empty();
      GrantRequest request =
          new GrantRequest(
              scope,
              unscoped,
              key,
              key.kind() == GrantKind.RELATIONSHIP
                  ? Optional.of(new RelationType(type))
                  : Optional.empty(),
              wanted,
              metadata,
              idempotency);
      Optional<Optional<Instant>> end = settled(model.policy(scope), wanted, now());
      boolean may = who.admin() || (key.kind() == GrantKind.APPROVAL && who.grantor());
      boolean own = key.kind() == GrantKind.APPROVAL && who.name().equals(key.first());
      Optional<String> expected =
          end.isEmpty()
              ? Optional.of(may && !own ? "INVALID_TTL" : "FORBIDDEN")
              : model.give(
                  who,
                  scope,
                  key,
                  key.kind() == GrantKind.APPROVAL ? "" : type,
                  end.get(),
                  metadata,
                  unscoped,
                  now());
      Instant at = now();
      expect(
          expected,
          () -> {
            Grant result = domain.grants().writer().give(token(who), request).grant();
            if (idempotency.isPresent()) {
              given.add(new Given(who, request, result, at));
            }
            return result;
          });
    }

    /// The same request once more changes nothing and is answered as before, for a day.
    private void repeat() {
      given.removeIf(each -> !now().isBefore(each.at.plus(Duration.ofHours(24))));
      given.removeIf(each -> deleted.contains(each.request.scope()));
      if (!given.isEmpty()) {
        Given again = one(given);
        Grant result = domain.grants().writer().give(token(again.who), again.request).grant();
        assertThat(result).isEqualTo(again.result);
      }
    }

    private final Set<Scope> deleted = new HashSet<>();

    private void extend() {
      Who who = who();
      Scope scope = one(SCOPES);
      List<Entry> there = all(scope, true);
      GrantKey key = there.isEmpty() ? key() : one(there).key();
      WantedLife wanted = life();
      Optional<Optional<Instant>> end = settled(model.policy(scope), wanted, now());
      boolean endless =
          wanted.equals(WantedLife.USUAL) && model.policy(scope).defaultTtl().isEmpty();
      Optional<String> expected =
          model.extend(who, scope, key, endless ? Optional.empty() : end, now());
      expect(
          endless
              ? expected.map(code -> code.equals("INVALID_TTL") ? "BAD_REQUEST" : code)
              : expected,
          () ->
              domain
                  .grants()
                  .writer()
                  .extend(
                      token(who), new GrantWriter.Extension(scope, key, wanted, Optional.empty())));
    }

    private void revoke() {
      Who who = who();
      Scope scope = one(SCOPES);
      List<Entry> there = all(scope, true);
      GrantKey key = there.isEmpty() ? key() : one(there).key();
      expect(
          model.revoke(who, scope, key, now()),
          () -> domain.grants().writer().revoke(token(who), scope, key));
    }

    private void setPolicy() {
      Scope scope = one(SCOPES);
      Token root = callers.values().iterator().next();
      if (random.nextInt(3) == 0 && model.policies.containsKey(scope)) {
        model.policies.remove(scope);
        domain.tenancy().policies().delete(root, scope);
      } else {
        TtlPolicy policy =
            one(
                List.of(
                    TtlPolicy.STANDARD,
                    TtlPolicy.TEMPORARY,
                    TtlPolicy.SHORT_LIVED,
                    TtlPolicy.LONG_LIVED,
                    new TtlPolicy(
                        Optional.of(Duration.ofMinutes(5)),
                        Duration.ofSeconds(60),
                        Duration.ofDays(1),
                        false)));
        model.policies.put(scope, policy);
        domain.tenancy().policies().put(root, scope, policy);
      }
    }

    private Set<Scope> within(GrantScopes scopes) {
      Set<Scope> all = new HashSet<>(Set.of(scopes.scope()));
      for (Scope each : SCOPES) {
        boolean environment =
            scopes.environments()
                && scopes.scope() instanceof Scope.Tenant(String tenant)
                && each instanceof Scope.TenantEnvironment(String of, _)
                && of.equals(tenant);
        boolean below =
            scopes.descendants()
                && scopes.scope() instanceof Scope.Custom(List<String> path)
                && each instanceof Scope.Custom(List<String> longer)
                && longer.size() > path.size()
                && longer.subList(0, path.size()).equals(path);
        if (environment || below) {
          all.add(each);
        }
      }
      return all;
    }

    private void delete() {
      if (random.nextInt(3) > 0) {
        return;
      }
      GrantScopes scopes = new GrantScopes(one(SCOPES), random.nextBoolean(), random.nextBoolean());
      Set<Scope> all = within(scopes);
      deleted.addAll(all);
      long alive = model.delete(all, now());
      Token root = callers.values().iterator().next();
      Job job = domain.grants().scopes().delete(root, scopes).result();
      Job done = finished(root, job);
      assertThat(done.work().result().get("deleted").asLong()).isEqualTo(alive);
    }

    private void migrate() {
      Scope target = one(SCOPES.subList(1, SCOPES.size()));
      Map<String, Long> counts = model.migrate(target, now());
      Token root = callers.values().iterator().next();
      Job job = domain.grants().scopes().migrate(root, target).result();
      Job done = finished(root, job);
      for (String name : List.of("migrated", "alreadyDone", "skippedExpired", "conflicts")) {
        assertThat(done.work().result().get(name).asLong())
            .as(name)
            .isEqualTo(counts.getOrDefault(name, 0L));
      }
    }

    /// The end of a job whose process may die at any commit.
    private Job finished(Token root, Job job) {
      if (random.nextBoolean()) {
        left = random.nextInt(5);
        try {
          domain.jobs().runAll();
        } catch (CrashingStore.Crash e) {
          store.close();
          start();
        }
        left = -1;
      }
      domain.jobs().runAll();
      Job done = domain.tenancy().jobs().find(root, job.id());
      assertThat(done.state()).isEqualTo(Job.State.DONE);
      return done;
    }

    private static void expect(Optional<String> code, Supplier<?> work) {
      try {
        Object _ = work.get();
        assertThat(code).as("refused by the model").isEmpty();
      } catch (VeridexException e) {
        assertThat(Optional.of(e.code().name())).as(e.getMessage()).isEqualTo(code);
      }
    }

    private void compare() {
      compareAt(now());
    }

    /// Lists, counts, single reads and paths are those of the model.
    private void compareAt(Instant now) {
      Token root = callers.values().iterator().next();
      GrantReader reader = domain.grants().reader();
      GrantScopes scopes = new GrantScopes(one(SCOPES), random.nextBoolean(), random.nextBoolean());
      Set<Scope> within = within(scopes);
      for (GrantKind kind : GrantKind.values()) {
        boolean expiredToo = random.nextBoolean();
        GrantSelection selection = selection(kind, scopes, expiredToo);
        List<Entry> wanted =
            model.all(kind, within, expiredToo, now).stream()
                .filter(entry -> selection.test(entry.key()))
                .toList();
        List<Entry> listed = list(root, selection);
        assertThat(listed).containsExactlyInAnyOrderElementsOf(wanted);
        if (within.size() == 1 && !selection.isReverse()) {
          assertThat(listed).as("in the order of their keys").isEqualTo(wanted);
        }
        assertThat(reader.count(root, selection).value()).isEqualTo(wanted.size());
      }
      GrantKey key = key();
      Optional<Entry> entry = model.find(scopes.scope(), key);
      assertThat(reader.find(root, scopes.scope(), List.of(key)).value().getFirst().isPresent())
          .isEqualTo(entry.filter(each -> each.lives(now)).isPresent());
      try {
        GrantReader.Seen seen = reader.get(root, scopes.scope(), key);
        assertThat(entry.filter(each -> each.isKept(now))).contains(entry(seen.grant()));
        assertThat(seen.expired()).isEqualTo(!entry.orElseThrow().lives(now));
      } catch (VeridexException e) {
        assertThat(entry.filter(each -> each.isKept(now))).isEmpty();
      }
      comparePaths(root, scopes.scope(), now);
    }

    private GrantSelection selection(GrantKind kind, GrantScopes scopes, boolean expiredToo) {
      String target = kind == GrantKind.APPROVAL ? "r" + random.nextInt(3) : one(IDS);
      boolean exact = !target.isEmpty() && random.nextBoolean();
      boolean prefix = !exact && random.nextBoolean();
      return new GrantSelection(
          kind,
          scopes,
          random.nextBoolean() ? Optional.of(one(IDS)) : Optional.empty(),
          exact ? Optional.of(target) : Optional.empty(),
          prefix
              ? Optional.of(target.substring(0, random.nextInt(target.length() + 1)))
              : Optional.empty(),
          random.nextInt(3) == 0 ? Optional.of("in") : Optional.empty(),
          expiredToo);
    }

    private List<Entry> list(Token root, GrantSelection selection) {
      List<Entry> listed = new ArrayList<>();
      Optional<String> cursor = Optional.empty();
      int limit = random.nextInt(1, 5);
      do {
        Page<GrantReader.Seen> page =
            domain.grants().reader().list(root, selection, cursor, limit).value();
        assertThat(page.items().size()).isLessThanOrEqualTo(limit);
        page.items().forEach(seen -> listed.add(entry(seen.grant())));
        cursor = page.cursor();
      } while (cursor.isPresent());
      return listed;
    }

    private static Entry entry(Grant grant) {
      return new Entry(
          grant.scope(),
          grant.key(),
          grant.type().map(RelationType::text).orElse(""),
          grant.origin().by(),
          grant.origin().since(),
          grant.life().expiresAt(),
          grant.metadata(),
          grant.origin().unscoped());
    }

    private void comparePaths(Token root, Scope scope, Instant now) {
      String subject = one(IDS.subList(0, 5));
      String object = one(IDS.subList(0, 5));
      int depth = random.nextInt(1, 5);
      int wanted = model.path(scope, subject, "in", object, depth, now);
      PathResult found =
          domain.grants().paths().find(root, scope, subject, "in", object, depth).value();
      switch (found) {
        case PathResult.Found(List<Grant> steps) -> {
          assertThat(steps).hasSize(wanted);
          assertThat(steps.getFirst().key().first()).isEqualTo(subject);
          assertThat(steps.getLast().key().third()).isEqualTo(object);
          for (int i = 1; i < steps.size(); i++) {
            assertThat(steps.get(i).key().first()).isEqualTo(steps.get(i - 1).key().third());
            assertThat(steps.get(i - 1).type().orElseThrow().isTransitive()).isTrue();
          }
        }
        case PathResult.None() -> assertThat(wanted).isZero();
        case PathResult.MaxDepthExceeded() -> assertThat(wanted).isEqualTo(-1);
      }
    }

    @Override
    public void close() {
      assertThat(
              new GrantIntegrity(store, new IncarnationRecords(), domain.access().grants())
                  .run(_ -> {})
                  .drift())
          .isEmpty();
      store.close();
    }
  }
}
