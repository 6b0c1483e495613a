package dev.veridex.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.VersionTuple;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import dev.veridex.suite.Campaign;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What every [SearchIndex] promises.
public interface SearchIndexContract {
  Instant NOW = Instant.parse("2026-05-01T12:00:00Z");

  /// The schema of the documents here: a title to search, a number to sort by.
  Schema SCHEMA =
      Schema.EMPTY.with(
          Map.of(
              "title",
              Schema.Field.found(FieldKind.STRING, true),
              "price",
              Schema.Field.found(FieldKind.NUMBER, true)),
          Map.of());

  /// The indexes of a fresh folder.
  SearchIndexes indexes();

  /// What a crash leaves of an index that is open: what was not committed may be gone.
  void crash(SearchIndex index);

  static RawDocument document(String pk, String title, long price) {
    return RawDocument.newBuilder()
        .setPk(pk)
        .setEpoch(1)
        .setAction(Action.UPSERT)
        .addFields(
            Field.newBuilder().setName("price").addValues(Value.newBuilder().setInteger(price)))
        .addFields(Field.newBuilder().setName("title").addValues(Value.newBuilder().setText(title)))
        .build();
  }

  static IndexChange put(String pk, long version, Optional<Instant> end) {
    return new IndexChange(
        pk,
        new VersionTuple(1, version, 0),
        Optional.of(
            new IndexChange.Entry(
                document(pk, "title " + version, version), end, List.of("r-" + pk))),
        end.map(time -> time.plus(Duration.ofDays(30))));
  }

  static IndexChange delete(String pk, long version, Optional<Instant> rememberedUntil) {
    return new IndexChange(pk, new VersionTuple(1, version, 0), Optional.empty(), rememberedUntil);
  }

  /// What is in an index: the version of each document.
  static Map<String, Long> versions(SearchIndex index, Instant now) {
    Map<String, Long> versions = new TreeMap<>();
    try (IndexView view = index.view()) {
      view.each(now, held -> versions.put(held.pk(), held.tuple().version()));
    }
    return versions;
  }

  static IndexProgress progress(long offset) {
    return new IndexProgress(new TreeMap<>(Map.of(0, offset)), NOW);
  }

  @Test
  default void whatIsWrittenIsCounted() {
    try (SearchIndexes indexes = indexes();
        SearchIndex index = indexes.open("a")) {
      index.apply(SCHEMA, List.of(put("a", 2, Optional.of(NOW)), put("b", 1, Optional.empty())));
      index.refresh();
      long written = indexes.written();
      assertThat(written).isGreaterThanOrEqualTo(2);
      index.apply(SCHEMA, List.of(put("a", 1, Optional.empty())));
      index.refresh();
      index.commit(progress(1));
      assertThat(versions(index, NOW.minusSeconds(1))).hasSize(2);
      assertThat(indexes.written()).as("nothing new").isEqualTo(written);
      assertThat(index.expire(NOW.plusSeconds(1))).isTrue();
      assertThat(indexes.written()).as("one is gone").isGreaterThan(written);
    }
  }

  @Test
  default void theNewestStateWinsWhateverTheOrder() {
    try (SearchIndexes indexes = indexes();
        SearchIndex index = indexes.open("a")) {
      index.apply(
          SCHEMA,
          List.of(
              put("a", 2, Optional.empty()),
              put("a", 1, Optional.empty()),
              delete("b", 5, Optional.empty()),
              put("b", 4, Optional.empty())));
      index.refresh();
      assertThat(versions(index, NOW)).isEqualTo(Map.of("a", 2L));
      index.apply(SCHEMA, List.of(put("b", 6, Optional.empty()), put("a", 1, Optional.empty())));
      index.refresh();
      assertThat(versions(index, NOW)).isEqualTo(Map.of("a", 2L, "b", 6L));
    }
  }

