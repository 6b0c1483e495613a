package dev.veridex.search.query;

import dev.veridex.common.JsonPointer;
import dev.veridex.index.Condition;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.Schema;
import dev.veridex.index.TextExpression;
import dev.veridex.protocol.Value;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/// Turns a request into a question to an index, and says precisely what is wrong with it.
final class SearchRequestParser {
  /// Words times fields.
  private static final int MAX_CLAUSES = 1000;

  private static final int MAX_FACETS = 50;
  private static final int MAX_FACET_SIZE = 1000;
  private static final int MAX_SORTS = 10;
  private static final int MAX_NEIGHBOURS = 1000;
  private static final int EXACT_UP_TO = 50_000;
  private static final int USUAL_SIZE = 10;
  static final long PAGE_BYTES = 16L << 20;
  private static final String SCORE = "_score";
  private static final String KEY = "_pk";

  private final Schema own;
  private final Schema schema;
  private final SearchRequest request;

  private SearchRequestParser(Schema own, Schema schema, SearchRequest request) {
    this.own = own;
    this.schema = schema;
    this.request = request;
  }

  /// @param own the fields in which words are looked for where none are named
  /// @param schema the fields that may be named
  /// @param after the position of the last hit that the asker has
  static IndexSearch parse(
      Schema own,
      Schema schema,
      SearchRequest request,
      Instant now,
      Optional<IndexSearch.After> after) {
    return new SearchRequestParser(own, schema, request).ask(now, after);
  }

  /// The fields from which words are suggested.
  static List<String> suggesting(Schema schema, List<String> given) {
    for (int i = 0; i < given.size(); i++) {
      Schema.Field field = schema.fields().get(given.get(i));
      String pointer = JsonPointer.element("/fields", i);
      if (field == null) {
        throw QueryProblem.at(pointer, "there is no such field");
      }
      if (!suggests(field)) {
        throw QueryProblem.at(pointer, "only texts, strings and keywords suggest words");
      }
    }
    return given.isEmpty()
        ? schema.fields().entrySet().stream()
            .filter(each -> suggests(each.getValue()))
            .map(Map.Entry::getKey)
            .toList()
        : given;
  }

  private static boolean suggests(Schema.Field field) {
    // Parts of words are no words.
    return (hasWords(field) && !field.analyzer().equals(Optional.of("ngram")))
        || (field.type() == FieldKind.KEYWORD && field.filter());
  }

  private IndexSearch ask(Instant now, Optional<IndexSearch.After> after) {
    Optional<IndexSearch.Search> text = text();
    Optional<IndexSearch.Nearest> nearest = request.knn().map(this::nearest);
    Condition filter =
        request
            .filter()
            .map(node -> new FilterParser(schema).parse(node, "/filter"))
            .orElseGet(Condition.All::new);
    return new IndexSearch(
        schema,
        now,
        request.timeout(),
        filter,
        text,
        nearest,
        sort(text.isPresent() || nearest.isPresent()),
        after,
        request.limit(),
        PAGE_BYTES,
        request.facets().map(this::facets).orElseGet(IndexSearch::noFacets),
        highlight(),
        Optional.empty());
  }

  private Optional<IndexSearch.Search> text() {
    List<TextExpression.Field> fields = fields();
    Optional<TextExpression> text =
        request.query().flatMap(query -> TextParser.parse(query, request.all()));
    if (text.isEmpty()) {
      return Optional.empty();
    }
    long clauses = (long) TextParser.leaves(text.get()) * fields.size();
    if (clauses > MAX_CLAUSES) {
      throw QueryProblem.at("/query", "so many words in so many fields are too much: name fewer");
    }
    return Optional.of(new IndexSearch.Search(text.get(), fields));
  }

  private List<TextExpression.Field> fields() {
    List<TextExpression.Field> fields = new ArrayList<>();
    for (int i = 0; i < request.fields().size(); i++) {
      fields.add(field(request.fields().get(i), JsonPointer.element("/fields", i)));
    }
    if (fields.isEmpty()) {
      own.fields()
          .forEach(
              (name, field) -> {
                if (hasWords(field)) {
                  fields.add(new TextExpression.Field(name, 1));
                }
              });
    }
    return fields;
  }

