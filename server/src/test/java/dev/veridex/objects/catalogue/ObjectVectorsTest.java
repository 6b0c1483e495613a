package dev.veridex.objects.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.buckets.ObjectSettings.Mode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Vectors;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectFacts;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.Sequencer;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

/// The vectors of object events: in order, shuffled and doubled, in batches, from several threads.
final class ObjectVectorsTest {
  private static final int SHUFFLES = 50;
  private static final Instant TIME = Instant.parse("2026-01-31T12:00:00Z");

  private final MemoryDisk disk = new MemoryDisk(new Random(1));
  private final CatalogueWorld world =
      new CatalogueWorld(
          clock -> new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7)));
  private int runs;

  @AfterEach
  void stop() {
    world.close();
  }

  @TestFactory
  Stream<DynamicTest> everyVector() {
    return Vectors.read("objects.json")
        .valueStream()
        .map(
            vector ->
                DynamicTest.dynamicTest(
                    vector.get("id").asString() + " " + vector.get("name").asString(),
                    () -> check(vector)));
  }

  @Test
  void thereAreVectorsOfBothModes() {
    assertThat(Vectors.read("objects.json").valueStream().map(each -> each.get("mode").asString()))
        .contains("paired", "unpaired")
        .hasSize(43);
  }

  private void check(JsonNode vector) throws InterruptedException, ExecutionException {
    Mode mode = vector.get("mode").asString().equals("paired") ? Mode.PAIRED : Mode.UNPAIRED;
    List<JsonNode> events = vector.get("events").valueStream().toList();
    runs++;
    world.receive(mode, events(events));
    compare(vector, mode);
    Random random = new Random(vector.get("id").asString().hashCode());
    for (int i = 0; i < SHUFFLES; i++) {
      List<JsonNode> shuffled = new ArrayList<>(events);
      shuffled.addAll(events.subList(0, random.nextInt(events.size() + 1)));
      Collections.shuffle(shuffled, random);
      runs++;
      List<ObjectEvent> some = events(shuffled);
      if (i % 10 == 9) {
        fromThreads(mode, some);
      } else {
        for (int from = 0; from < some.size(); ) {
          int to = Math.min(some.size(), from + 1 + random.nextInt(3));
          world.receive(mode, some.subList(from, to));
          from = to;
        }
      }
      compare(vector, mode);
    }
  }

  private void fromThreads(Mode mode, List<ObjectEvent> events)
      throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      events.forEach(event -> all.add(threads.submit(() -> world.receive(mode, List.of(event)))));
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  /// Each run has buckets of its own in the same catalogue.
  private String bucket(String name) {
    return name + "." + runs;
  }

  private List<ObjectEvent> events(List<JsonNode> nodes) {
    return nodes.stream().map(this::event).toList();
  }

  private ObjectEvent event(JsonNode node) {
    boolean created = node.get("type").asString().equals("Created");
    ObjectKey key =
        new ObjectKey(bucket(node.get("bucket").asString()), node.get("key").asString());
    String version = node.path("versionId").asString(ObjectEvent.NO_VERSION);
    EventType type = created ? EventType.CREATED : EventType.DELETED;
    EventReason reason = created ? EventReason.CREATED_PUT : EventReason.DELETED;
    ObjectEvent.Identity identity =
        node.path("sequencer").isString()
            ? new ObjectEvent.Native(
                key, version, type, Sequencer.of(node.get("sequencer").asString()).orElseThrow())
            : new ObjectEvent.Sequenceless(key, version, type, reason, Expiry.micros(TIME));
    return new ObjectEvent(
        identity,
        TIME,
        new ObjectEvent.Details(
            reason, node.get("deleteMarker").asBoolean(), false, ObjectFacts.NONE));
  }

  private void compare(JsonNode vector, Mode mode) {
    String suffix = "." + runs;
    ObjectSelection all = ObjectSelection.all();
    List<String> rows =
        vector
            .get("events")
            .valueStream()
            .map(event -> bucket(event.get("bucket").asString()))
            .distinct()
            .flatMap(
                bucket ->
                    world
                        .rows(
                            mode.text(),
                            new ObjectSelection(
                                Optional.of(bucket),
                                "",
                                false,
                                all.objects(),
                                new ObjectSelection.State.History(),
                                all.rows()))
                        .stream())
            .map(row -> text(row, mode, suffix))
            .toList();
    List<String> expected =
        vector.get("expected").valueStream().map(node -> text(node, mode)).toList();
    assertThat(rows).as(vector.toString()).containsExactlyInAnyOrderElementsOf(expected);
  }

  private static String text(ObjectRow row, Mode mode, String suffix) {
    String bucket = row.object().bucket();
    String name =
        "%s/%s@%s "
            .formatted(
                bucket.substring(0, bucket.length() - suffix.length()),
                row.object().key(),
                row.identity().versionId());
    return name
        + (mode == Mode.PAIRED
            ? "%s..%s"
                .formatted(
                    row.sequencer().orElse("null"),
                    row.deletion().map(ObjectRow.Deletion::sequencer).orElse("null"))
            : "%s %s marker=%s current=%s"
                .formatted(
                    row.type().text(),
                    row.sequencer().orElseThrow(),
                    row.isMarker(),
                    row.isCurrent()));
  }

  private static String text(JsonNode node, Mode mode) {
    String name =
        "%s/%s@%s "
            .formatted(
                node.get("bucket").asString(),
                node.get("key").asString(),
                node.path("versionId").asString(ObjectEvent.NO_VERSION));
    return name
        + (mode == Mode.PAIRED
            ? "%s..%s"
                .formatted(
                    node.path("sequencer").asString("null"),
                    node.path("deletedSequencer").asString("null"))
            : "%s %s marker=%s current=%s"
                .formatted(
                    node.get("type").asString(),
                    node.get("sequencer").asString(),
                    node.get("deleteMarker").asBoolean(),
                    node.get("isCurrentState").asBoolean()));
  }
}
