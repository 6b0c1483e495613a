package dev.veridex.search.query;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The slow and obvious search: a list of documents, each looked at. Random questions are made
/// together with what they mean.
final class SearchModel {
  static final String FACETS =
      "{'keyword':{'size':3},'bool':{},'number':{'ranges':[-1,0.5,9007199254740993]},'timestamp':{'interval':'day'}}";

  private static final List<String> FIELDS =
      List.of("bool", "number", "keyword", "string", "timestamp");
  private static final List<String> WORDS =
      List.of("red", "Blue", "bike", "biker", "boat", "синий");
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  /// The keys of documents, where it does not matter what they are.
  static final List<String> KEYS = IntStream.range(0, 40).mapToObj(i -> "pk" + i).toList();

  private final Random random;
  private final List<String> keys;
  private final SortedMap<String, Doc> documents = new TreeMap<>();
  private final Map<String, Long> versions = new TreeMap<>();

  /// @param keys that documents have
  SearchModel(Random random, List<String> keys) {
    this.random = random;
    this.keys = keys;
  }

  /// A document.
  record Doc(String pk, Map<String, List<Comparable<?>>> fields) {
    List<Comparable<?>> values(String field) {
      return fields.getOrDefault(field, List.of());
    }
  }

  /// A change, as JSON; without a document it is a deletion.
  record Changed(String pk, long version, Optional<String> json) {}

  /// A question and what it means.
  record Question(
      Optional<String> query,
      boolean all,
      Optional<String> filter,
      List<String> sort,
      Predicate<Doc> holds,
      Comparator<Doc> order) {
    boolean isScored() {
      return query.isPresent() && sort.isEmpty();
    }

    @Override
    public String toString() {
      return "%s %s %s %s".formatted(query, all, filter, sort);
    }
  }

  List<Doc> documents() {
    return List.copyOf(documents.values());
  }

  List<Changed> change() {
    List<Changed> changes = new ArrayList<>();
    for (int i = random.nextInt(30); i > 0; i--) {
      String pk = keys.get(random.nextInt(keys.size()));
      long version = versions.merge(pk, 1L, Long::sum);
      if (random.nextInt(5) == 0) {
        documents.remove(pk);
        changes.add(new Changed(pk, version, Optional.empty()));
      } else {
        Doc document = document(pk);
        documents.put(pk, document);
        changes.add(new Changed(pk, version, Optional.of(json(document))));
      }
    }
    return changes;
  }

  private Doc document(String pk) {
    Map<String, List<Comparable<?>>> fields = new TreeMap<>();
    for (String field : FIELDS) {
      List<Comparable<?>> values = new ArrayList<>();
      for (int i = random.nextInt(4) == 0 ? random.nextInt(4) : 1; i > 0; i--) {
        values.add(value(field));
      }
      if (!values.isEmpty() && random.nextInt(6) > 0) {
        fields.put(field, values);
      }
    }
    return new Doc(pk, fields);
  }

  private Comparable<?> value(String field) {
    return switch (field) {
      case "bool" -> random.nextBoolean();
      case "number" -> number();
      case "keyword" -> WORDS.get(random.nextInt(WORDS.size()));
      case "string" -> words(random.nextInt(1, 4));
      default -> START.plus(random.nextInt(5 * 24), ChronoUnit.HOURS);
    };
  }

  private BigDecimal number() {
    return switch (random.nextInt(4)) {
      case 0 -> BigDecimal.valueOf(random.nextInt(5) - 2);
      case 1 -> BigDecimal.valueOf((random.nextInt(9) - 4) / 4.0);
      case 2 -> BigDecimal.valueOf((1L << 53) + random.nextInt(4) - 1);
      default -> BigDecimal.valueOf(random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE);
    };
  }

  private String words(int count) {
    return Stream.generate(() -> WORDS.get(random.nextInt(WORDS.size())))
        .limit(count)
        .collect(Collectors.joining(" "));
  }

  private static String json(Doc document) {
    String fields =
        document.fields.entrySet().stream()
            .map(
                each ->
                    "'%s':[%s]"
                        .formatted(
                            each.getKey(),
                            each.getValue().stream()
                                .map(SearchModel::json)
                                .collect(Collectors.joining(","))))
            .collect(Collectors.joining(","));
    return "{'pk':'%s','epoch':1,'version':1,'action':'UPSERT','fields':{%s}}"
        .formatted(document.pk, fields);
  }

