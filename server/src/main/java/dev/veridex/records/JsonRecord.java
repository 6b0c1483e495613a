package dev.veridex.records;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Stored records as JSON, member by member: what is stored is decided by whoever calls, not by a
/// class's shape.
public final class JsonRecord {
  /// Reads whatever it wrote: limits are for those who send, and were looked at then.
  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(Integer.MAX_VALUE)
                          .maxNumberLength(Integer.MAX_VALUE)
                          .maxStringLength(Integer.MAX_VALUE)
                          .maxNameLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  /// The most bytes of settings. They are kept in memory, and listed a thousand at a time.
  private static final int MAX_SETTINGS = 64 << 10;

  private JsonRecord() {}

  /// Why settings cannot be kept.
  public static Optional<Problem> tooLarge(byte[] settings) {
    return settings.length <= MAX_SETTINGS
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.BAD_REQUEST, "settings take at most 64 KiB")
                .with("bytes", settings.length)
                .with("max", MAX_SETTINGS));
  }

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  public static byte[] bytes(ObjectNode object) {
    return MAPPER.writeValueAsBytes(object);
  }

  public static JsonNode read(byte[] bytes) {
    try {
      return MAPPER.readTree(bytes);
    } catch (JacksonException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.CORRUPT_STORE, "a stored record is not JSON"), e);
    }
  }

  public static void put(ObjectNode object, String name, Optional<String> value) {
    value.ifPresent(text -> object.put(name, text));
  }

  public static void putTime(ObjectNode object, String name, Optional<Instant> value) {
    value.ifPresent(instant -> object.put(name, instant.toString()));
  }

  public static void put(ObjectNode object, String name, Collection<String> values) {
    ArrayNode array = object.putArray(name);
    values.forEach(array::add);
  }

  public static Optional<String> text(JsonNode object, String name) {
    return Optional.ofNullable(object.get(name)).map(JsonNode::asString);
  }

  public static Optional<Instant> time(JsonNode object, String name) {
    return text(object, name).map(Instant::parse);
  }

  public static List<String> texts(JsonNode object, String name) {
    return object.path(name).valueStream().map(JsonNode::asString).toList();
  }
}
