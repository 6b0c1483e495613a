package dev.veridex.index.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.VersionTuple;
import dev.veridex.index.Condition;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.TextExpression;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Looking for words among all words ends when the time is over, however few documents there are.
final class TermExpansionTest {
  private static final Duration TIME = Duration.ofNanos(20);

  private static final Schema SCHEMA =
      Schema.EMPTY.with(
          Map.of(
              "t", Schema.Field.found(FieldKind.TEXT, false),
              "k", Schema.Field.found(FieldKind.KEYWORD, true)),
          Map.of());

  @TempDir private Path folder;

  /// A nanosecond passes each time somebody looks.
  private final AtomicLong clock = new AtomicLong();

  private LuceneIndexes indexes;
  private SearchIndex index;

  @BeforeEach
  void open() {
    indexes =
        new LuceneIndexes(
            new FolderDirectories(folder), 1, new VisibilityQueryCache(), clock::incrementAndGet);
    index = indexes.open("one");
    // Each word is in one of two documents: one that is in all is as good as everything.
    put(0);
    put(1);
    index.refresh();
  }

  private void put(int first) {
    String words =
        IntStream.range(0, 5000)
            .mapToObj(i -> "word" + (2 * i + first))
            .collect(Collectors.joining(" "));
    Field.Builder keys = Field.newBuilder().setName("k");
    IntStream.range(0, 5000).forEach(i -> keys.addValues(text("key" + (2 * i + first))));
    String pk = "d" + first;
    RawDocument document =
        RawDocument.newBuilder()
            .setPk(pk)
            .addFields(Field.newBuilder().setName("t").addValues(text(words)))
            .addFields(keys)
            .build();
    index.apply(
        SCHEMA,
        List.of(
            new IndexChange(
                pk,
                new VersionTuple(1, 1, 0),
                Optional.of(new IndexChange.Entry(document, Optional.empty(), List.of(pk))),
                Optional.empty())));
  }

  private static Value.Builder text(String text) {
    return Value.newBuilder().setText(text);
  }

  @AfterEach
  void close() {
    index.close();
    indexes.close();
  }

  private IndexResult find(Optional<TextExpression> text, Condition filter, Duration time) {
    try (IndexView view = index.view()) {
      return view.search(
          new IndexSearch(
              SCHEMA,
              Instant.EPOCH,
              time,
              filter,
              text.map(
                  words ->
                      new IndexSearch.Search(words, List.of(new TextExpression.Field("t", 1)))),
              Optional.empty(),
              List.of(),
              Optional.empty(),
              10,
              Long.MAX_VALUE,
              IndexSearch.noFacets(),
              List.of(),
              Optional.empty()));
    }
  }

  private void ends(Optional<TextExpression> text, Condition filter) {
    IndexResult whole = find(text, filter, Duration.ofDays(1));
    assertThat(whole.complete()).isTrue();
    assertThat(whole.total()).isPositive();
    long before = clock.get();
    IndexResult late = find(text, filter, TIME);
    assertThat(late.complete()).as("%s %s, %d looks", text, filter, clock.get() - before).isFalse();
  }

  @Test
  void oneDocumentIsFoundInTime() {
    IndexResult found =
        find(Optional.of(new TextExpression.Words("word7")), new Condition.All(), TIME);
    assertThat(found.complete()).as("without looking among all words").isTrue();
    assertThat(found.total()).isEqualTo(1);
  }

  @Test
  void lookingForBeginningsAndLikenessEnds() {
    ends(Optional.of(new TextExpression.Prefix("wo")), new Condition.All());
    ends(Optional.of(new TextExpression.Fuzzy("word4999", 2)), new Condition.All());
  }

  @Test
  void lookingForPatternsAndRangesOfTextsEnds() {
    ends(Optional.empty(), new Condition.Prefix("k", "ke"));
    ends(Optional.empty(), new Condition.Wildcard("k", "*9*"));
    ends(
        Optional.empty(),
        new Condition.Range(
            "k", Optional.of(new Condition.Bound(text("key1").build(), true)), Optional.empty()));
  }
}
