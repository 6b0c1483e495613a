package dev.veridex.search.query;

import dev.veridex.common.JsonPointer;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.index.Condition;
import dev.veridex.index.FieldKind;
import dev.veridex.index.Schema;
import dev.veridex.protocol.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Reads filters: `{"price": {"gte": 10}}`, `{"city": "Paris"}`, with `and`, `or` and `not`.
///
/// An object with several members wants all of them.
final class FilterParser {
  static final int MAX_CONDITIONS = 500;
  private static final int MAX_VALUES = 10_000;
  private static final int MAX_DEPTH = 50;
  private static final int MAX_PATTERN = 256;
  private static final double MAX_METERS = 20_100_000;

  private final Schema schema;
  private int conditions;

  FilterParser(Schema schema) {
    this.schema = schema;
  }

  Condition parse(JsonNode filter, String pointer) {
    return parse(filter, pointer, 0);
  }

  private Condition parse(JsonNode filter, String pointer, int depth) {
    if (!filter.isObject()) {
      throw QueryProblem.at(pointer, "a filter is an object");
    }
    if (depth > MAX_DEPTH) {
      throw QueryProblem.at(pointer, "filters are nested too deep");
    }
    List<Condition> all = new ArrayList<>();
    for (Map.Entry<String, JsonNode> each : filter.properties()) {
      String member = JsonPointer.member(pointer, each.getKey());
      conditions++;
      if (conditions > MAX_CONDITIONS) {
        throw QueryProblem.at(
            member, "a filter has at most %d conditions".formatted(MAX_CONDITIONS));
      }
      all.add(
          switch (each.getKey()) {
            case "and" -> new Condition.And(list(each.getValue(), member, depth));
            case "or" -> new Condition.Or(list(each.getValue(), member, depth));
            case "not" -> new Condition.Not(parse(each.getValue(), member, depth + 1));
            default -> field(each.getKey(), each.getValue(), member);
          });
    }
    return all.size() == 1 ? all.getFirst() : new Condition.And(all);
  }

  private List<Condition> list(JsonNode filters, String pointer, int depth) {
    if (!filters.isArray()) {
      throw QueryProblem.at(pointer, "a list of filters is expected");
    }
    List<Condition> list = new ArrayList<>();
    for (int i = 0; i < filters.size(); i++) {
      list.add(parse(filters.get(i), JsonPointer.element(pointer, i), depth + 1));
    }
    return list;
  }

  private Condition field(String name, JsonNode wanted, String pointer) {
    if (schema.embeddings().containsKey(name)
        && wanted.isObject()
        && wanted.size() == 1
        && wanted.has("exists")) {
      return exists(name, wanted.get("exists"), pointer + "/exists");
    }
    Schema.Field field = schema.fields().get(name);
    if (field == null) {
      throw QueryProblem.at(pointer, "there is no such field");
    }
    if (wanted.isArray()) {
      return in(name, field, wanted, pointer);
    }
    if (!wanted.isObject()) {
      return new Condition.In(name, List.of(value(field, wanted, pointer)));
    }
    if (wanted.isEmpty()) {
      throw QueryProblem.at(pointer, "what is wanted of the field is missing");
    }
    return operators(name, field, wanted, pointer);
  }

  private Condition operators(String name, Schema.Field field, JsonNode wanted, String pointer) {
    List<Condition> all = new ArrayList<>();
    Optional<Condition.Bound> from = Optional.empty();
    Optional<Condition.Bound> to = Optional.empty();
    for (Map.Entry<String, JsonNode> each : wanted.properties()) {
      JsonNode node = each.getValue();
      String at = JsonPointer.member(pointer, each.getKey());
      switch (each.getKey()) {
        case "eq" -> all.add(new Condition.In(name, List.of(value(field, node, at))));
        case "in" -> all.add(in(name, field, node, at));
        case "gt", "gte" -> {
          once(from, at);
          from = Optional.of(bound(field, node, at, each.getKey()));
        }
        case "lt", "lte" -> {
          once(to, at);
          to = Optional.of(bound(field, node, at, each.getKey()));
        }
        case "exists" -> all.add(exists(name, node, at));
        case "prefix" -> all.add(new Condition.Prefix(name, pattern(field, node, at)));
        case "wildcard" -> all.add(wildcard(name, field, node, at));
        case "near" -> all.add(near(name, field, node, at));
        default -> throw QueryProblem.at(at, "there is no such condition");
      }
    }
    if (from.isPresent() || to.isPresent()) {
      all.add(new Condition.Range(name, from, to));
    }
    return all.size() == 1 ? all.getFirst() : new Condition.And(all);
  }

