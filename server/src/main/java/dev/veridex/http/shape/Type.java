package dev.veridex.http.shape;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The type of a value in JSON, in a path or in a query: how to read, write and describe it.
///
/// @param schema its JSON Schema
/// @param reading makes a value of JSON; the second argument says where it stands
/// @param writing makes JSON of a value
/// @param parsing makes JSON of the text of a parameter
/// @param part the shape of the objects in it, if there are any
public record Type<T>(
    ObjectNode schema,
    ValueReader<T> reading,
    Function<T, JsonNode> writing,
    Function<String, JsonNode> parsing,
    Optional<Shape<?>> part) {

  private Type(
      ObjectNode schema,
      ValueReader<T> reading,
      Function<T, JsonNode> writing,
      Function<String, JsonNode> parsing) {
    this(schema, reading, writing, parsing, Optional.empty());
  }

  /// The most bytes of an id.
  public static final int MAX_ID_BYTES = 1100;

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /// Makes a value of JSON, or blames the pointer.
  @FunctionalInterface
  public interface ValueReader<T> {
    T read(JsonNode node, String pointer);
  }

  /// Any text.
  public static final Type<String> TEXT =
      new Type<>(schema("string"), Type::text, NODES::stringNode, NODES::stringNode);

  /// An id: opaque, byte-exact, 1 to 1100 bytes.
  public static final Type<String> ID =
      new Type<>(
          schema("string").put("description", "1 to 1100 bytes of UTF-8, taken as they are"),
          Type::id,
          NODES::stringNode,
          NODES::stringNode);

  public static final Type<Boolean> BOOLEAN =
      new Type<>(
          schema("boolean"),
          (node, pointer) -> {
            if (!node.isBoolean()) {
              throw wrong("true or false is expected here", pointer);
            }
            return node.asBoolean();
          },
          NODES::booleanNode,
          text ->
              text.equals("true") || text.equals("false")
                  ? NODES.booleanNode(text.equals("true"))
                  : NODES.stringNode(text));

  /// A time in ISO 8601.
  public static final Type<Instant> TIME =
      new Type<>(
          schema("string").put("format", "date-time"),
          (node, pointer) -> time(text(node, pointer), pointer),
          time -> NODES.stringNode(time.toString()),
          NODES::stringNode);

  /// A scope in its text form.
  public static final Type<Scope> SCOPE =
      new Type<>(
          schema("string").put("description", "a scope, e.g. tenant:acme or tenant:acme:env:prod"),
          (node, pointer) -> scope(text(node, pointer), pointer),
          scope -> NODES.stringNode(scope.text()),
          NODES::stringNode);

  /// A JSON object of a foreign format, as it is.
  public static final Type<JsonNode> FOREIGN =
      new Type<>(
          schema("object"),
          (node, pointer) -> {
            if (!node.isObject()) {
              throw wrong("an object is expected here", pointer);
            }
            return node;
          },
          node -> node,
          NODES::stringNode);

  /// Texts by name.
  public static final Type<Map<String, String>> TEXTS =
      new Type<>(
          textsSchema(),
          Type::texts,
          texts -> {
            ObjectNode object = NODES.objectNode();
            texts.forEach(object::put);
            return object;
          },
          NODES::stringNode);

  /// A number that need not be whole.
  public static final Type<Double> NUMBER =
      new Type<>(
          schema("number"),
          (node, pointer) -> {
            if (!node.isNumber()) {
              throw wrong("a number is expected here", pointer);
            }
            return node.asDouble();
          },
          NODES::numberNode,
          NODES::stringNode);

  /// A whole number within bounds.
  public static Type<Long> whole(long min, long max) {
    return new Type<>(
        schema("integer").put("minimum", min).put("maximum", max),
        (node, pointer) -> {
          boolean fits = node.isIntegralNumber() && node.canConvertToLong();
          if (!fits || node.asLong() < min || node.asLong() > max) {
            throw new VeridexException(
                problem("a whole number within bounds is expected here", pointer)
                    .with("min", min)
                    .with("max", max));
          }
          return node.asLong();
        },
        NODES::numberNode,
        text ->
            text.matches("-?\\d{1,18}")
                ? NODES.numberNode(Long.parseLong(text))
                : NODES.stringNode(text));
  }

  /// One of a few values, each known by a text.
  public static <E> Type<E> choice(List<E> values, Function<E, String> text) {
    ObjectNode schema = schema("string");
    values.forEach(value -> schema.withArray("enum").add(text.apply(value)));
    return new Type<>(
        schema,
        (node, pointer) -> {
          String given = text(node, pointer);
          return values.stream()
              .filter(value -> text.apply(value).equals(given))
              .findFirst()
              .orElseThrow(
                  () ->
                      new VeridexException(
                          problem("one of a few texts is expected here", pointer)
                              .with(
                                  "known",
                                  values.stream().map(text).collect(Collectors.joining(", ")))));
        },
        value -> NODES.stringNode(text.apply(value)),
        NODES::stringNode);
  }

  /// A list of values of one type.
  public static <E> Type<List<E>> list(Type<E> element) {
    ObjectNode schema = schema("array");
    schema.set("items", element.schema);
    return new Type<>(
        schema,
        (node, pointer) -> {
          if (!node.isArray()) {
            throw wrong("a list is expected here", pointer);
          }
          List<E> elements = new ArrayList<>(node.size());
          for (JsonNode each : node) {
            elements.add(element.reading.read(each, pointer + "/" + elements.size()));
          }
          return List.copyOf(elements);
        },
        elements -> {
          ArrayNode array = NODES.arrayNode(elements.size());
          elements.forEach(each -> array.add(element.writing.apply(each)));
          return array;
        },
        NODES::stringNode,
        element.part);
  }

  /// A value of a type, or `null`.
  public static <E> Type<Optional<E>> nullable(Type<E> type) {
    ObjectNode schema = type.schema.deepCopy();
    schema.putArray("type").add(type.schema.get("type").asString()).add("null");
    return new Type<>(
        schema,
        (node, pointer) ->
            node.isNull() ? Optional.empty() : Optional.of(type.reading.read(node, pointer)),
        value -> value.map(type.writing).orElse(NODES.nullNode()),
        type.parsing);
  }

  /// An object of a shape.
  public static <T> Type<T> object(Shape<T> shape) {
    return new Type<>(
        schemaReference(shape.name()),
        shape::read,
        shape::write,
        NODES::stringNode,
        Optional.of(shape));
  }

  /// The value of a parameter's text.
  public T parse(String text, String parameter) {
    try {
      return reading.read(parsing.apply(text), "");
    } catch (VeridexException e) {
      Problem blamed = e.problem();
      throw new VeridexException(
          new Problem(blamed.code(), blamed.detail(), Optional.empty(), blamed.values())
              .with("parameter", parameter));
    }
  }

  static ObjectNode schemaReference(String name) {
    return NODES.objectNode().put("$ref", "#/components/schemas/" + name);
  }

  private static ObjectNode schema(String type) {
    return NODES.objectNode().put("type", type);
  }

  private static String text(JsonNode node, String pointer) {
    if (!node.isString()) {
      throw wrong("a text is expected here", pointer);
    }
    String text = node.asString();
    if (!KeyWriter.isWellFormed(text)) {
      throw wrong("half of a surrogate pair is not text", pointer);
    }
    return text;
  }

  private static ObjectNode textsSchema() {
    ObjectNode schema = schema("object");
    schema.putObject("additionalProperties").put("type", "string");
    return schema;
  }

  private static Map<String, String> texts(JsonNode node, String pointer) {
    if (!node.isObject()) {
      throw wrong("an object of texts is expected here", pointer);
    }
    Map<String, String> texts = new TreeMap<>();
    node.properties()
        .forEach(
            each ->
                texts.put(
                    each.getKey(),
                    text(each.getValue(), pointer + "/" + JsonPointer.escape(each.getKey()))));
    return texts;
  }

  private static String id(JsonNode node, String pointer) {
    String text = text(node, pointer);
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > MAX_ID_BYTES) {
      throw wrong("an id has 1 to 1100 bytes", pointer);
    }
    return text;
  }

  private static Instant time(String text, String pointer) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw wrong("a time as 2026-01-31T12:00:00Z is expected here", pointer);
    }
  }

  private static Scope scope(String text, String pointer) {
    try {
      return Scope.parse(text);
    } catch (VeridexException e) {
      throw new VeridexException(e.problem().at(pointer), e);
    }
  }

  /// The problem that the value at a pointer is wrong.
  public static VeridexException wrong(String detail, String pointer) {
    return new VeridexException(problem(detail, pointer));
  }

  private static Problem problem(String detail, String pointer) {
    return Problem.of(ErrorCode.BAD_REQUEST, detail).at(pointer);
  }
}
