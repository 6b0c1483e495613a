package dev.veridex.documents.receive;

import com.google.protobuf.Timestamp;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.documents.registry.DocumentConversion;
import dev.veridex.documents.registry.Violation;
import dev.veridex.index.FieldKind;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.Embedding;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.Geo;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The parser and writer of documents as JSON.
public final class DocumentJson {
  private static final Set<String> MEMBERS =
      Set.of("pk", "epoch", "version", "modifiedAt", "action", "ttl", "fields", "embeddings");
  private static final int MAX_TOLD = 100;

  private final RawDocument.Builder document = RawDocument.newBuilder();
  private final List<Violation> violations = new ArrayList<>();

  private DocumentJson() {}

  /// Reads a document. What is wrong with its parts is told with everything else.
  public static DocumentInput read(JsonNode json) {
    return json.isObject()
        ? new DocumentJson().all(json)
        : new DocumentInput.Invalid(
            Problem.of(ErrorCode.BAD_REQUEST, "a document is a JSON object"));
  }

  private void wrong(ErrorCode code, String detail, String pointer) {
    if (violations.size() < MAX_TOLD) {
      violations.add(new Violation(code, detail, pointer));
    }
  }

  private DocumentInput all(JsonNode json) {
    for (String name : json.propertyNames()) {
      if (!MEMBERS.contains(name)) {
        wrong(ErrorCode.BAD_REQUEST, "a document has no such member", JsonPointer.member("", name));
      }
    }
    pk(json.path("pk"));
    whole(json.path("epoch"), ErrorCode.UNKNOWN_EPOCH, "/epoch").ifPresent(document::setEpoch);
    whole(json.path("version"), ErrorCode.BAD_VERSION, "/version").ifPresent(document::setVersion);
    modifiedAt(json.path("modifiedAt"));
    action(json.path("action"));
    whole(json.path("ttl"), ErrorCode.BAD_TTL, "/ttl").ifPresent(document::setTtl);
    // What is to be deleted is not looked at.
    if (document.getAction() != Action.DELETE) {
      fields(json.path("fields"));
      embeddings(json.path("embeddings"));
    }
    return new DocumentInput.Parsed(document.build(), List.copyOf(violations));
  }

  private static boolean isAbsent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  private void pk(JsonNode node) {
    if (node.isString() && KeyWriter.isWellFormed(node.asString())) {
      document.setPk(node.asString());
    } else if (!isAbsent(node)) {
      wrong(ErrorCode.BAD_KEY, "a key is a text", "/pk");
    }
  }

