package dev.veridex.search;

import dev.veridex.common.VeridexException;
import dev.veridex.index.Ask;
import dev.veridex.index.FieldType;
import dev.veridex.index.Found;
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
final class Together {
  private static final int AT_ONCE = 4;

  private final List<Source> sources;
  private final Request request;

  /// Of the nearest of all.
  private boolean complete = true;

  private boolean exact = true;

  /// A bucket that is asked.
  record Source(String bucket, Schema schema) {}

  /// The last hit of a page.
  ///
  /// @param source the number of its source
  record Last(int source, byte[] place) {}

  /// What all of them answered.
  ///
  /// @param last where the next page begins; absent if there is none
  record Page(
      List<Search.Hit> hits,
      Optional<Last> last,
      long total,
      SortedMap<String, List<Found.Count>> facets,
      boolean complete,
      Optional<Boolean> exact) {}

  /// Begins to ask one of them.
  interface Answering {
    Supplier<Found> search(int source, Ask ask);

    /// What a search with the same question finds by its embedding.
    Supplier<Found.Nearest> nearest(int source, Ask ask);
  }

  private Together(List<Source> sources, Request request) {
    this.sources = sources;
    this.request = request;
  }

  static Page ask(
      List<Source> sources,
      Request request,
      Instant now,
      Optional<Last> after,
      Answering answering) {
    return new Together(sources, request).ask(now, after, answering);
  }

