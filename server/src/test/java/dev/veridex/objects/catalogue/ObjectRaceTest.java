package dev.veridex.objects.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.buckets.ObjectSettings.Mode;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectFacts;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.Sequencer;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.suite.Campaign;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Events of the same keys from two threads at once.
final class ObjectRaceTest {
  private static final Instant TIME = Instant.parse("2026-01-31T12:00:00Z");
  private static final int KEYS = 12;

  private final MemoryDisk disk = new MemoryDisk(new Random(1));
  private final CatalogueWorld world =
      new CatalogueWorld(
          clock -> new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7)));

  @AfterEach
  void stop() {
    world.close();
  }

  private static ObjectEvent created(String bucket, String key, int sequencer) {
    return new ObjectEvent(
        new ObjectEvent.Native(
            new ObjectKey(bucket, key),
            ObjectEvent.NO_VERSION,
            EventType.CREATED,
            Sequencer.of("%X".formatted(sequencer)).orElseThrow()),
        TIME,
        new ObjectEvent.Details(EventReason.CREATED_PUT, false, false, ObjectFacts.NONE));
  }

  private static void together(List<Runnable> work) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      work.forEach(each -> all.add(threads.submit(each)));
      for (Future<?> each : all) {
        each.get();
      }
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private List<ObjectRow> rows(String bucket, ObjectSelection.State state) {
    ObjectSelection all = ObjectSelection.all();
    return world.rows(
        Mode.UNPAIRED.text(),
        new ObjectSelection(Optional.of(bucket), "", false, all.objects(), state, all.rows()));
  }

  @Test
  @Tag("campaign")
  void theLaterOneIsAlwaysCurrent() {
    Campaign.OBJECTS_RACE.forEach(
        seed -> {
          String bucket = "b" + seed;
          ObjectEvent one = created(bucket, "k", 1);
          ObjectEvent two = created(bucket, "k", 2);
          together(
              List.of(
                  () -> world.receive(Mode.UNPAIRED, List.of(one)),
                  () -> world.receive(Mode.UNPAIRED, List.of(two))));
          assertThat(rows(bucket, new ObjectSelection.State.Current()))
              .extracting(ObjectRow::identity)
              .containsExactly(two.identity());
          assertThat(rows(bucket, new ObjectSelection.State.History())).hasSize(2);
        });
  }

  @Test
  void batchesInOppositeOrderLoseNothing() {
    for (int round = 0; round < 50; round++) {
      String bucket = "o" + round;
      List<ObjectEvent> events = new ArrayList<>();
      for (int key = 0; key < KEYS; key++) {
        events.add(created(bucket, "k" + key, 1));
        events.add(created(bucket, "k" + key, 2));
      }
      together(
          List.of(
              () -> world.receive(Mode.UNPAIRED, events),
              () -> world.receive(Mode.UNPAIRED, events.reversed())));
      assertThat(rows(bucket, new ObjectSelection.State.History())).hasSize(2 * KEYS);
      assertThat(rows(bucket, new ObjectSelection.State.Current()))
          .hasSize(KEYS)
          .allSatisfy(row -> assertThat(row.sequencer()).contains("2"));
    }
  }
}
