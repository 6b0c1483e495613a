package dev.veridex.http.routes.documents;

import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.RequestObject;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.index.IndexResult;
import dev.veridex.search.query.SearchAnswer;
import dev.veridex.search.query.SearchRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Searches and their answers as JSON.
final class SearchShapes {
  private static final long USUAL_LIMIT = 10;
  private static final long MAX_LIMIT = 1000;
  private static final long USUAL_WAIT = 10_000;
  private static final long MAX_WAIT = 30_000;
  private static final Type<Long> MILLIS = Type.whole(0, MAX_WAIT);

  private SearchShapes() {}

  private static final Member<String> QUERY =
      Member.optional(
          "query",
          Type.TEXT,
          "words, \"phrases\", beginnings as bik*, near misses as bike~1, with AND, OR, ( and )");
  private static final Member<String> OPERATOR =
      Member.optional(
          "operator",
          Type.choice(List.of("or", "and"), each -> each),
          "what two words without an operator mean: or (usual), and");
  private static final Member<List<String>> FIELDS =
      Member.optional(
          "fields",
          Type.list(Type.TEXT),
          "where to look, as title or title^2; absent: in all texts and strings");
  private static final Member<JsonNode> FILTER =
      Member.optional(
          "filter",
          Type.FOREIGN,
          "what must hold: fields with eq, in, gt, gte, lt, lte, exists, prefix, wildcard, near; and, or, not");
  private static final Member<JsonNode> KNN =
      Member.optional(
          "knn", Type.FOREIGN, "an embedding whose nearest are wanted: field, vector, k");
  private static final Member<String> FUSION =
      Member.optional(
          "fusion",
          Type.choice(List.of("rrf"), each -> each),
          "how query and knn come together: rrf");
  private static final Member<List<String>> SORT =
      Member.optional(
          "sort",
          Type.list(Type.TEXT),
          "fields, descending as -price; _score, the best first; _pk. Ties are in the order of keys");
  private static final Member<JsonNode> FACETS =
      Member.optional(
          "facets",
          Type.FOREIGN,
          "fields to count by: size (values), ranges (bounds), interval (hour, day, week, month, year)");
  private static final Member<List<String>> HIGHLIGHT =
      Member.optional(
          "highlight", Type.list(Type.TEXT), "fields in which to show what was found, as HTML");
  private static final Member<Long> LIMIT =
      Member.optional("limit", Type.whole(0, MAX_LIMIT), "the most hits of a page; 10 usually");
  private static final Member<String> CURSOR =
      Member.optional("cursor", Type.TEXT, "where to go on: the cursor of the page before");
  private static final Member<Boolean> EXPLAIN =
      Member.optional("explain", Type.BOOLEAN, "whether each hit says why it is shown");
  private static final Member<String> AT_LEAST =
      Member.optional(
          "atLeast", Type.TEXT, "a revision: everything accepted up to it can be found");
  private static final Member<Long> WAIT =
      Member.optional("waitMs", MILLIS, "how long to wait for that; 10000 usually");
  private static final Member<Long> TIMEOUT =
      Member.optional(
          "timeoutMs", MILLIS, "how long to search; then what was found by then, not complete");

  private static final Member<List<String>> BUCKETS =
      Member.optional(
          "buckets", Type.list(Type.TEXT), "where to search; absent: in all with documents");

  private static final List<Member<?>> MEMBERS =
      List.of(
          QUERY,
          OPERATOR,
          FIELDS,
          FILTER,
          KNN,
          FUSION,
          SORT,
          FACETS,
          HIGHLIGHT,
          LIMIT,
          CURSOR,
          WhyShapes.AS,
          EXPLAIN,
          AT_LEAST,
          WAIT,
          TIMEOUT);

  /// A search in one bucket.
  static final Shape<SearchRequest> REQUEST =
      Shape.in("Search", MEMBERS, given -> request(given, Optional.empty()));

  /// A search in several buckets.
  static final Shape<SearchRequest> SEVERAL =
      Shape.in(
          "SearchSeveral",
          Stream.concat(Stream.of(BUCKETS), MEMBERS.stream()).toList(),
          given -> request(given, given.find(BUCKETS)));

  private static SearchRequest request(RequestObject given, Optional<List<String>> buckets) {
    return new SearchRequest(
        buckets,
        given.find(QUERY),
        given.find(OPERATOR).filter("and"::equals).isPresent(),
        given.find(FIELDS).orElse(List.of()),
        given.find(FILTER).filter(node -> !node.isNull()),
        given.find(KNN).filter(node -> !node.isNull()),
        given.find(SORT).orElse(List.of()),
        given.find(FACETS).filter(node -> !node.isNull()),
        given.find(HIGHLIGHT).orElse(List.of()),
        given.find(LIMIT).orElse(USUAL_LIMIT).intValue(),
        given.find(CURSOR),
        given.find(WhyShapes.AS),
        given.find(EXPLAIN).orElse(false),
        given.find(AT_LEAST),
        Duration.ofMillis(given.find(WAIT).orElse(USUAL_WAIT)),
        Duration.ofMillis(given.find(TIMEOUT).orElse(MAX_WAIT)));
  }

  /// A search to show.
  static JsonNode example() {
    ObjectNode search = JsonNodeFactory.instance.objectNode();
    search.put("query", "red bike");
    return search;
  }