  private static boolean hasWords(Schema.Field field) {
    return field.type() == FieldKind.TEXT || field.type() == FieldKind.STRING;
  }

  /// A field, and after a `^` how much it counts.
  private TextExpression.Field field(String given, String pointer) {
    int caret = given.lastIndexOf('^');
    String name =
        caret < 0 || schema.fields().containsKey(given) ? given : given.substring(0, caret);
    words(name, pointer);
    return new TextExpression.Field(
        name, name.length() == given.length() ? 1 : boost(given.substring(caret + 1), pointer));
  }

  private static float boost(String text, String pointer) {
    try {
      float boost = Float.parseFloat(text);
      if (boost > 0 && boost <= 1000) {
        return boost;
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    throw QueryProblem.at(pointer, "after ^ stands how much a field counts, up to 1000");
  }

  private void words(String name, String pointer) {
    Schema.Field field = known(name, pointer);
    if (!hasWords(field)) {
      throw QueryProblem.at(pointer, "only a text or string has words");
    }
  }

  private Schema.Field known(String name, String pointer) {
    Schema.Field field = schema.fields().get(name);
    if (field == null) {
      throw QueryProblem.at(pointer, "there is no such field");
    }
    return field;
  }

  private List<IndexSearch.Order> sort(boolean scored) {
    List<IndexSearch.Order> orders = new ArrayList<>();
    if (request.sort().size() > MAX_SORTS) {
      throw QueryProblem.at("/sort", "hits are sorted by %d fields at most".formatted(MAX_SORTS));
    }
    for (int i = 0; i < request.sort().size(); i++) {
      orders.add(order(request.sort().get(i), JsonPointer.element("/sort", i)));
    }
    if (orders.isEmpty() && scored) {
      orders.add(new IndexSearch.Order.ByScore(true));
    }
    return orders;
  }

  private IndexSearch.Order order(String given, String pointer) {
    boolean descending = given.startsWith("-");
    String name = descending ? given.substring(1) : given;
    return switch (name) {
      // The best first, whichever way it is written: nobody looks for the worst.
      case SCORE -> new IndexSearch.Order.ByScore(true);
      case KEY -> new IndexSearch.Order.ByKey(descending);
      default -> {
        Schema.Field field = known(name, pointer);
        boolean keyed = field.type() != FieldKind.TEXT && field.type() != FieldKind.GEO;
        if (!keyed || !field.sort()) {
          throw QueryProblem.at(pointer, "hits cannot be sorted by this field");
        }
        yield new IndexSearch.Order.ByField(name, descending);
      }
    };
  }

  private List<String> highlight() {
    for (int i = 0; i < request.highlight().size(); i++) {
      String pointer = JsonPointer.element("/highlight", i);
      String name = request.highlight().get(i);
      words(name, pointer);
      if (!known(name, pointer).stored()) {
        throw QueryProblem.at(pointer, "the schema says that this field is not stored");
      }
    }
    return request.highlight();
  }

  private SortedMap<String, IndexSearch.Facet> facets(JsonNode node) {
    if (!node.isObject()) {
      throw QueryProblem.at("/facets", "facets are an object");
    }
    if (node.size() > MAX_FACETS) {
      throw QueryProblem.at("/facets", "there are at most %d facets".formatted(MAX_FACETS));
    }
    SortedMap<String, IndexSearch.Facet> facets = new TreeMap<>();
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      facets.put(
          each.getKey(),
          facet(each.getKey(), each.getValue(), JsonPointer.member("/facets", each.getKey())));
    }
    return facets;
  }

  private IndexSearch.Facet facet(String name, JsonNode node, String pointer) {
    Schema.Field field = known(name, pointer);
    boolean keyed = field.type() != FieldKind.TEXT && field.type() != FieldKind.GEO;
    if (!keyed || !field.facet()) {
      throw QueryProblem.at(pointer, "the values of this field are not counted");
    }
    if (!node.isObject() || node.size() > 1) {
      throw QueryProblem.at(pointer, "a facet is an object with size, ranges or interval");
    }
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      String at = JsonPointer.member(pointer, each.getKey());
      return switch (each.getKey()) {
        case "size" -> new IndexSearch.Facet.Terms(name, size(each.getValue(), at));
        case "ranges" -> ranges(name, field, each.getValue(), at);
        case "interval" -> dates(name, field, each.getValue(), at);
        default -> throw QueryProblem.at(at, "a facet has no such member");
      };
    }
    return new IndexSearch.Facet.Terms(name, USUAL_SIZE);
  }