  private static void once(Optional<Condition.Bound> bound, String pointer) {
    if (bound.isPresent()) {
      throw QueryProblem.at(pointer, "a range has one bound on each side");
    }
  }

  private static Condition.Bound bound(
      Schema.Field field, JsonNode node, String pointer, String operator) {
    return new Condition.Bound(value(field, node, pointer), operator.endsWith("e"));
  }

  private static Condition exists(String name, JsonNode node, String pointer) {
    if (!node.isBoolean()) {
      throw QueryProblem.at(pointer, "true or false is expected");
    }
    Condition exists = new Condition.Exists(name);
    return node.asBoolean() ? exists : new Condition.Not(exists);
  }

  private static Condition in(String name, Schema.Field field, JsonNode values, String pointer) {
    if (!values.isArray()) {
      throw QueryProblem.at(pointer, "a list of values is expected");
    }
    if (values.size() > MAX_VALUES) {
      throw QueryProblem.at(pointer, "at most %d values are looked for".formatted(MAX_VALUES));
    }
    List<Value> list = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      list.add(value(field, values.get(i), JsonPointer.element(pointer, i)));
    }
    return new Condition.In(name, list);
  }

  /// A value of a field that has keys.
  static Value value(Schema.Field field, JsonNode node, String pointer) {
    keyed(field, pointer);
    return DocumentJson.literal(node, field.type())
        .orElseThrow(
            () ->
                QueryProblem.at(
                    pointer, "this is no value of the field, which is " + field.type().text()));
  }

  private static void keyed(Schema.Field field, String pointer) {
    if (field.type() == FieldKind.TEXT) {
      throw QueryProblem.at(pointer, "a text is found by its words, not as a whole");
    }
    if (field.type() == FieldKind.GEO) {
      throw QueryProblem.at(pointer, "a point is found by near");
    }
    if (!field.filter()) {
      throw QueryProblem.at(pointer, "the schema says that this field is no filter");
    }
  }

  private static String text(Schema.Field field, JsonNode node, String pointer) {
    boolean texts = field.type() == FieldKind.KEYWORD || field.type() == FieldKind.STRING;
    if (!texts) {
      throw QueryProblem.at(pointer, "only a keyword or string can be looked at so");
    }
    return value(field, node, pointer).getText();
  }

  private static Condition wildcard(
      String name, Schema.Field field, JsonNode node, String pointer) {
    return new Condition.Wildcard(name, pattern(field, node, pointer));
  }

  private static String pattern(Schema.Field field, JsonNode node, String pointer) {
    String pattern = text(field, node, pointer);
    if (pattern.length() > MAX_PATTERN) {
      throw QueryProblem.at(pointer, "a pattern has at most %d letters".formatted(MAX_PATTERN));
    }
    return pattern;
  }

  private static Condition near(String name, Schema.Field field, JsonNode node, String pointer) {
    if (field.type() != FieldKind.GEO) {
      throw QueryProblem.at(pointer, "only a point is near another");
    }
    for (String member : node.propertyNames()) {
      if (!List.of("lat", "lon", "meters").contains(member)) {
        throw QueryProblem.at(JsonPointer.member(pointer, member), "near has no such member");
      }
    }
    return new Condition.Near(
        name,
        number(node, "lat", -90, 90, pointer),
        number(node, "lon", -180, 180, pointer),
        number(node, "meters", 0, MAX_METERS, pointer));
  }

  private static double number(
      JsonNode node, String member, double least, double most, String pointer) {
    double number = node.path(member).isNumber() ? node.get(member).asDouble() : Double.NaN;
    if (!(number >= least && number <= most)) {
      throw QueryProblem.at(
          pointer + "/" + member, "a number from %.0f to %.0f is expected".formatted(least, most));
    }
    return number;
  }
}
