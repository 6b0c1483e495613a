package dev.veridex.items;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.Retention;
import dev.veridex.buckets.UsageReport;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.quota.Quota;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.ChangeResult;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Random puts, deletes, conditions, expiries, upgrades and restarts, against [ItemsModel].
final class ItemsModelTest {
  private static final List<String> KEYS = List.of("a", "a/b", "a\0", "b", "é");
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final int STEPS = 120;

  @TempDir private Path folder;

  @Test
  @Tag("campaign")
  void aStoreInMemoryHoldsWhatTheModelHolds() {
    Campaign.ITEMS_HISTORIES.forEach(
        seed -> {
          MemoryDisk disk = new MemoryDisk(new Random(seed));
          run(seed, clock -> new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7)));
        });
  }

  @Test
  @Tag("campaign")
  void rocksHoldsWhatTheModelHolds() {
    Campaign.ITEMS_ROCKS.forEach(
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
    Random random = new Random(seed);
    // Not in the past: the engine drops what has expired by the clock of the system.
    MutableClock clock = MutableClock.daysAgo(0);
    try (History history = new History(random, clock, open)) {
      for (int step = 0; step < STEPS; step++) {
        history.step();
      }
    }
  }

  private static Retention randomRetention(Random random) {
    Duration grace = Duration.ofSeconds(random.nextInt(3) * 100L);
    int count = random.nextInt(1, 4);
    return switch (random.nextInt(4)) {
      case 0 -> new Retention.All();
      case 1 -> new Retention.Latest(count, grace);
      case 2 -> new Retention.Ttl(Duration.ofSeconds(200));
      default -> new Retention.Interval(Duration.ofSeconds(100), count, grace);
    };
  }

  /// One run: the product and the model, side by side.
  private static final class History implements AutoCloseable {
    private final Random random;
    private final MutableClock clock;
    private final Function<MutableClock, Store> open;
    private final ItemsModel model;
    private final List<String> ids = new ArrayList<>();
    private Store store;
    private Domain domain;
    private Token root;

    History(Random random, MutableClock clock, Function<MutableClock, Store> open) {
      this.random = random;
      this.clock = clock;
      this.open = open;
      Retention retention = randomRetention(random);
      this.model = new ItemsModel(retention);
      start();
      domain
          .tenancy()
          .accounts()
          .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
      Bucket.Definition wanted =
          new Bucket.Definition(
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Map.of(),
              Optional.empty(),
              Bucket.Placement.SHARED,
              new ItemSettings(false, "", retention));
      ChangeResult<Bucket> made =
          domain
              .buckets()
              .buckets()
              .put(
                  Caller.of(root),
                  ACME,
                  "pages",
                  "items/1",
                  wanted,
                  Optional.empty(),
                  Optional.empty());
      assertThat(made).isInstanceOf(ChangeResult.Done.class);
    }

    private void start() {
      store = open.apply(clock);
      domain =
          Domain.on(
              store,
              new Domain.Parts(
                  random,
                  random,
                  ReversedItemStore.asSecondVersion(),
                  _ -> false,
                  TestAccess.SETTINGS));
      root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
    }

    void step() {
      String key = KEYS.get(random.nextInt(KEYS.size()));
      switch (random.nextInt(16)) {
        case 0, 1, 2, 3 -> put(key);
        case 4 -> delete(key);
        case 5 -> clock.advance(Duration.ofSeconds(random.nextInt(1, 120)));
        case 6 -> toTheHour();
        case 7 -> {
          restart();
          check();
        }
        case 8 -> upgrade();
        case 9, 10 -> read(key);
        case 11, 12 -> list();
        case 13 -> revisions(key);
        default -> usage(false);
      }
    }

    private Items.Request request(String key) {
      return new Items.Request(
          new ActingCaller(Caller.of(root), Optional.empty()), ACME, "pages", key);
    }

    /// The store counts in microseconds.
    private Instant now() {
      return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    private Items.Conditions randomConditions(String key) {
      Optional<String> current =
          model.current(key, now()).filter(kept -> kept.value.isPresent()).map(kept -> kept.id);
      return switch (random.nextInt(6)) {
        case 0 -> new Items.Conditions(Optional.of("*"), Optional.empty());
        case 1 -> new Items.Conditions(Optional.empty(), Optional.of("*"));
        case 2 ->
            new Items.Conditions(
                Optional.of("\"" + current.orElse(UUID.randomUUID().toString()) + "\""),
                Optional.empty());
        case 3 ->
            new Items.Conditions(
                ids.isEmpty()
                    ? Optional.empty()
                    : Optional.of("\"" + ids.get(random.nextInt(ids.size())) + "\""),
                Optional.empty());
        default -> Items.Conditions.NONE;
      };
    }

    private boolean holds(Items.Conditions conditions, String key) {
      Optional<String> current =
          model.current(key, now()).filter(kept -> kept.value.isPresent()).map(kept -> kept.id);
      boolean match =
          conditions
              .ifMatch()
              .map(
                  wanted ->
                      current.isPresent()
                          && (wanted.equals("*") || wanted.equals("\"" + current.get() + "\"")))
              .orElse(true);
      return match && (conditions.ifNoneMatch().isEmpty() || current.isEmpty());
    }

    private void put(String key) {
      String value = "x".repeat(random.nextInt(20));
      Optional<Duration> ttl =
          random.nextInt(3) == 0
              ? Optional.of(Duration.ofSeconds(random.nextInt(60, 300)))
              : Optional.empty();
      Items.Conditions conditions = randomConditions(key);
      Items.Content content =
          new Items.Content("text/plain", new TreeMap<>(), value.getBytes(UTF_8), ttl);
      boolean holds = holds(conditions, key);
      try {
        Items.WriteResult written = domain.items().items().put(request(key), content, conditions);
        assertThat(holds).as("%s", conditions).isTrue();
        wrote(key, written, Optional.of(value), ttl);
      } catch (VeridexException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.PRECONDITION_FAILED);
        assertThat(holds).isFalse();
      }
    }

    private void delete(String key) {
      Items.Conditions conditions = randomConditions(key);
      boolean holds = holds(conditions, key);
      boolean there = model.value(key, now()).isPresent();
      try {
        Items.WriteResult written = domain.items().items().delete(request(key), conditions);
        assertThat(holds && there).isTrue();
        wrote(key, written, Optional.empty(), Optional.empty());
      } catch (VeridexException e) {
        assertThat(e.code()).isEqualTo(holds ? ErrorCode.NOT_FOUND : ErrorCode.PRECONDITION_FAILED);
        assertThat(holds && there).isFalse();
      }
    }

    private void wrote(
        String key, Items.WriteResult written, Optional<String> value, Optional<Duration> ttl) {
      String id = written.item().id().toString();
      assertThat(ids).doesNotContain(id);
      List<String> before = model.revisions(key, now());
      before.stream()
          .findFirst()
          .ifPresent(last -> assertThat(id).as("ids rise").isGreaterThan(last));
      ids.add(id);
      model.write(key, id, now(), value, ttl.map(now()::plus));
      if (random.nextInt(4) == 0) {
        // So that revisions of the same microsecond are common, and others too.
        clock.advance(Duration.ofMillis(random.nextInt(3)));
      }
    }

    private void read(String key) {
      assertThat(value(key, new Items.Which.Current())).isEqualTo(model.value(key, now()));
      if (!ids.isEmpty()) {
        String id = ids.get(random.nextInt(ids.size()));
        assertThat(value(key, new Items.Which.WithId(UUID.fromString(id))))
            .isEqualTo(model.withId(key, id, now()));
      }
      Instant time = now().minusSeconds(random.nextInt(-10, 400));
      assertThat(value(key, new Items.Which.At(time))).isEqualTo(model.at(key, time, now()));
    }

    private Optional<String> value(String key, Items.Which which) {
      try {
        Items.ItemValue read = domain.items().items().read(request(key), which, _ -> {});
        assertThat(read.item().bytes()).isEqualTo(read.value().length);
        return Optional.of(new String(read.value(), UTF_8));
      } catch (VeridexException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
        return Optional.empty();
      }
    }

    private void list() {
      String prefix = List.of("", "a", "a/", "c").get(random.nextInt(4));
      int limit = random.nextInt(1, 4);
      List<String> listed = new ArrayList<>();
      Optional<Items.Position> from = Optional.empty();
      do {
        Items.ItemPage page =
            domain
                .items()
                .items()
                .list(
                    new ActingCaller(Caller.of(root), Optional.empty()),
                    ACME,
                    "pages",
                    prefix,
                    from,
                    limit);
        assertThat(page.items().size()).isLessThanOrEqualTo(limit);
        page.items().forEach(item -> listed.add(item.key()));
        from = page.next();
      } while (from.isPresent());
      assertThat(listed).isEqualTo(model.keys(prefix, now()));
    }

    private void revisions(String key) {
      List<String> listed = new ArrayList<>();
      Optional<UUID> cursor = Optional.empty();
      try {
        do {
          var page = domain.items().items().revisions(request(key), cursor, 2);
          page.items().forEach(item -> listed.add(item.id().toString()));
          cursor = page.cursor().map(UUID::fromString);
        } while (cursor.isPresent());
      } catch (VeridexException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
      }
      assertThat(listed).isEqualTo(model.revisions(key, now()));
    }

    /// What is counted is never less than the truth, and the truth with each full hour.
    private void usage(boolean exactly) {
      UsageReport.Usages bucket = domain.buckets().usageReport().of(Caller.of(root), ACME, "pages");
      UsageReport.Usages account = domain.buckets().usageReport().of(Caller.of(root), ACME);
      for (Quota quota : List.of(Quota.ITEMS, Quota.BYTES)) {
        assertThat(account.used().get(quota)).isEqualTo(bucket.used().get(quota));
      }
      long items = model.count(now());
      long bytes = model.bytes(now());
      if (exactly) {
        assertThat(bucket.used()).containsEntry(Quota.ITEMS, items);
        assertThat(bucket.used()).containsEntry(Quota.BYTES, bytes);
      } else {
        assertThat(bucket.used().get(Quota.ITEMS)).isGreaterThanOrEqualTo(items);
        assertThat(bucket.used().get(Quota.BYTES)).isGreaterThanOrEqualTo(bytes);
      }
    }

    /// What is derived agrees with what it is derived from.
    private void check() {
      ContentIntegrity check =
          new ContentIntegrity(store, Domain.contents(ReversedItemStore.asSecondVersion()));
      assertThat(check.run(_ -> {}).drift()).isEmpty();
    }

    private void toTheHour() {
      clock.set(clock.instant().truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS));
      usage(true);
      if (random.nextBoolean()) {
        domain.buckets().usageSweeper().runOnce();
        usage(true);
      }
    }

    /// Begins an upgrade, copies some, finishes it or gives it up.
    private void upgrade() {
      Caller caller = Caller.of(root);
      switch (random.nextInt(4)) {
        case 0 -> domain.buckets().upgrades().begin(caller, ACME, "pages", Optional.empty());
        case 1 -> domain.buckets().upgrades().abort(caller, ACME, "pages");
        case 2 -> domain.jobs().steps().runOnce();
        default -> {
          ChangeResult<Bucket> finished = domain.items().upgrades().finish(caller, ACME, "pages");
          if (finished instanceof ChangeResult.Refused<Bucket>(var problem)) {
            assertThat(problem.code()).isEqualTo(ErrorCode.CONFLICT);
          }
        }
      }
      if (random.nextBoolean()) {
        domain.jobs().runAll();
      }
    }

    private void restart() {
      store.close();
      start();
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