  private static String json(Object value) {
    return switch (value) {
      case BigDecimal number -> number.toPlainString();
      case Boolean truth -> truth.toString();
      default -> "'" + value + "'";
    };
  }

  Question question() {
    Optional<Made> filter = random.nextInt(4) > 0 ? Optional.of(filter(0)) : Optional.empty();
    Optional<Made> text = random.nextInt(2) == 0 ? Optional.of(text()) : Optional.empty();
    boolean all = random.nextBoolean();
    List<String> sort = sort();
    Predicate<Doc> holds = doc -> true;
    if (filter.isPresent()) {
      holds = holds.and(filter.get().holds);
    }
    if (text.isPresent()) {
      holds = holds.and(text.get().holds);
    }
    return new Question(
        text.map(Made::json), all, filter.map(Made::json), sort, holds, order(sort));
  }

  /// Something asked, and what it means.
  private record Made(String json, Predicate<Doc> holds) {}

  private Made filter(int depth) {
    int what = depth > 2 ? 3 : random.nextInt(8);
    if (what < 2) {
      List<Made> parts = List.of(filter(depth + 1), filter(depth + 1));
      String json = parts.stream().map(Made::json).collect(Collectors.joining(","));
      return what == 0
          ? new Made("{'and':[" + json + "]}", parts.get(0).holds.and(parts.get(1).holds))
          : new Made("{'or':[" + json + "]}", parts.get(0).holds.or(parts.get(1).holds));
    }
    if (what == 2) {
      Made part = filter(depth + 1);
      return new Made("{'not':" + part.json + "}", part.holds.negate());
    }
    return leaf();
  }

  private Made leaf() {
    String field = FIELDS.get(random.nextInt(FIELDS.size()));
    Comparable<?> value = value(field);
    Comparable<?> other = value(field);
    boolean texts = field.equals("keyword") || field.equals("string");
    return switch (random.nextInt(texts ? 7 : 5)) {
      case 0 -> made(field, json(value), any(field, each -> compare(each, value) == 0));
      case 1 ->
          made(
              field,
              "{'in':[" + json(value) + "," + json(other) + "]}",
              any(field, each -> compare(each, value) == 0 || compare(each, other) == 0));
      case 2 -> made(field, "{'exists':true}", doc -> !doc.values(field).isEmpty());
      case 3 ->
          made(
              field,
              "{'gt':" + json(value) + ",'lte':" + json(other) + "}",
              any(field, each -> compare(each, value) > 0 && compare(each, other) <= 0));
      case 4 ->
          random.nextBoolean()
              ? made(
                  field,
                  "{'gte':" + json(value) + "}",
                  any(field, each -> compare(each, value) >= 0))
              : made(
                  field,
                  "{'lt':" + json(value) + "}",
                  any(field, each -> compare(each, value) < 0));
      case 5 ->
          made(field, "{'prefix':'bi'}", any(field, each -> each.toString().startsWith("bi")));
      default ->
          made(
              field,
              "{'wildcard':'?i*e*'}",
              any(field, each -> each.toString().matches("(?s).i.*e.*")));
    };
  }

  private static Made made(String field, String wanted, Predicate<Doc> holds) {
    return new Made("{'" + field + "':" + wanted + "}", holds);
  }

  private static Predicate<Doc> any(String field, Predicate<Comparable<?>> holds) {
    return doc -> doc.values(field).stream().anyMatch(holds);
  }

  /// Numbers by value, texts by their bytes.
  @SuppressWarnings("unchecked")
  private static int compare(Comparable<?> one, Comparable<?> other) {
    return one instanceof String text
        ? Arrays.compareUnsigned(
            text.getBytes(StandardCharsets.UTF_8),
            other.toString().getBytes(StandardCharsets.UTF_8))
        : ((Comparable<Object>) one).compareTo(other);
  }

