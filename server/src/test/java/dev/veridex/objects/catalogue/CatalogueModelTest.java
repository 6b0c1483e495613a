package dev.veridex.objects.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.buckets.ObjectSettings.Mode;
import dev.veridex.common.Expiry;
import dev.veridex.common.MutableClock;
import dev.veridex.objects.catalogue.ObjectSelection.State;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectFacts;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.Sequencer;
import dev.veridex.store.CrashingStore;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Random sets of events, shuffled, doubled, in batches, with restarts and with crashes just before
/// and just after a commit, against [CatalogueModel].
final class CatalogueModelTest {
  private static final List<EventReason> CREATIONS =
      List.of(EventReason.CREATED_PUT, EventReason.CREATED_COPY);
  private static final List<EventReason> TRANSITIONS =
      List.of(EventReason.RESTORED, EventReason.RESTORE_EXPIRED, EventReason.STORAGE_CLASS_CHANGED);
  private static final List<EventReason> DELETIONS =
      List.of(EventReason.DELETED, EventReason.DELETED_LIFECYCLE);
  private static final Instant TIME = Instant.parse("2026-01-31T12:00:00Z");

  @TempDir private Path folder;
  private int crashes;

  @Test
  @Tag("campaign")
  void aStoreInMemoryHoldsWhatTheModelHolds() {
    Campaign.OBJECTS_HISTORIES.forEach(
        seed -> {
          MemoryDisk disk = new MemoryDisk(new Random(seed));
          run(seed, clock -> new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7)));
        });
    Campaign.OBJECTS_HISTORIES.count(crashes, "crashes");
  }

  @Test
  @Tag("campaign")
  void rocksHoldsWhatTheModelHolds() {
    Campaign.OBJECTS_ROCKS.forEach(
        seed ->
            run(
                seed,
                clock ->
                    RocksStore.open(
                        folder.resolve("" + seed),
                        RocksSettings.DEFAULT,
                        clock,
                        clock,
                        new Random(seed))));
  }

  private void run(long seed, Function<MutableClock, Store> stores) {
    Random random = new Random(seed);
    AtomicBoolean fragile = new AtomicBoolean();
    try (CatalogueWorld world =
        new CatalogueWorld(
            clock ->
                new CrashingStore(
                    stores.apply(clock), () -> fragile.get() && random.nextInt(12) == 0))) {
      for (Mode mode : Mode.values()) {
        CatalogueModel model = new CatalogueModel();
        List<ObjectEvent> events = events(random, mode);
        Map<ObjectEvent.Identity, Long> seen = new HashMap<>();
        Map<Instant, Set<ObjectEvent.Identity>> then = new HashMap<>();
        for (int from = 0; from < events.size(); ) {
          int to = Math.min(events.size(), from + 1 + random.nextInt(8));
          List<ObjectEvent> batch = events.subList(from, to);
          int times = receive(world, mode, batch, fragile);
          batch.forEach(model::add);
          batch.forEach(event -> seen.merge(event.identity(), (long) times, Long::sum));
          from = to;
          assertCurrent(world, mode, model);
          then.put(world.clock.instant(), model.current());
          world.clock.advance(Duration.ofSeconds(1));
          if (random.nextInt(12) == 0) {
            world.reopen();
          }
        }
        assertRows(world, mode, model, seen);
        assertPast(world, mode, model, then);
        assertThat(
                world.receive(mode, events).stream()
                    .filter(result -> !(result instanceof EventResult.Duplicate)))
            .as("the same events again change nothing")
            .isEmpty();
        assertCurrent(world, mode, model);
      }
      assertCounts(world);
      assertIntegrity(world);
    }
  }

  /// Sends a batch until it is acknowledged, whenever the process dies.
  ///
  /// @return how many times it was committed
  private int receive(
      CatalogueWorld world, Mode mode, List<ObjectEvent> batch, AtomicBoolean fragile) {
    int committed = 0;
    while (true) {
      long before = world.store().revision().sequence();
      fragile.set(true);
      try {
        world.receive(mode, batch);
        fragile.set(false);
        return committed + 1;
      } catch (CrashingStore.Crash e) {
        fragile.set(false);
        crashes++;
        world.reopen();
        committed += world.store().revision().sequence() > before ? 1 : 0;
      }
    }
  }

  private static List<ObjectEvent> events(Random random, Mode mode) {
    List<ObjectEvent> events = new ArrayList<>();
    int versions = 1 + random.nextInt(random.nextInt(4) == 0 ? 12 : 3);
    int keys = 1 + random.nextInt(3);
    int count = 1 + random.nextInt(60);
    boolean sequencers = random.nextInt(4) > 0;
    for (int i = 0; i < count; i++) {
      events.add(event(random, mode, keys, versions, sequencers));
    }
    for (int i = random.nextInt(count + 1); i > 0; i--) {
      events.add(events.get(random.nextInt(events.size())));
    }
    Collections.shuffle(events, random);
    return events;
  }

  private static ObjectEvent event(
      Random random, Mode mode, int keys, int versions, boolean sequencers) {
    ObjectKey object =
        new ObjectKey("b" + random.nextInt(2), "k/" + (char) ('a' + random.nextInt(keys)));
    String version = random.nextInt(versions) == 0 ? "null" : "v" + random.nextInt(versions);
    Instant time = TIME.plusSeconds(random.nextInt(12));
    boolean created = random.nextBoolean();
    boolean loose = random.nextInt(sequencers ? 4 : 2) == 0;
    boolean transition = loose && created && mode == Mode.UNPAIRED && random.nextInt(3) > 0;
    EventReason reason = pick(random, transition ? TRANSITIONS : created ? CREATIONS : DELETIONS);
    EventType type = created ? EventType.CREATED : EventType.DELETED;
    ObjectEvent.Identity identity =
        loose
            ? new ObjectEvent.Sequenceless(object, version, type, reason, Expiry.micros(time))
            : new ObjectEvent.Native(object, version, type, sequencer(random));
    // The store gives a sequencer with one time and one reason.
    Instant own = loose ? time : TIME.plusSeconds(Math.floorMod(identity.hashCode(), 12));
    return new ObjectEvent(
        identity,
        own,
        new ObjectEvent.Details(
            reason, !created && Math.floorMod(identity.hashCode(), 3) == 0, false, facts(random)));
  }

  private static Sequencer sequencer(Random random) {
    String text =
        Integer.toHexString(random.nextInt(random.nextBoolean() ? 8 : 200))
            + "0".repeat(random.nextInt(3));
    return Sequencer.of(text).orElseThrow();
  }

  private static <T> T pick(Random random, List<T> some) {
    return some.get(random.nextInt(some.size()));
  }

  private static ObjectFacts facts(Random random) {
    return new ObjectFacts(
        random.nextBoolean() ? Optional.of((long) random.nextInt(100)) : Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        random.nextBoolean()
            ? Optional.of(random.nextBoolean() ? "GLACIER" : "STANDARD")
            : Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static void assertCurrent(CatalogueWorld world, Mode mode, CatalogueModel model) {
    List<ObjectRow> rows = world.rows(mode, new State.Current());
    Set<ObjectKey> objects = new HashSet<>();
    for (ObjectRow row : rows) {
      assertThat(objects.add(row.object())).as("one current row: %s", row).isTrue();
    }
    assertThat(rows.stream().map(ObjectRow::identity))
        .containsExactlyInAnyOrderElementsOf(model.current());
  }

  private static void assertRows(
      CatalogueWorld world, Mode mode, CatalogueModel model, Map<ObjectEvent.Identity, Long> seen) {
    List<ObjectRow> rows = world.rows(mode, new State.History());
    assertThat(rows.stream().map(CatalogueModel::text))
        .containsExactlyInAnyOrderElementsOf(model.rows(mode == Mode.PAIRED));
    for (ObjectRow row : rows) {
      assertThat(row.event().duplicates()).isEqualTo(seen.getOrDefault(row.identity(), 0L) - 1);
    }
    Map<ObjectKey, ObjectRow> current = new HashMap<>();
    rows.stream().filter(ObjectRow::isCurrent).forEach(row -> current.put(row.object(), row));
    for (ObjectRow row : world.rows(mode, new State.Current())) {
      assertThat(row)
          .as("listed as current, and in the history")
          .isEqualTo(current.get(row.object()));
    }
    assertThat(world.rows(mode, new State.HappenedBy(TIME.plusSeconds(20))))
        .as("what was there after all events")
        .containsExactlyInAnyOrderElementsOf(current.values());
    assertThat(world.rows(mode, new State.AcceptedBy(world.clock.instant())))
        .containsExactlyInAnyOrderElementsOf(current.values());
  }

  /// What was current at each time of acceptance, and at times of the object store.
  private static void assertPast(
      CatalogueWorld world,
      Mode mode,
      CatalogueModel model,
      Map<Instant, Set<ObjectEvent.Identity>> then) {
    then.forEach(
        (time, current) ->
            assertThat(
                    world.rows(mode, new State.AcceptedBy(time)).stream().map(ObjectRow::identity))
                .as("accepted by %s", time)
                .containsExactlyInAnyOrderElementsOf(current));
    for (int second = -1; second <= 20; second += 3) {
      Instant time = TIME.plusSeconds(second);
      assertThat(world.rows(mode, new State.HappenedBy(time)).stream().map(ObjectRow::identity))
          .as("happened by %s", time)
          .containsExactlyInAnyOrderElementsOf(model.happenedBy(time).current());
    }
  }

  private static void assertCounts(CatalogueWorld world) {
    for (Mode mode : Mode.values()) {
      List<ObjectRow> current = world.rows(mode, new State.Current());
      assertThat(
              world.counts(mode.text()).stream()
                  .filter(count -> !count.bytes())
                  .mapToLong(ObjectCount::sum)
                  .sum())
          .isEqualTo(current.size());
      assertThat(
              world.counts(mode.text()).stream()
                  .filter(ObjectCount::bytes)
                  .mapToLong(ObjectCount::sum)
                  .sum())
          .isEqualTo(current.stream().mapToLong(row -> row.facts().size().orElse(0L)).sum());
    }
  }

  private static void assertIntegrity(CatalogueWorld world) {
    assertThat(
            new ContentIntegrity(world.store(), Domain.contents(Domain.itemVersions()))
                .run(_ -> {})
                .drift())
        .isEmpty();
  }
}
