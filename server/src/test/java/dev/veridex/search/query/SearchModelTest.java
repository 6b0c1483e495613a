package dev.veridex.search.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.VersionTuple;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexChange;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexView;
import dev.veridex.index.Schema;
import dev.veridex.index.SearchIndex;
import dev.veridex.index.SearchIndexes;
import dev.veridex.index.lucene.LuceneIndexes;
import dev.veridex.json.JsonText;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import dev.veridex.search.query.SearchModel.Doc;
import dev.veridex.search.query.SearchModel.Question;
import dev.veridex.suite.Campaign;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Random documents and questions, answered by the index and by looking at every document: the same
/// hits in the same order, totals and facets, page by page to the end, while documents come and go.
final class SearchModelTest {
  private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");

  @TempDir private Path folder;

  /// The fields of the model's documents, under names of their types.
  static Schema schema() {
    Map<String, Schema.Field> fields = new TreeMap<>();
    for (FieldKind type :
        List.of(
            FieldKind.BOOL,
            FieldKind.NUMBER,
            FieldKind.KEYWORD,
            FieldKind.STRING,
            FieldKind.TIMESTAMP)) {
      fields.put(type.text(), Schema.Field.found(type, true));
    }
    return Schema.EMPTY.with(fields, Map.of());
  }

  @Test
  @Tag("campaign")
  void theIndexAnswersAsALookAtEveryDocumentDoes() {
    Schema schema = schema();
    try (SearchIndexes indexes = new LuceneIndexes(folder, 2)) {
      Campaign.SEARCH_WORLDS.forEach(
          seed -> {
            Random random = new Random(seed);
            SearchModel model = new SearchModel(random, SearchModel.KEYS);
            List<SearchIndex> parts = new ArrayList<>();
            for (int i = 0; i <= random.nextInt(3); i++) {
              parts.add(indexes.open("seed-%d-%d".formatted(seed, i)));
            }
            for (int round = 0; round < 4; round++) {
              change(model, parts, schema, random);
              List<IndexView> views = parts.stream().map(SearchIndex::view).toList();
              List<Doc> there = model.documents();
              for (int i = 0; i < 25; i++) {
                Question question = model.question();
                check(views, schema, question, there, random);
                if (i == 10) {
                  // Views stand still.
                  change(model, parts, schema, random);
                }
              }
              views.forEach(IndexView::close);
            }
            parts.forEach(SearchIndex::close);
            indexes.names().forEach(indexes::drop);
          });
    }
  }

  /// Each document is in one of the indexes.
  private static void change(
      SearchModel model, List<SearchIndex> parts, Schema schema, Random random) {
    List<SearchModel.Changed> all = model.change();
    for (int i = 0; i < parts.size(); i++) {
      int part = i;
      change(
          all.stream()
              .filter(each -> Math.floorMod(each.pk().hashCode(), parts.size()) == part)
              .toList(),
          parts.get(i),
          schema,
          random);
    }
  }

  private static void change(
      List<SearchModel.Changed> all, SearchIndex index, Schema schema, Random random) {
    List<IndexChange> changes = new ArrayList<>();
    for (SearchModel.Changed changed : all) {
      changes.add(
          new IndexChange(
              changed.pk(),
              new VersionTuple(1, changed.version(), 0),
              changed
                  .json()
                  .map(json -> new IndexChange.Entry(document(json), Optional.empty(), List.of())),
              Optional.empty()));
      if (random.nextInt(10) == 0) {
        index.apply(schema, changes);
        changes.clear();
        index.refresh();
      }
    }
    index.apply(schema, changes);
    index.refresh();
  }

  /// Times are texts in JSON: what is sent is converted to the schema, as the receiver does.
  private static RawDocument document(String json) {
    DocumentInput.Parsed read = (DocumentInput.Parsed) DocumentJson.read(node(json));
    RawDocument.Builder document = read.document().toBuilder();
    for (Field.Builder field : document.getFieldsBuilderList()) {
      if (field.getName().equals("timestamp")) {
        for (int i = 0; i < field.getValuesCount(); i++) {
          field.setValues(
              i,
              DocumentJson.literal(
                      JsonText.read(JsonText.write(DocumentJson.write(field.getValues(i)))),
                      FieldKind.TIMESTAMP)
                  .orElseThrow());
        }
      }
    }
    return document.build();
  }

