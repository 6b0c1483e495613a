package dev.veridex.objects.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.buckets.ObjectSettings.Mode;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Events that come again and tell something else.
final class DuplicateEventTest {
  private static CatalogueWorld world() {
    MemoryDisk disk = new MemoryDisk(new Random(1));
    return new CatalogueWorld(
        clock -> new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7)));
  }

  private static void send(CatalogueWorld world, Mode mode, String name, int second, String more) {
    world.receive(
        mode.text(),
        CatalogueWorld.parse(
            "{'Records':[{'eventTime':'2026-01-01T00:00:0%dZ','eventName':'%s','s3':{'bucket':{'name':'b'},'object':{'key':'k'%s}}}]}"
                .formatted(second, name, more)));
  }

  private static List<String> drift(CatalogueWorld world) {
    return new ContentIntegrity(world.store(), Domain.contents(Domain.itemVersions()))
        .run(_ -> {})
        .drift();
  }

  /// In pairs, an event that turns out to be earlier parts others: the rows are counted again.
  @Test
  void pairsAreCountedAgain() {
    try (CatalogueWorld world = world()) {
      send(world, Mode.PAIRED, "ObjectCreated:Put", 1, ",'sequencer':'1'");
      send(world, Mode.PAIRED, "ObjectRemoved:Delete", 3, "");
      send(world, Mode.PAIRED, "ObjectCreated:Put", 5, ",'sequencer':'2'");
      send(world, Mode.PAIRED, "ObjectRemoved:Delete", 7, ",'sequencer':'3'");
      assertThat(world.rows(Mode.PAIRED, new ObjectSelection.State.History())).hasSize(2);
      send(world, Mode.PAIRED, "ObjectCreated:Put", 2, ",'sequencer':'2'");
      assertThat(world.rows(Mode.PAIRED, new ObjectSelection.State.History())).hasSize(3);
      assertThat(drift(world)).isEmpty();
    }
  }

  /// An event that says how an object was created tells more than one that only says that it was.
  @Test
  void aReasonBeatsNone() {
    String bridge =
        "{'version':'0','detail-type':'Object Created','source':'aws.s3','time':'2026-01-01T00:00:01Z','detail':{'bucket':{'name':'b'},'object':{'key':'k','sequencer':'1'}}}";
    for (boolean first : List.of(true, false)) {
      try (CatalogueWorld world = world()) {
        if (first) {
          world.receive(Mode.UNPAIRED.text(), CatalogueWorld.parse(bridge));
        }
        send(world, Mode.UNPAIRED, "ObjectCreated:Put", 1, ",'sequencer':'1'");
        if (!first) {
          world.receive(Mode.UNPAIRED.text(), CatalogueWorld.parse(bridge));
        }
        assertThat(world.rows(Mode.UNPAIRED, new ObjectSelection.State.Current()))
            .singleElement()
            .extracting(row -> row.reason().text())
            .isEqualTo("CreatedPut");
      }
    }
  }
}