  private Optional<Long> whole(JsonNode node, ErrorCode code, String pointer) {
    if (isAbsent(node)) {
      return Optional.empty();
    }
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      return Optional.of(node.asLong());
    }
    wrong(code, "a whole number is expected", pointer);
    return Optional.empty();
  }

  private void modifiedAt(JsonNode node) {
    if (isAbsent(node)) {
      return;
    }
    try {
      if (node.isString()) {
        Instant time = OffsetDateTime.parse(node.asString()).toInstant();
        document.setModifiedAt(
            Timestamp.newBuilder().setSeconds(time.getEpochSecond()).setNanos(time.getNano()));
        return;
      }
    } catch (DateTimeException e) {
      // Told below.
    }
    wrong(ErrorCode.BAD_TIMESTAMP, "a time is expected, as 2026-01-31T12:00:00Z", "/modifiedAt");
  }

  private void action(JsonNode node) {
    switch (node.isString() ? node.asString() : "") {
      case "UPSERT" -> document.setAction(Action.UPSERT);
      case "DELETE" -> document.setAction(Action.DELETE);
      default -> wrong(ErrorCode.BAD_ACTION, "an action is UPSERT or DELETE", "/action");
    }
  }

  private void fields(JsonNode fields) {
    if (isAbsent(fields)) {
      return;
    }
    if (!fields.isObject()) {
      wrong(ErrorCode.NO_FIELDS, "fields are a JSON object", "/fields");
      return;
    }
    for (Map.Entry<String, JsonNode> each : fields.properties()) {
      String pointer = JsonPointer.member("/fields", each.getKey());
      Field.Builder field = Field.newBuilder();
      if (!KeyWriter.isWellFormed(each.getKey())) {
        wrong(ErrorCode.BAD_NAME, "a name is well-formed Unicode", pointer);
        continue;
      }
      field.setName(each.getKey());
      Iterable<JsonNode> values =
          each.getValue().isArray() ? each.getValue() : List.of(each.getValue());
      boolean good = true;
      for (JsonNode value : values) {
        good &= value(value, field.addValuesBuilder(), pointer);
      }
      if (good) {
        document.addFields(field);
      }
    }
  }

  /// @return whether it can be the value of anything
  private boolean value(JsonNode node, Value.Builder value, String pointer) {
    if (node.isBoolean()) {
      value.setBoolean(node.asBoolean());
    } else if (node.isNumber()) {
      return number(node, value, pointer);
    } else if (node.isString()) {
      if (!KeyWriter.isWellFormed(node.asString())) {
        wrong(ErrorCode.SCHEMA_MISMATCH, "a text is well-formed Unicode", pointer);
        return false;
      }
      value.setText(node.asString());
    } else if (isPlace(node)) {
      value.setGeo(
          Geo.newBuilder()
              .setLatitude(node.get("lat").asDouble())
              .setLongitude(node.get("lon").asDouble()));
    } else if (!node.isNull()) {
      wrong(
          ErrorCode.SCHEMA_MISMATCH,
          "a value is a text, a number, true or false, or a point with lat and lon",
          pointer);
      return false;
    }
    return true;
  }

  private static boolean isPlace(JsonNode node) {
    return node.isObject()
        && node.size() == 2
        && node.path("lat").isNumber()
        && node.path("lon").isNumber();
  }

  private boolean number(JsonNode node, Value.Builder value, String pointer) {
    if (node.isIntegralNumber()) {
      BigInteger whole = node.bigIntegerValue();
      if (whole.bitLength() < Long.SIZE) {
        value.setInteger(whole.longValueExact());
        return true;
      }
      wrong(ErrorCode.SCHEMA_MISMATCH, "whole numbers have at most 64 bits, with a sign", pointer);
      return false;
    }
    double decimal = node.decimalValue().doubleValue();
    if (Double.isFinite(decimal)) {
      value.setDecimal(decimal);
      return true;
    }
    wrong(ErrorCode.SCHEMA_MISMATCH, "a number is beyond what a double can tell", pointer);
    return false;
  }

  private void embeddings(JsonNode embeddings) {
    if (isAbsent(embeddings)) {
      return;
    }
    if (!embeddings.isObject()) {
      wrong(ErrorCode.BAD_EMBEDDING, "embeddings are a JSON object", "/embeddings");
      return;
    }
    for (Map.Entry<String, JsonNode> each : embeddings.properties()) {
      String pointer = JsonPointer.member("/embeddings", each.getKey());
      Embedding.Builder embedding = Embedding.newBuilder();
      if (!KeyWriter.isWellFormed(each.getKey())) {
        wrong(ErrorCode.BAD_NAME, "a name is well-formed Unicode", pointer);
        continue;
      }
      embedding.setName(each.getKey());
      boolean good = each.getValue().isArray();
      for (JsonNode number : each.getValue()) {
        good &= number.isNumber();
        embedding.addValues(number.isNumber() ? number.decimalValue().floatValue() : 0);
      }
      if (good) {
        document.addEmbeddings(embedding);
      } else {
        wrong(ErrorCode.BAD_EMBEDDING, "an embedding is a list of numbers", pointer);
      }
    }
  }

  /// Writes a document.
  public static ObjectNode write(RawDocument document) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("pk", document.getPk());
    json.put("epoch", document.getEpoch());
    json.put("version", document.getVersion());
    json.put(
        "modifiedAt",
        DocumentConversion.time(document.getModifiedAt()).orElse(Instant.EPOCH).toString());
    json.put("action", document.getAction().name());
    if (document.hasTtl()) {
      json.put("ttl", document.getTtl());
    }
    json.set("fields", writeFields(document));
    if (document.getEmbeddingsCount() > 0) {
      ObjectNode embeddings = json.putObject("embeddings");
      for (Embedding embedding : document.getEmbeddingsList()) {
        ArrayNode numbers = embeddings.putArray(embedding.getName());
        embedding.getValuesList().forEach(numbers::add);
      }
    }
    return json;
  }

  /// A value of a field as a query has it, in the terms of the field's type.
  ///
  /// @return nothing, if it is no value of that type
  public static Optional<Value> literal(JsonNode node, FieldKind type) {
    DocumentJson reading = new DocumentJson();
    Value.Builder value = Value.newBuilder();
    return reading.value(node, value, "") && value.getKindCase() != Value.KindCase.KIND_NOT_SET
        ? DocumentConversion.typed(value.build(), type)
        : Optional.empty();
  }

  /// Writes fields: one value alone, several as a list.
  public static ObjectNode writeFields(RawDocument document) {
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    for (Field field : document.getFieldsList()) {
      if (field.getValuesCount() == 1) {
        fields.set(field.getName(), write(field.getValues(0)));
      } else {
        ArrayNode values = fields.putArray(field.getName());
        field.getValuesList().forEach(value -> values.add(write(value)));
      }
    }
    return fields;
  }

  /// Writes a value.
  public static JsonNode write(Value value) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    return switch (value.getKindCase()) {
      case BOOLEAN -> nodes.booleanNode(value.getBoolean());
      case INTEGER -> nodes.numberNode(value.getInteger());
      case DECIMAL -> nodes.numberNode(BigDecimal.valueOf(value.getDecimal()));
      case TEXT -> nodes.stringNode(value.getText());
      case TIMESTAMP ->
          nodes.stringNode(
              DocumentConversion.time(value.getTimestamp()).orElse(Instant.EPOCH).toString());
      case GEO ->
          nodes
              .objectNode()
              .put("lat", value.getGeo().getLatitude())
              .put("lon", value.getGeo().getLongitude());
      case BYTES ->
          nodes.stringNode(Base64.getEncoder().encodeToString(value.getBytes().toByteArray()));
      case KIND_NOT_SET -> nodes.nullNode();
    };
  }
}