  static JsonNode node(String json) {
    return JsonText.read(json.replace('\'', '"').getBytes(UTF_8));
  }

  static SearchRequest request(Question question, int limit, Optional<String> cursor) {
    return request(question, limit, cursor, List.of());
  }

  static SearchRequest request(
      Question question, int limit, Optional<String> cursor, List<String> highlight) {
    return new SearchRequest(
        Optional.empty(),
        question.query(),
        question.all(),
        List.of(),
        question.filter().map(SearchModelTest::node),
        Optional.empty(),
        question.sort(),
        Optional.of(node(SearchModel.FACETS)),
        highlight,
        limit,
        cursor,
        Optional.empty(),
        false,
        Optional.empty(),
        Duration.ZERO,
        Duration.ofMinutes(1));
  }

  static SearchRequest nearest(JsonNode knn, int limit) {
    return everything(Optional.of(knn), limit, Optional.empty(), Optional.empty());
  }

  static SearchRequest everything(int limit) {
    return everything(limit, Optional.empty());
  }

  static SearchRequest everything(int limit, Optional<String> cursor) {
    return everything(Optional.empty(), limit, cursor, Optional.empty());
  }

  /// Everything, as fresh as a revision, without waiting for it.
  static SearchRequest everything(int limit, String atLeast) {
    return everything(Optional.empty(), limit, Optional.empty(), Optional.of(atLeast));
  }

  private static SearchRequest everything(
      Optional<JsonNode> knn, int limit, Optional<String> cursor, Optional<String> atLeast) {
    return new SearchRequest(
        Optional.empty(),
        Optional.empty(),
        false,
        List.of(),
        Optional.empty(),
        knn,
        List.of(),
        Optional.empty(),
        List.of(),
        limit,
        cursor,
        Optional.empty(),
        false,
        atLeast,
        Duration.ZERO,
        Duration.ofMinutes(1));
  }

  private static void check(
      List<IndexView> views, Schema schema, Question question, List<Doc> there, Random random) {
    List<Doc> expected = there.stream().filter(question.holds()).sorted(question.order()).toList();
    int limit = random.nextInt(1, 12);
    List<String> hits = new ArrayList<>();
    Optional<MultiBucketSearch.Last> after = Optional.empty();
    MultiBucketSearch.Page page;
    List<MultiBucketSearch.Source> sources =
        IntStream.range(0, views.size())
            .mapToObj(i -> new MultiBucketSearch.Source("bucket-" + i, schema))
            .toList();
    do {
      page =
          MultiBucketSearch.ask(
              sources, request(question, limit, Optional.empty()), NOW, after, asking(views));
      page.hits().forEach(hit -> hits.add(hit.found().pk()));
      assertThat(page.total()).as("%s", question).isEqualTo(expected.size());
      assertThat(page.complete()).isTrue();
      assertThat(counts(page.facets())).as("%s", question).isEqualTo(SearchModel.facets(expected));
      assertThat(hits).as("%s", question).doesNotHaveDuplicates();
      after = page.last();
    } while (after.isPresent());
    List<String> keys = expected.stream().map(Doc::pk).toList();
    if (question.isScored()) {
      assertThat(hits).as("%s", question).containsExactlyInAnyOrderElementsOf(keys);
    } else {
      assertThat(hits).as("%s", question).isEqualTo(keys);
    }
  }

  private static MultiBucketSearch.BucketSearches asking(List<IndexView> views) {
    return new MultiBucketSearch.BucketSearches() {
      @Override
      public Supplier<IndexResult> search(int source, IndexSearch ask) {
        return () -> views.get(source).search(ask);
      }

      @Override
      public Supplier<IndexResult.Nearest> nearest(int source, IndexSearch ask) {
        return () -> views.get(source).nearest(ask);
      }
    };
  }

  static SortedMap<String, String> counts(SortedMap<String, List<IndexResult.Count>> facets) {
    SortedMap<String, String> counts = new TreeMap<>();
    facets.forEach(
        (name, each) ->
            counts.put(
                name,
                each.stream()
                    .map(
                        count ->
                            "%s-%s:%d"
                                .formatted(
                                    count.from().map(SearchModelTest::text).orElse(""),
                                    count.to().map(SearchModelTest::text).orElse(""),
                                    count.count()))
                    .toList()
                    .toString()));
    return counts;
  }

  private static String text(Value value) {
    return DocumentJson.write(value).asString();
  }
}