  @Test
  default void whatIsPastItsTimeIsNotThereAndIsNotForgotten() {
    try (SearchIndexes indexes = indexes();
        SearchIndex index = indexes.open("a")) {
      Instant end = NOW.plusSeconds(60);
      index.apply(SCHEMA, List.of(put("a", 2, Optional.of(end)), put("b", 1, Optional.empty())));
      index.refresh();
      assertThat(versions(index, end.minusNanos(1000))).containsOnlyKeys("a", "b");
      assertThat(versions(index, end)).as("by the clock alone").containsOnlyKeys("b");
      assertThat(index.expire(end)).isTrue();
      index.refresh();
      assertThat(index.expire(end)).as("nothing more").isFalse();
      index.apply(SCHEMA, List.of(put("a", 1, Optional.empty())));
      index.refresh();
      assertThat(versions(index, end.minusSeconds(30))).as("removed").containsOnlyKeys("b");
      index.expire(end.plus(Duration.ofDays(30)));
      index.refresh();
      index.apply(SCHEMA, List.of(put("a", 1, Optional.empty())));
      index.refresh();
      assertThat(versions(index, end)).as("forgotten in time").containsOnlyKeys("a", "b");
    }
  }

  @Test
  default void viewsStandStill() {
    try (SearchIndexes indexes = indexes();
        SearchIndex index = indexes.open("a")) {
      index.apply(SCHEMA, List.of(put("a", 1, Optional.empty())));
      index.refresh();
      try (IndexView view = index.view()) {
        index.apply(
            SCHEMA, List.of(delete("a", 2, Optional.empty()), put("b", 1, Optional.empty())));
        index.refresh();
        List<String> held = new ArrayList<>();
        view.each(NOW, each -> held.add(each.pk()));
        assertThat(held).containsExactly("a");
      }
      assertThat(versions(index, NOW)).containsOnlyKeys("b");
    }
  }

  @Test
  default void whatIsCommittedSurvivesAndSaysHowFarItCame() {
    try (SearchIndexes indexes = indexes()) {
      SearchIndex index = indexes.open("a");
      assertThat(index.committed()).isEmpty();
      index.apply(SCHEMA, List.of(put("a", 1, Optional.empty()), delete("b", 2, Optional.empty())));
      index.commit(progress(7));
      index.apply(SCHEMA, List.of(put("c", 1, Optional.empty())));
      crash(index);
      try (SearchIndex again = indexes.open("a")) {
        assertThat(again.committed()).contains(progress(7));
        assertThat(versions(again, NOW)).isEqualTo(Map.of("a", 1L));
        again.apply(SCHEMA, List.of(put("b", 1, Optional.empty())));
        again.refresh();
        assertThat(versions(again, NOW)).as("deletes are remembered").isEqualTo(Map.of("a", 1L));
      }
      assertThat(indexes.names()).containsExactly("a");
      indexes.drop("a");
      assertThat(indexes.names()).isEmpty();
      try (SearchIndex empty = indexes.open("a")) {
        assertThat(empty.committed()).isEmpty();
      }
    }
  }

