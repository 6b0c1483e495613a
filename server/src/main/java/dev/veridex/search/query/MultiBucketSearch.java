package dev.veridex.search.query;

import dev.veridex.common.JsonPointer;
import dev.veridex.common.VeridexException;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.Schema;
import dev.veridex.protocol.Value;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Asks one or several buckets the same question, and brings their answers together as if all
/// documents were in one; only that each has its own statistics, and so its own scale of scores.
final class MultiBucketSearch {
  private static final int AT_ONCE = 4;

  private final List<Source> sources;
  private final SearchRequest request;

  /// Of the nearest of all.
  private boolean complete = true;

  private boolean exact = true;

  /// A bucket that is asked.
  record Source(String bucket, Schema schema) {}

  /// The last hit of a page.
  ///
  /// @param source the number of its source
  record Last(int source, byte[] position) {}

  /// The merged answer of all buckets.
  ///
  /// @param last where the next page begins; absent if there is none
  record Page(
      List<SearchAnswer.Hit> hits,
      Optional<Last> last,
      long total,
      SortedMap<String, List<IndexResult.Count>> facets,
      boolean complete,
      Optional<Boolean> exact) {}

  /// Begins to ask one of them.
  interface BucketSearches {
    Supplier<IndexResult> search(int source, IndexSearch ask);

    /// What a search with the same question finds by its embedding.
    Supplier<IndexResult.Nearest> nearest(int source, IndexSearch ask);
  }

  private MultiBucketSearch(List<Source> sources, SearchRequest request) {
    this.sources = sources;
    this.request = request;
  }

  static Page ask(
      List<Source> sources,
      SearchRequest request,
      Instant now,
      Optional<Last> after,
      BucketSearches answering) {
    return new MultiBucketSearch(sources, request).ask(now, after, answering);
  }