  private static int size(JsonNode node, String pointer) {
    if (!node.isIntegralNumber() || node.asLong() < 1 || node.asLong() > MAX_FACET_SIZE) {
      throw QueryProblem.at(pointer, "a number from 1 to %d is expected".formatted(MAX_FACET_SIZE));
    }
    return node.asInt();
  }

  private static IndexSearch.Facet ranges(
      String name, Schema.Field field, JsonNode node, String pointer) {
    boolean ordered = field.type() == FieldKind.NUMBER || field.type() == FieldKind.TIMESTAMP;
    if (!ordered) {
      throw QueryProblem.at(pointer, "only numbers and times have ranges");
    }
    if (!node.isArray() || node.isEmpty() || node.size() > MAX_FACET_SIZE) {
      throw QueryProblem.at(
          pointer, "a list of 1 to %d bounds is expected".formatted(MAX_FACET_SIZE));
    }
    List<Value> bounds = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      String at = JsonPointer.element(pointer, i);
      Value bound = FilterParser.value(field, node.get(i), at);
      if (i > 0 && ValueOrder.compare(bounds.getLast(), bound) >= 0) {
        throw QueryProblem.at(at, "bounds grow");
      }
      bounds.add(bound);
    }
    return new IndexSearch.Facet.Ranges(name, bounds);
  }

  private static IndexSearch.Facet dates(
      String name, Schema.Field field, JsonNode node, String pointer) {
    if (field.type() != FieldKind.TIMESTAMP) {
      throw QueryProblem.at(pointer, "only times have intervals");
    }
    return Arrays.stream(IndexSearch.Interval.values())
        .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(node.asString("")))
        .findFirst()
        .map(interval -> new IndexSearch.Facet.Dates(name, interval))
        .orElseThrow(
            () -> QueryProblem.at(pointer, "an interval is hour, day, week, month or year"));
  }

  private IndexSearch.Nearest nearest(JsonNode node) {
    if (!node.isObject()) {
      throw QueryProblem.at("/knn", "an object is expected");
    }
    for (String member : node.propertyNames()) {
      if (!List.of("field", "vector", "k").contains(member)) {
        throw QueryProblem.at(JsonPointer.member("/knn", member), "knn has no such member");
      }
    }
    String name = node.path("field").asString("");
    Schema.Embedding embedding = schema.embeddings().get(name);
    if (embedding == null) {
      throw QueryProblem.at("/knn/field", "there is no such embedding");
    }
    JsonNode k = node.path("k");
    if (!k.isMissingNode()
        && (!k.isIntegralNumber() || k.asLong() < 1 || k.asLong() > MAX_NEIGHBOURS)) {
      throw QueryProblem.at(
          "/knn/k", "a number from 1 to %d is expected".formatted(MAX_NEIGHBOURS));
    }
    return new IndexSearch.Nearest(
        name,
        vector(node.path("vector"), embedding),
        k.isMissingNode() ? USUAL_SIZE : k.asInt(),
        EXACT_UP_TO);
  }

  private static float[] vector(JsonNode node, Schema.Embedding embedding) {
    if (!node.isArray() || node.size() != embedding.dimensions()) {
      throw QueryProblem.at(
          "/knn/vector", "a list of %d numbers is expected".formatted(embedding.dimensions()));
    }
    float[] vector = new float[node.size()];
    double length = 0;
    for (int i = 0; i < vector.length; i++) {
      vector[i] = node.get(i).isNumber() ? node.get(i).decimalValue().floatValue() : Float.NaN;
      if (!Float.isFinite(vector[i])) {
        throw QueryProblem.at(JsonPointer.element("/knn/vector", i), "a finite number is expected");
      }
      length += (double) vector[i] * vector[i];
    }
    if (length == 0 && embedding.similarity() == Schema.Similarity.COSINE) {
      throw QueryProblem.at("/knn/vector", "nothing has an angle to zero");
    }
    return vector;
  }
}