  private static final Member<String> PK = Member.required("pk", Type.TEXT, "its key");
  private static final Member<String> BUCKET =
      Member.required("bucket", Type.TEXT, "the bucket that it is in");
  private static final Member<Double> SCORE =
      Member.required("score", Type.NUMBER, "how good it is, among the hits of this search");
  private static final Member<JsonNode> STORED =
      Member.required("fields", Type.FOREIGN, "its stored fields");
  private static final Member<JsonNode> HIGHLIGHTS =
      Member.optional("highlight", Type.FOREIGN, "parts of fields in which something was found");
  private static final Shape<SearchAnswer.Hit> HIT =
      Shape.out(
          "Hit",
          List.of(PK, BUCKET, SCORE, STORED, HIGHLIGHTS, WhyShapes.WHY),
          (hit, out) ->
              out.put(PK, hit.found().pk())
                  .put(BUCKET, hit.bucket())
                  .put(SCORE, (double) hit.found().score())
                  .put(STORED, DocumentJson.writeFields(hit.found().document()))
                  .put(
                      HIGHLIGHTS,
                      Optional.of(hit.found().highlight())
                          .filter(found -> !found.isEmpty())
                          .map(SearchShapes::highlights))
                  .put(WhyShapes.WHY, Optional.of(hit.why()).filter(why -> !why.isEmpty())));

  private static JsonNode highlights(Map<String, List<String>> found) {
    ObjectNode highlights = JsonNodeFactory.instance.objectNode();
    found.forEach((field, parts) -> parts.forEach(highlights.putArray(field)::add));
    return highlights;
  }

  /// The answer of a search and the time that it took.
  record TimedAnswer(SearchAnswer answer, String revision, long tookMs) {}

  private static final Member<List<SearchAnswer.Hit>> HITS =
      Member.required("hits", Type.list(Type.object(HIT)), "a page of what was found");
  private static final Member<Long> TOTAL =
      Member.required("total", Type.whole(0, Long.MAX_VALUE), "how many there are in all, exactly");
  private static final Member<JsonNode> COUNTS =
      Member.required("facets", Type.FOREIGN, "what was counted, by field");
  private static final Member<Boolean> COMPLETE =
      Member.required(
          "complete", Type.BOOLEAN, "false: the time was over before all was looked at");
  private static final Member<String> NEIGHBOURS =
      Member.optional(
          "neighbours",
          Type.TEXT,
          "exact: all embeddings were compared; graph: some may be missing");
  private static final Shape<SearchAnswer.FailedDocument> FAILURE =
      Shape.out(
          "FailedDocument",
          List.of(PK, BUCKET),
          (failed, out) -> out.put(PK, failed.pk()).put(BUCKET, failed.bucket()));
  private static final Member<List<SearchAnswer.FailedDocument>> FAILED =
      Member.optional(
          "failed",
          Type.list(Type.object(FAILURE)),
          "with atLeast: documents that were accepted and could not be indexed yet");
  private static final Member<Boolean> FAILED_MORE =
      Member.optional(
          "failedMore", Type.BOOLEAN, "true if there are more of them in a bucket than 100");
  private static final Member<Long> TOOK =
      Member.required("tookMs", Type.whole(0, Long.MAX_VALUE), "how long it took");

  /// The answer of a search.
  static final Shape<TimedAnswer> ANSWER =
      Shape.out(
          "SearchAnswer",
          List.of(
              HITS,
              TOTAL,
              COUNTS,
              COMPLETE,
              NEIGHBOURS,
              FAILED,
              FAILED_MORE,
              PageParameters.NEXT,
              WriteReceipt.REVISION,
              TOOK),
          (answered, out) -> {
            SearchAnswer found = answered.answer;
            out.put(HITS, found.hits())
                .put(TOTAL, found.total())
                .put(COUNTS, counts(found))
                .put(COMPLETE, found.complete())
                .put(NEIGHBOURS, found.exact().map(exact -> exact ? "exact" : "graph"))
                .put(
                    FAILED,
                    Optional.of(found.failed().documents()).filter(failed -> !failed.isEmpty()))
                .put(FAILED_MORE, found.failed().more() ? Optional.of(true) : Optional.empty())
                .put(PageParameters.NEXT, answered.answer.cursor())
                .put(WriteReceipt.REVISION, answered.revision)
                .put(TOOK, answered.tookMs);
          });

  private static JsonNode counts(SearchAnswer found) {
    ObjectNode facets = JsonNodeFactory.instance.objectNode();
    found
        .facets()
        .forEach(
            (name, counts) -> {
              ArrayNode buckets = facets.putObject(name).putArray("buckets");
              boolean ranges = counts.stream().anyMatch(count -> count.to().isPresent());
              counts.forEach(count -> buckets.add(count(count, ranges)));
            });
    return facets;
  }

  private static ObjectNode count(IndexResult.Count count, boolean range) {
    ObjectNode bucket = JsonNodeFactory.instance.objectNode();
    count.from().ifPresent(from -> bucket.set(range ? "from" : "value", DocumentJson.write(from)));
    count.to().ifPresent(to -> bucket.set("to", DocumentJson.write(to)));
    return bucket.put("count", count.count());
  }
}