  private Made text() {
    String one = WORDS.get(random.nextInt(WORDS.size()));
    String other = WORDS.get(random.nextInt(WORDS.size()));
    Predicate<Doc> first = word(one);
    Predicate<Doc> second = word(other);
    return switch (random.nextInt(5)) {
      case 0 -> new Made(one, first);
      case 1 -> new Made(one + " AND " + other, first.and(second));
      case 2 -> new Made(one + " OR " + other, first.or(second));
      case 3 ->
          new Made(
              "\"" + one + " " + other + "\"",
              any(
                  "string",
                  each ->
                      (" " + each + " ")
                          .toLowerCase(Locale.ROOT)
                          .contains(" " + (one + " " + other).toLowerCase(Locale.ROOT) + " ")));
      default ->
          new Made(
              "b*", any("string", each -> (" " + each).toLowerCase(Locale.ROOT).contains(" b")));
    };
  }

  private static Predicate<Doc> word(String word) {
    return any(
        "string",
        each ->
            List.of(each.toString().toLowerCase(Locale.ROOT).split(" "))
                .contains(word.toLowerCase(Locale.ROOT)));
  }

  private List<String> sort() {
    List<String> fields = new ArrayList<>(FIELDS);
    Collections.shuffle(fields, random);
    return fields.subList(0, random.nextInt(3)).stream()
        .map(field -> random.nextBoolean() ? field : "-" + field)
        .toList();
  }

  private static Comparator<Doc> order(List<String> sort) {
    Comparator<Doc> order = (_, _) -> 0;
    for (String each : sort) {
      boolean descending = each.startsWith("-");
      String field = descending ? each.substring(1) : each;
      order = order.thenComparing((one, other) -> compare(one, other, field, descending));
    }
    return order.thenComparing(Doc::pk);
  }

  private static int compare(Doc one, Doc other, String field, boolean descending) {
    List<Comparable<?>> ones = one.values(field);
    List<Comparable<?>> others = other.values(field);
    if (ones.isEmpty() || others.isEmpty()) {
      return Boolean.compare(ones.isEmpty(), others.isEmpty());
    }
    Comparator<Comparable<?>> natural = SearchModel::compare;
    return descending
        ? natural.compare(Collections.max(others, natural), Collections.max(ones, natural))
        : natural.compare(Collections.min(ones, natural), Collections.min(others, natural));
  }

  /// What is counted of documents, as text.
  static SortedMap<String, String> facets(List<Doc> documents) {
    SortedMap<String, String> facets = new TreeMap<>();
    facets.put("keyword", terms(documents, "keyword", 3));
    facets.put("bool", terms(documents, "bool", 10));
    List<BigDecimal> bounds =
        List.of(new BigDecimal("-1"), new BigDecimal("0.5"), new BigDecimal("9007199254740993"));
    List<String> ranges = new ArrayList<>();
    for (int i = 0; i <= bounds.size(); i++) {
      BigDecimal from = i == 0 ? null : bounds.get(i - 1);
      BigDecimal to = i == bounds.size() ? null : bounds.get(i);
      long count =
          documents.stream()
              .filter(
                  any(
                      "number",
                      each ->
                          (from == null || compare(each, from) >= 0)
                              && (to == null || compare(each, to) < 0)))
              .count();
      ranges.add("%s-%s:%d".formatted(text(from), text(to), count));
    }
    facets.put("number", ranges.toString());
    SortedMap<String, Long> days = new TreeMap<>();
    for (Doc document : documents) {
      document.values("timestamp").stream()
          .map(time -> LocalDate.ofInstant((Instant) time, ZoneOffset.UTC))
          .distinct()
          .forEach(
              day -> days.merge(day.atStartOfDay(ZoneOffset.UTC).toInstant() + "-", 1L, Long::sum));
    }
    facets.put(
        "timestamp",
        days.entrySet().stream()
            .map(each -> each.getKey() + ":" + each.getValue())
            .toList()
            .toString());
    return facets;
  }

  private static String text(@Nullable BigDecimal number) {
    return number == null ? "" : number.toPlainString();
  }

  private static String terms(List<Doc> documents, String field, int size) {
    Map<Comparable<?>, Long> counts = new HashMap<>();
    for (Doc document : documents) {
      document.values(field).stream().distinct().forEach(each -> counts.merge(each, 1L, Long::sum));
    }
    Comparator<Map.Entry<Comparable<?>, Long>> order =
        Comparator.comparingLong((Map.Entry<Comparable<?>, Long> each) -> -each.getValue())
            .thenComparing(Map.Entry::getKey, SearchModel::compare);
    return counts.entrySet().stream()
        .sorted(order)
        .limit(size)
        .map(each -> each.getKey() + "-:" + each.getValue())
        .toList()
        .toString();
  }
}
