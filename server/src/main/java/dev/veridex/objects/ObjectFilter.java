package dev.veridex.objects;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import dev.veridex.objects.catalogue.ObjectRow;
import dev.veridex.objects.event.ObjectKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/// A filter for rows, as parameters of a request say it.
///
/// | parameter | keeps rows whose field |
/// |---|---|
/// | `size=5` | has the value; texts, times and attributes with wildcards |
/// | `key[]=a&key[]=b` | has one of the values |
/// | `key[and][]=a&key[and][]=b` | has all of them |
/// | `size[gte]=5` | lies in a range: `gt`, `gte`, `lt`, `lte` |
/// | `attributes[a][b]=x` | has an attribute `b` within `a` |
public final class ObjectFilter {
  /// The parameter of attributes.
  static final String ATTRIBUTES = "attributes";

  private static final Pattern BRACKETS = Pattern.compile("\\[([^\\[\\]]*)]");
  private static final Pattern NUMBER = Pattern.compile("#\\d{1,4}");
  private static final String AND = "and";
  private static final int MAX_FILTERS = 50;
  private static final Set<String> NAMES =
      Set.of(ObjectField.BUCKET.text(), ObjectField.KEY.text());

  private final boolean caseSensitive;
  private final SortedMap<String, FieldConditions> conditions = new TreeMap<>();

  private ObjectFilter(boolean caseSensitive) {
    this.caseSensitive = caseSensitive;
  }

  /// The conditions on one field, or on one attribute.
  private static final class FieldConditions {
    private final List<Predicate<ObjectRow>> any = new ArrayList<>();
    private final List<Predicate<ObjectRow>> all = new ArrayList<>();
    private final List<WildcardPattern> anyPattern = new ArrayList<>();
    private final List<WildcardPattern> allPatterns = new ArrayList<>();

    private boolean test(ObjectRow row) {
      return (any.isEmpty() || any.stream().anyMatch(each -> each.test(row)))
          && all.stream().allMatch(each -> each.test(row));
    }

    /// Whether a text may fulfil them, for fields that are texts.
    private boolean testText(String text) {
      return (anyPattern.isEmpty() || anyPattern.stream().anyMatch(each -> each.matches(text)))
          && allPatterns.stream().allMatch(each -> each.matches(text));
    }

    private boolean isSingle() {
      return any.size() + all.size() == 1;
    }

    /// The only pattern that a row has to match in any case.
    private Optional<WildcardPattern> only() {
      return anyPattern.size() == 1
          ? Optional.of(anyPattern.getFirst())
          : allPatterns.stream().findFirst();
    }
  }

  /// The filter that parameters say.
  ///
  /// @throws VeridexException `BAD_REQUEST`
  public static ObjectFilter of(Map<String, String> parameters, boolean caseSensitive) {
    if (parameters.size() > MAX_FILTERS) {
      throw wrong("filter", "A list has at most %s filters.", String.valueOf(MAX_FILTERS));
    }
    ObjectFilter filter = new ObjectFilter(caseSensitive);
    new TreeMap<>(parameters).forEach(filter::add);
    return filter;
  }

  private void add(String parameter, String value) {
    int bracket = parameter.indexOf('[');
    String name = bracket < 0 ? parameter : parameter.substring(0, bracket);
    List<String> inside = inside(parameter, bracket);
    if (name.equals(ATTRIBUTES)) {
      attribute(parameter, inside, value);
      return;
    }
    ObjectField field =
        ObjectField.of(name).orElseThrow(() -> wrong(parameter, "There is no field %s.", name));
    FieldConditions own = conditions.computeIfAbsent(name, _ -> new FieldConditions());
    if (inside.isEmpty() || (inside.size() == 1 && NUMBER.matcher(inside.getFirst()).matches())) {
      own.any.add(is(field, parameter, value, own.anyPattern));
    } else if (inside.getFirst().equals(AND)) {
      own.all.add(is(field, parameter, value, own.allPatterns));
    } else if (inside.size() == 1) {
      own.all.add(range(field, parameter, inside.getFirst(), value));
    } else {
      throw wrong(parameter, "%s is no filter.", parameter);
    }
  }

  /// What stands in brackets.
  private static List<String> inside(String parameter, int bracket) {
    if (bracket < 0) {
      return List.of();
    }
    List<String> inside = new ArrayList<>();
    Matcher brackets = BRACKETS.matcher(parameter);
    int end = bracket;
    while (brackets.find(end) && brackets.start() == end) {
      inside.add(brackets.group(1));
      end = brackets.end();
    }
    if (end != parameter.length()) {
      throw wrong(parameter, "The brackets of %s do not match.", parameter);
    }
    return inside;
  }

  private Predicate<ObjectRow> is(
      ObjectField field, String parameter, String value, List<WildcardPattern> patterns) {
    boolean wild = value.indexOf('*') >= 0 || value.indexOf('?') >= 0 || value.indexOf('\\') >= 0;
    boolean textual =
        field.kind() == ObjectField.Kind.TEXT || (field.kind() == ObjectField.Kind.TIME && wild);
    if (textual) {
      String text = field == ObjectField.E_TAG && !wild ? quoted(value) : value;
      WildcardPattern pattern = WildcardPattern.of(text, caseSensitive);
      patterns.add(pattern);
      return row -> field.in(row).filter(pattern::matches).isPresent();
    }
    Comparable<?> wanted = comparable(field, parameter, value);
    return row -> field.comparable(row).filter(wanted::equals).isPresent();
  }

  private static String quoted(String eTag) {
    return eTag.startsWith("\"") ? eTag : "\"" + eTag + "\"";
  }