  private Page ask(Instant now, Optional<Last> after, BucketSearches answering) {
    if (sources.isEmpty()) {
      // What is wrong with the question is said all the same.
      SearchRequestParser.parse(Schema.EMPTY, Schema.EMPTY, request, now, Optional.empty());
    }
    List<Schema> schemas = extended();
    List<IndexSearch> asks = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      asks.add(parse(i, schemas.get(i), now, after));
    }
    agree(schemas);
    if (sources.size() > 1 && request.knn().isPresent()) {
      List<IndexSearch> all = asks;
      List<IndexResult.Nearest> nearest = all(number -> answering.nearest(number, all.get(number)));
      asks = nearest(asks, nearest);
      complete = nearest.stream().allMatch(IndexResult.Nearest::complete);
      exact = nearest.stream().allMatch(IndexResult.Nearest::exact);
    }
    List<IndexSearch> parts = sources.size() == 1 ? asks : asks.stream().map(this::part).toList();
    return merged(all(number -> answering.search(number, parts.get(number))), asks);
  }

  /// The nearest of all are as many of each as are among them. Which these are decides the index
  /// again, in the same order.
  private static List<IndexSearch> nearest(
      List<IndexSearch> asks, List<IndexResult.Nearest> found) {
    record Candidate(int source, IndexResult.Near near) {}
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      for (IndexResult.Near near : found.get(i).nearest()) {
        candidates.add(new Candidate(i, near));
      }
    }
    candidates.sort(
        Comparator.comparing(Candidate::near, IndexResult.Near.NEAREST_FIRST)
            .thenComparingInt(Candidate::source));
    int k = asks.getFirst().nearest().orElseThrow().k();
    int[] counts = new int[asks.size()];
    candidates.stream().limit(k).forEach(each -> counts[each.source]++);
    List<IndexSearch> parts = new ArrayList<>();
    for (int i = 0; i < asks.size(); i++) {
      parts.add(asks.get(i).nearest(counts[i]));
    }
    return parts;
  }

  /// What all answered; if one cannot, it is said when the others are done with their views. A few
  /// are asked at a time: whoever searches many buckets leaves threads to others.
  private <T> List<T> all(IntFunction<Supplier<T>> asking) {
    List<T> answers = new ArrayList<>();
    Deque<Supplier<T>> begun = new ArrayDeque<>();
    RuntimeException failed = null;
    for (int i = 0; i < sources.size() || !begun.isEmpty(); i++) {
      if (i < sources.size() && failed == null) {
        begun.add(asking.apply(i));
      }
      if ((begun.size() == AT_ONCE || i >= sources.size()) && !begun.isEmpty()) {
        try {
          answers.add(begun.remove().get());
        } catch (RuntimeException e) {
          failed = e;
        }
      }
    }
    if (failed != null) {
      throw failed;
    }
    return answers;
  }

  /// What one bucket has no field of, others have: to it that is a field that no document has.
  private List<Schema> extended() {
    if (sources.size() == 1) {
      return List.of(sources.getFirst().schema);
    }
    Map<String, Schema.Field> fields = new HashMap<>();
    Map<String, Schema.Embedding> embeddings = new HashMap<>();
    for (Source source : sources) {
      source.schema.fields().forEach(fields::putIfAbsent);
      source.schema.embeddings().forEach(embeddings::putIfAbsent);
    }
    return sources.stream()
        .map(
            source ->
                source.schema.with(
                    others(fields, source.schema.fields()),
                    others(embeddings, source.schema.embeddings())))
        .toList();
  }

  private static <T> Map<String, T> others(Map<String, T> all, Map<String, T> own) {
    Map<String, T> others = new HashMap<>(all);
    others.keySet().removeAll(own.keySet());
    return others;
  }

  private IndexSearch parse(int number, Schema schema, Instant now, Optional<Last> after) {
    try {
      return SearchRequestParser.parse(
          sources.get(number).schema,
          schema,
          request,
          now,
          after.map(last -> new IndexSearch.After(last.position, number > last.source)));
    } catch (VeridexException e) {
      throw sources.size() == 1
          ? e
          : new VeridexException(e.problem().with("bucket", sources.get(number).bucket), e);
    }
  }

  /// What is compared across buckets must be the same kind of thing in all of them.
  private void agree(List<Schema> schemas) {
    long kinds =
        request.knn().map(knn -> knn.path("field").asString("")).stream()
            .flatMap(
                name ->
                    schemas.stream()
                        .flatMap(each -> Optional.ofNullable(each.embeddings().get(name)).stream()))
            .map(each -> List.of(each.dimensions(), each.similarity()))
            .distinct()
            .count();
    if (kinds > 1) {
      throw QueryProblem.at("/knn/field", "these buckets' embeddings cannot be compared");
    }
    for (int i = 0; i < request.sort().size(); i++) {
      String given = request.sort().get(i);
      agree(
          schemas,
          given.startsWith("-") ? given.substring(1) : given,
          JsonPointer.element("/sort", i));
    }
    request
        .facets()
        .ifPresent(
            facets ->
                facets
                    .propertyNames()
                    .forEach(name -> agree(schemas, name, JsonPointer.member("/facets", name))));
  }

  private static void agree(List<Schema> schemas, String field, String pointer) {
    List<FieldKind> types =
        schemas.stream()
            .flatMap(schema -> Optional.ofNullable(schema.fields().get(field)).stream())
            .map(Schema.Field::type)
            .distinct()
            .toList();
    if (types.size() > 1) {
      throw QueryProblem.at(pointer, "this field has different types in these buckets");
    }
  }

  /// Of each value all counts are wanted: it may be rare here and frequent elsewhere.
  private IndexSearch part(IndexSearch ask) {
    SortedMap<String, IndexSearch.Facet> facets = new TreeMap<>(ask.facets());
    facets.replaceAll(
        (_, facet) ->
            facet instanceof IndexSearch.Facet.Terms(String field, _)
                ? new IndexSearch.Facet.Terms(field, Integer.MAX_VALUE)
                : facet);
    return new IndexSearch(
        ask.schema(),
        ask.now(),
        ask.timeout(),
        ask.filter(),
        ask.text(),
        ask.nearest(),
        ask.sort(),
        ask.after(),
        ask.limit(),
        ask.pageBytes() / sources.size(),
        facets,
        ask.highlight(),
        ask.visible());
  }

  private Page merged(List<IndexResult> found, List<IndexSearch> asks) {
    List<SearchAnswer.Hit> hits = new ArrayList<>();
    Last last = null;
    boolean more = found.stream().anyMatch(IndexResult::more);
    PriorityQueue<NextHit> next =
        new PriorityQueue<>(
            Comparator.comparing((NextHit each) -> each.hit().position(), Arrays::compareUnsigned)
                .thenComparingInt(NextHit::source));
    for (int i = 0; i < found.size(); i++) {
      if (!found.get(i).hits().isEmpty()) {
        next.add(new NextHit(i, 0, found.get(i)));
      }
    }
    long bytes = 0;
    while (!next.isEmpty()
        && hits.size() < request.limit()
        && bytes < SearchRequestParser.PAGE_BYTES) {
      NextHit best = next.remove();
      bytes += best.hit().document().getSerializedSize();
      hits.add(new SearchAnswer.Hit(sources.get(best.source).bucket, best.hit()));
      last = new Last(best.source, best.hit().position());
      if (best.isLast() && best.found.more()) {
        // What comes next in this bucket is not known; it may be before what others have.
        break;
      }
      if (!best.isLast()) {
        next.add(new NextHit(best.source, best.number + 1, best.found));
      }
    }
    SortedMap<String, List<IndexResult.Count>> facets = new TreeMap<>();
    if (!asks.isEmpty()) {
      asks.getFirst()
          .facets()
          .forEach((name, facet) -> facets.put(name, counts(name, facet, found)));
    }
    return new Page(
        hits,
        last(last, more || !next.isEmpty()),
        found.stream().mapToLong(IndexResult::total).sum(),
        facets,
        complete && found.stream().allMatch(IndexResult::complete),
        found.stream()
            .flatMap(each -> each.exact().stream())
            .reduce(Boolean::logicalAnd)
            .map(each -> each && exact));
  }

  private static Optional<Last> last(@Nullable Last last, boolean more) {
    return more ? Optional.ofNullable(last) : Optional.empty();
  }

  /// The next hit of a source.
  private record NextHit(int source, int number, IndexResult found) {
    IndexResult.Hit hit() {
      return found.hits().get(number);
    }

    boolean isLast() {
      return number == found.hits().size() - 1;
    }
  }

  private static List<IndexResult.Count> counts(
      String name, IndexSearch.Facet facet, List<IndexResult> found) {
    if (found.size() == 1) {
      return found.getFirst().facets().getOrDefault(name, List.of());
    }
    Map<Range, Long> sums = new LinkedHashMap<>();
    for (IndexResult each : found) {
      for (IndexResult.Count count : each.facets().getOrDefault(name, List.of())) {
        sums.merge(new Range(count.from(), count.to()), count.count(), Long::sum);
      }
    }
    Comparator<IndexResult.Count> byValue =
        Comparator.comparing(IndexResult.Count::from, MultiBucketSearch::compareFrom);
    List<IndexResult.Count> counts =
        sums.entrySet().stream()
            .map(sum -> new IndexResult.Count(sum.getKey().from, sum.getKey().to, sum.getValue()))
            .sorted(byValue)
            .toList();
    return facet instanceof IndexSearch.Facet.Terms(_, int size)
        ? counts.stream()
            .sorted(Comparator.comparingLong(IndexResult.Count::count).reversed())
            .limit(size)
            .toList()
        : counts;
  }

  private record Range(Optional<Value> from, Optional<Value> to) {}

  private static int compareFrom(Optional<Value> one, Optional<Value> other) {
    return one.isEmpty() || other.isEmpty()
        ? Boolean.compare(one.isPresent(), other.isPresent())
        : ValueOrder.compare(one.get(), other.get());
  }
}
