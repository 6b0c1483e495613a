package dev.veridex.index.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.VersionTuple;
import dev.veridex.index.Condition;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.VisibleResources;
import dev.veridex.protocol.RawDocument;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What people may see as a filter of Lucene's: what is remembered, and for how long.
final class VisibleQueryTest {
  @TempDir private Path folder;
  private final VisibilityQueryCache caches = new VisibilityQueryCache(_ -> true);
  private LuceneIndexes indexes;
  private SearchIndex index;

  @BeforeEach
  void open() {
    indexes = new LuceneIndexes(new FolderDirectories(folder), 1, caches, System::nanoTime);
    index = indexes.open("one");
  }

  @AfterEach
  void close() {
    index.close();
    indexes.close();
  }

  private void put(String pk, long version, String... resources) {
    IndexChange.Entry entry =
        new IndexChange.Entry(
            RawDocument.newBuilder().setPk(pk).build(), Optional.empty(), List.of(resources));
    index.apply(
        Schema.EMPTY,
        List.of(
            new IndexChange(
                pk, new VersionTuple(1, version, 0), Optional.of(entry), Optional.empty())));
  }

  private List<String> found(VisibleResources visible) {
    try (IndexView view = index.view()) {
      return found(view, visible);
    }
  }

  private static List<String> found(IndexView view, VisibleResources visible) {
    IndexSearch ask =
        new IndexSearch(
            Schema.EMPTY,
            Instant.EPOCH,
            Duration.ofMinutes(1),
            new Condition.All(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            Optional.empty(),
            100,
            Long.MAX_VALUE,
            IndexSearch.noFacets(),
            List.of(),
            Optional.of(visible));
    return view.search(ask).hits().stream().map(hit -> hit.pk()).toList();
  }

  /// Fails if two states of rights are taken for the same filter.
  @Test
  void whatIsRememberedIsOfOneStateOfRights() {
    for (int i = 0; i < 5; i++) {
      put("d" + i, 1, "d" + i);
    }
    index.refresh();
    List<String> names = List.of("d0", "d1", "d2", "d3", "d4");
    VisibleResources before = new KnownResources(names, Set.of("d0", "d1", "d2"), false);
    for (int i = 0; i < 10; i++) {
      assertThat(found(before)).containsExactly("d0", "d1", "d2");
    }
    assertThat(caches.hits()).as("it is remembered").isPositive();
    VisibleResources after = new KnownResources(names, Set.of("d0", "d1"), false);
    for (int i = 0; i < 10; i++) {
      assertThat(found(after)).containsExactly("d0", "d1");
      assertThat(found(before)).containsExactly("d0", "d1", "d2");
    }
  }

  @Test
  void allResourcesMustBeSeenAndThereMustBeOne() {
    put("none", 1);
    put("one", 1, "r1");
    put("both", 1, "r1", "r2");
    put("unknown", 1, "r1", "r3");
    index.refresh();
    List<String> names = List.of("r1", "r2");
    assertThat(found(new KnownResources(names, Set.of("r1", "r2"), false)))
        .containsExactly("both", "one");
    assertThat(found(new KnownResources(names, Set.of("r1", "r2"), true)))
        .containsExactly("both", "one", "unknown");
    assertThat(found(new KnownResources(names, Set.of("r1"), true)))
        .containsExactly("one", "unknown");
    assertThat(found(new KnownResources(names, Set.of(), true))).isEmpty();
  }

  /// Names may get numbers after documents were looked at, while segments come, go and merge.
  @Test
  void numbersAreFoundWheneverTheyCome() {
    List<String> names = new ArrayList<>();
    for (int round = 0; round < 40; round++) {
      put("d" + round, 1, "d" + round);
      put("f" + round, 1, "res" + round % 7, "d" + round);
      index.refresh();
      try (IndexView older = index.view()) {
        // Nothing is known of it yet: then it is seen.
        assertThat(found(new KnownResources(names, Set.of(), true))).contains("d" + round);
        put("d" + round, 2, "d" + round);
        index.refresh();
        names.add("d" + round);
        if (round % 3 == 0) {
          names.add("res" + round % 7);
        }
        VisibleResources now = new KnownResources(names, Set.of(), true);
        assertThat(found(now)).as("round %d", round).isEmpty();
        assertThat(found(older, now)).as("round %d, before", round).isEmpty();
      }
    }
    assertThat(found(new KnownResources(List.of(), Set.of(), true)))
        .as("other numbers")
        .hasSize(80);
    VisibleResources some = new KnownResources(List.of("d3", "res5"), Set.of(), true);
    assertThat(found(some)).hasSize(80 - 2 - 5).doesNotContain("d3", "f3", "f5", "f12");
  }
}