  private Page ask(Instant now, Optional<Last> after, Answering answering) {
    if (sources.isEmpty()) {
      // What is wrong with the question is said all the same.
      QueryParser.parse(Schema.EMPTY, Schema.EMPTY, request, now, Optional.empty());
    }
    List<Schema> schemas = extended();
    List<Ask> asks = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      asks.add(parse(i, schemas.get(i), now, after));
    }
    agree(schemas);
    if (sources.size() > 1 && request.knn().isPresent()) {
      List<Ask> all = asks;
      List<Found.Nearest> nearest = all(number -> answering.nearest(number, all.get(number)));
      asks = nearest(asks, nearest);
      complete = nearest.stream().allMatch(Found.Nearest::complete);
      exact = nearest.stream().allMatch(Found.Nearest::exact);
    }
    List<Ask> parts = sources.size() == 1 ? asks : asks.stream().map(this::part).toList();
    return merged(all(number -> answering.search(number, parts.get(number))), asks);
  }

  /// The nearest of all are as many of each as are among them. Which these are decides the index
  /// again, in the same order.
  private static List<Ask> nearest(List<Ask> asks, List<Found.Nearest> found) {
    record Candidate(int source, Found.Near near) {}
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      for (Found.Near near : found.get(i).nearest()) {
        candidates.add(new Candidate(i, near));
      }
    }
    candidates.sort(
        Comparator.comparing(Candidate::near, Found.Near.NEAREST_FIRST)
            .thenComparingInt(Candidate::source));
    int k = asks.getFirst().nearest().orElseThrow().k();
    int[] counts = new int[asks.size()];
    candidates.stream().limit(k).forEach(each -> counts[each.source]++);
    List<Ask> parts = new ArrayList<>();
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

  private Ask parse(int number, Schema schema, Instant now, Optional<Last> after) {
    try {
      return QueryParser.parse(
          sources.get(number).schema,
          schema,
          request,
          now,
          after.map(last -> new Ask.After(last.place, number > last.source)));
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
      throw BadQuery.at("/knn/field", "these buckets' embeddings cannot be compared");
    }
    for (int i = 0; i < request.sort().size(); i++) {
      String given = request.sort().get(i);
      agree(
          schemas,
          given.startsWith("-") ? given.substring(1) : given,
          BadQuery.pointer("/sort", i));
    }
    request
        .facets()
        .ifPresent(
            facets ->
                facets
                    .propertyNames()
                    .forEach(name -> agree(schemas, name, BadQuery.pointer("/facets", name))));
  }

  private static void agree(List<Schema> schemas, String field, String pointer) {
    List<FieldType> types =
        schemas.stream()
            .flatMap(schema -> Optional.ofNullable(schema.fields().get(field)).stream())
            .map(Schema.Field::type)
            .distinct()
            .toList();
    if (types.size() > 1) {
      throw BadQuery.at(pointer, "this field has different types in these buckets");
    }
  }

  /// Of each value all counts are wanted: it may be rare here and frequent elsewhere.
  private Ask part(Ask ask) {
    SortedMap<String, Ask.Facet> facets = new TreeMap<>(ask.facets());
    facets.replaceAll(
        (_, facet) ->
            facet instanceof Ask.Facet.Terms(String field, _)
                ? new Ask.Facet.Terms(field, Integer.MAX_VALUE)
                : facet);
    return new Ask(
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

  private Page merged(List<Found> found, List<Ask> asks) {
    List<Search.Hit> hits = new ArrayList<>();
    Last last = null;
    boolean more = found.stream().anyMatch(Found::more);
    PriorityQueue<Next> next =
        new PriorityQueue<>(
            Comparator.comparing((Next each) -> each.hit().place(), Arrays::compareUnsigned)
                .thenComparingInt(Next::source));
    for (int i = 0; i < found.size(); i++) {
      if (!found.get(i).hits().isEmpty()) {
        next.add(new Next(i, 0, found.get(i)));
      }
    }
    long bytes = 0;
    while (!next.isEmpty() && hits.size() < request.limit() && bytes < QueryParser.PAGE_BYTES) {
      Next best = next.remove();
      bytes += best.hit().document().getSerializedSize();
      hits.add(new Search.Hit(sources.get(best.source).bucket, best.hit()));
      last = new Last(best.source, best.hit().place());
      if (best.isLast() && best.found.more()) {
        // What comes next in this bucket is not known; it may be before what others have.
        break;
      }
      if (!best.isLast()) {
        next.add(new Next(best.source, best.number + 1, best.found));
      }
    }
    SortedMap<String, List<Found.Count>> facets = new TreeMap<>();
    if (!asks.isEmpty()) {
      asks.getFirst()
          .facets()
          .forEach((name, facet) -> facets.put(name, counts(name, facet, found)));
    }
    return new Page(
        hits,
        last(last, more || !next.isEmpty()),
        found.stream().mapToLong(Found::total).sum(),
        facets,
        complete && found.stream().allMatch(Found::complete),
        found.stream()
            .flatMap(each -> each.exact().stream())
            .reduce(Boolean::logicalAnd)
            .map(each -> each && exact));
  }

  private static Optional<Last> last(@Nullable Last last, boolean more) {
    return more ? Optional.ofNullable(last) : Optional.empty();
  }

  /// The next hit of a source.
  private record Next(int source, int number, Found found) {
    Found.Hit hit() {
      return found.hits().get(number);
    }

    boolean isLast() {
      return number == found.hits().size() - 1;
    }
  }

  private static List<Found.Count> counts(String name, Ask.Facet facet, List<Found> found) {
    if (found.size() == 1) {
      return found.getFirst().facets().getOrDefault(name, List.of());
    }
    Map<Range, Long> sums = new LinkedHashMap<>();
    for (Found each : found) {
      for (Found.Count count : each.facets().getOrDefault(name, List.of())) {
        sums.merge(new Range(count.from(), count.to()), count.count(), Long::sum);
      }
    }
    Comparator<Found.Count> byValue =
        Comparator.comparing(Found.Count::from, Together::compareFrom);
    List<Found.Count> counts =
        sums.entrySet().stream()
            .map(sum -> new Found.Count(sum.getKey().from, sum.getKey().to, sum.getValue()))
            .sorted(byValue)
            .toList();
    return facet instanceof Ask.Facet.Terms(_, int size)
        ? counts.stream()
            .sorted(Comparator.comparingLong(Found.Count::count).reversed())
            .limit(size)
            .toList()
        : counts;
  }

  private record Range(Optional<Value> from, Optional<Value> to) {}

  private static int compareFrom(Optional<Value> one, Optional<Value> other) {
    return one.isEmpty() || other.isEmpty()
        ? Boolean.compare(one.isPresent(), other.isPresent())
        : Values.compare(one.get(), other.get());
  }
}