  private static Predicate<ObjectRow> range(
      ObjectField field, String parameter, String operator, String value) {
    Predicate<Integer> holds =
        switch (operator) {
          case "gt" -> order -> order > 0;
          case "gte" -> order -> order >= 0;
          case "lt" -> order -> order < 0;
          case "lte" -> order -> order <= 0;
          default -> throw unknownOperator(parameter, operator);
        };
    Comparable<?> bound = comparable(field, parameter, value);
    return row -> field.comparable(row).map(found -> order(found, bound)).filter(holds).isPresent();
  }

  private static VeridexException unknownOperator(String parameter, String operator) {
    Problem problem =
        Problem.of(
                ErrorCode.BAD_REQUEST,
                "\"%s\" is no operator: use gt, gte, lt, lte, and.".formatted(operator))
            .with("parameter", parameter);
    return new VeridexException(
        SpellingSuggestion.nearest(operator, List.of("gt", "gte", "lt", "lte", AND))
            .map(near -> problem.with("didYouMean", near))
            .orElse(problem));
  }

  /// Both are values of the same field.
  @SuppressWarnings("unchecked")
  static int order(Comparable<?> one, Comparable<?> other) {
    return ((Comparable<Object>) one).compareTo(other);
  }

  private static Comparable<?> comparable(ObjectField field, String parameter, String value) {
    return field
        .comparable(value)
        .orElseThrow(
            () ->
                wrong(
                    parameter,
                    switch (field.kind()) {
                      case NUMBER -> "\"%s\" is no whole number.";
                      case TIME -> "\"%s\" is no time as 2026-01-31T12:00:00Z.";
                      case FLAG -> "\"%s\" is neither true nor false.";
                      case SEQUENCER -> "\"%s\" is no sequencer.";
                      case TEXT -> "\"%s\" is no text.";
                    },
                    value));
  }

  private void attribute(String parameter, List<String> inside, String value) {
    int last = inside.size() - 1;
    boolean many = last > 0 && NUMBER.matcher(inside.get(last)).matches();
    boolean and = many && last > 1 && inside.get(last - 1).equals(AND);
    List<String> path = inside.subList(0, last + 1 - (many ? 1 : 0) - (and ? 1 : 0));
    if (path.isEmpty()) {
      throw wrong(parameter, "An attribute is named in brackets, as in attributes[%s].", "name");
    }
    WildcardPattern pattern = WildcardPattern.of(value, caseSensitive);
    Predicate<ObjectRow> is =
        row -> row.attributes().filter(node -> matches(node, path, pattern)).isPresent();
    FieldConditions own = conditions.computeIfAbsent(ATTRIBUTES + path, _ -> new FieldConditions());
    (and ? own.all : own.any).add(is);
  }

  private static boolean matches(JsonNode node, List<String> path, WildcardPattern pattern) {
    JsonNode at = node;
    for (String name : path) {
      at = at.path(name);
    }
    return switch (at.getNodeType()) {
      case ARRAY -> at.valueStream().anyMatch(each -> matches(each, List.of(), pattern));
      case STRING, NUMBER, BOOLEAN -> pattern.matches(at.asString());
      default -> false;
    };
  }

  private static VeridexException wrong(String parameter, String template, String value) {
    return new VeridexException(
        Problem.of(ErrorCode.BAD_REQUEST, template.formatted(value)).with("parameter", parameter));
  }

  /// Whether a row is kept.
  boolean test(ObjectRow row) {
    return conditions.values().stream().allMatch(each -> each.test(row));
  }

  /// Whether the rows of an object may be kept, by its names alone.
  boolean test(ObjectKey object) {
    return text(ObjectField.BUCKET).map(each -> each.testText(object.bucket())).orElse(true)
        && text(ObjectField.KEY).map(each -> each.testText(object.key())).orElse(true);
  }

  private Optional<FieldConditions> text(ObjectField field) {
    return Optional.ofNullable(conditions.get(field.text()));
  }

  /// The only bucket that it keeps rows of, if it is one.
  Optional<String> bucket() {
    return text(ObjectField.BUCKET)
        .flatMap(FieldConditions::only)
        .filter(WildcardPattern::isExact)
        .map(WildcardPattern::prefix);
  }

  /// The beginning of the keys of all rows that it keeps.
  String keyPrefix() {
    return text(ObjectField.KEY)
        .flatMap(FieldConditions::only)
        .map(WildcardPattern::prefix)
        .orElse("");
  }

  /// Whether the names of an object tell whether it is kept.
  boolean isOnNames() {
    return conditions.entrySet().stream()
        .allMatch(
            each ->
                NAMES.contains(each.getKey())
                    && each.getValue().any.size() == each.getValue().anyPattern.size()
                    && each.getValue().all.size() == each.getValue().allPatterns.size());
  }

  /// The only key of all rows that it keeps, if it is one.
  Optional<String> key() {
    return text(ObjectField.KEY)
        .flatMap(FieldConditions::only)
        .filter(WildcardPattern::isExact)
        .map(WildcardPattern::prefix);
  }

  /// Whether it keeps everything, or everything in a bucket.
  boolean isBucketAlone() {
    return conditions.isEmpty()
        || (conditions.keySet().equals(Collections.singleton(ObjectField.BUCKET.text()))
            && text(ObjectField.BUCKET).filter(FieldConditions::isSingle).isPresent()
            && bucket().isPresent());
  }

  /// Names of all parameters that filters have.
  public static List<String> parameters() {
    List<String> names = new ArrayList<>();
    Arrays.stream(ObjectField.values()).map(ObjectField::text).forEach(names::add);
    names.add(ATTRIBUTES);
    return names;
  }
}