  @Test
  default void ordinalsAreOfTheResourceAndStay() {
    try (SearchIndexes indexes = indexes()) {
      Map<String, List<Long>> first = new HashMap<>();
      try (SearchIndex index = indexes.open("a")) {
        List<IndexChange> changes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          changes.add(shared("d" + i, 1, List.of("r" + i % 7, "s" + i % 3)));
        }
        index.apply(SCHEMA, changes.subList(0, 10));
        index.refresh();
        index.apply(SCHEMA, changes.subList(10, 20));
        index.commit(progress(1));
        index.refresh();
        first.putAll(ordinals(index));
      }
      try (SearchIndex index = indexes.open("a")) {
        index.apply(
            SCHEMA, List.of(shared("new", 1, List.of("new")), shared("d3", 2, List.of("r3"))));
        index.refresh();
        Map<String, List<Long>> then = ordinals(index);
        assertThat(of(then, "d0")).isEqualTo(of(first, "d0"));
        assertThat(first.values().stream().flatMap(List::stream).distinct()).hasSize(10);
        assertThat(of(first, "d0")).as("r0, s0").hasSize(2);
        assertThat(of(first, "d7").stream().filter(each -> of(first, "d0").contains(each)))
            .as("the same r0")
            .hasSize(1);
        assertThat(first.values()).doesNotContain(of(then, "new"));
        assertThat(of(first, "d3")).containsAll(of(then, "d3"));
        assertThat(first.values().stream().flatMap(List::stream))
            .doesNotContainAnyElementsOf(of(then, "new"));
      }
    }
  }

  private static List<Long> of(Map<String, List<Long>> ordinals, String pk) {
    return ordinals.getOrDefault(pk, List.of());
  }

  private static IndexChange shared(String pk, long version, List<String> resources) {
    return new IndexChange(
        pk,
        new VersionTuple(1, version, 0),
        Optional.of(new IndexChange.Entry(document(pk, "x", 1), Optional.empty(), resources)),
        Optional.empty());
  }

  private static Map<String, List<Long>> ordinals(SearchIndex index) {
    Map<String, List<Long>> ordinals = new HashMap<>();
    try (IndexView view = index.view()) {
      view.each(NOW, held -> ordinals.put(held.pk(), held.ordinals()));
    }
    return ordinals;
  }

  /// Random changes in random order with refreshes, commits and crashes in between; after a crash
  /// everything since the last commit is applied again, as a reader of a topic does.
  @Test
  @Tag("campaign")
  default void anIndexIsWhatTheNewestChangesSay() {
    Campaign.INDEX_HISTORIES.forEach(this::compareHistory);
  }

  private void compareHistory(long seed) {
    Random random = new Random(seed);
    try (SearchIndexes indexes = indexes()) {
      String name = "seed-" + seed;
      SearchIndex index = indexes.open(name);
      List<IndexChange> log = new ArrayList<>();
      Map<String, IndexChange> newest = new TreeMap<>();
      int committed = 0;
      for (int step = 0; step < 60; step++) {
        int applied = log.size();
        for (int i = random.nextInt(6); i > 0; i--) {
          log.add(random(random));
        }
        index.apply(SCHEMA, log.subList(applied, log.size()));
        switch (random.nextInt(8)) {
          case 0, 1 -> index.refresh();
          case 2 -> {
            index.commit(progress(log.size()));
            committed = log.size();
          }
          case 3 -> {
            crash(index);
            index = indexes.open(name);
            assertThat(index.committed().map(each -> (int) each.offset(0)).orElse(0))
                .as("seed %d", seed)
                .isEqualTo(committed);
            index.apply(SCHEMA, log.subList(committed, log.size()));
          }
          default -> {}
        }
      }
      for (IndexChange change : log) {
        newest.merge(
            change.pk(),
            change,
            (old, next) -> next.tuple().compareTo(old.tuple()) >= 0 ? next : old);
      }
      index.refresh();
      Map<String, RawDocument> expected = new TreeMap<>();
      newest.forEach(
          (pk, change) ->
              change
                  .entry()
                  .filter(entry -> entry.expiresAt().filter(end -> !end.isAfter(NOW)).isEmpty())
                  .ifPresent(entry -> expected.put(pk, entry.document())));
      Map<String, RawDocument> found = new TreeMap<>();
      try (IndexView view = index.view()) {
        view.each(NOW, held -> found.put(held.pk(), held.document()));
      }
      assertThat(found).as("seed %d", seed).isEqualTo(expected);
      index.close();
    }
  }

  private static IndexChange random(Random random) {
    String pk = "k" + random.nextInt(12);
    long version = random.nextInt(20);
    // What a version says is always the same.
    Random fixed = new Random(31 * version + pk.hashCode());
    return switch (fixed.nextInt(4)) {
      case 0 -> delete(pk, version, Optional.empty());
      case 1 -> put(pk, version, Optional.of(NOW.plusSeconds(fixed.nextInt(3) - 1)));
      default -> put(pk, version, Optional.empty());
    };
  }
}
