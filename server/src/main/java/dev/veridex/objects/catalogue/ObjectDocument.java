package dev.veridex.objects.catalogue;

import com.google.protobuf.Timestamp;
import dev.veridex.documents.registry.DocumentConversion;
import dev.veridex.index.FieldKind;
import dev.veridex.index.Schema;
import dev.veridex.objects.event.ObjectFacts;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/// The document under which an object is found: its current row as fields.
final class ObjectDocument {
  private static final String ATTRIBUTES = "attributes";
  private static final int MAX_EXTENSION = 16;

  /// What is known of every object. The names of attributes are added as they come.
  static final Schema SCHEMA = schema();

  private ObjectDocument() {}

  private static Schema schema() {
    Map<String, Schema.Field> fields = new TreeMap<>();
    fields.put("bucket", plain(FieldKind.KEYWORD));
    fields.put("key", text("ngram", false));
    fields.put("path", text("path", true));
    for (String name :
        List.of(
            "extension",
            "versionId",
            "eTag",
            "sha256",
            "storageClass",
            "archiveStatus",
            "reason",
            "ingestId")) {
      fields.put(name, plain(FieldKind.KEYWORD));
    }
    fields.put("size", plain(FieldKind.NUMBER));
    fields.put("eventTime", plain(FieldKind.TIMESTAMP));
    fields.put("lastModified", plain(FieldKind.TIMESTAMP));
    fields.put("isAccessible", plain(FieldKind.BOOL));
    return new Schema(true, new TreeMap<>(fields), new TreeMap<>());
  }

  private static Schema.Field plain(FieldKind type) {
    return Schema.Field.found(type, false);
  }

  private static Schema.Field text(String analyzer, boolean multi) {
    return new Schema.Field(
        FieldKind.STRING, multi, true, !multi, multi, true, Optional.of(analyzer));
  }

  /// The document of a row.
  ///
  /// @param schema what attributes it knows; others cannot be searched for
  static RawDocument of(ObjectRow row, Schema schema) {
    ObjectKey object = row.object();
    ObjectFacts facts = row.facts();
    RawDocument.Builder document =
        RawDocument.newBuilder().setPk(object.pk()).setAction(Action.UPSERT);
    add(document, "bucket", object.bucket());
    add(document, "key", object.key());
    List<String> segments =
        Arrays.stream(object.key().split("/")).filter(part -> !part.isEmpty()).toList();
    if (!segments.isEmpty()) {
      document.addFields(field("path", segments.stream().map(ObjectDocument::value).toList()));
    }
    extension(object.key()).ifPresent(text -> add(document, "extension", text));
    add(document, "versionId", row.identity().versionId());
    facts.eTag().ifPresent(text -> add(document, "eTag", text));
    facts.sha256().ifPresent(text -> add(document, "sha256", text));
    facts.storageClass().ifPresent(text -> add(document, "storageClass", text));
    facts.archiveStatus().ifPresent(text -> add(document, "archiveStatus", text));
    facts.ingestId().ifPresent(text -> add(document, "ingestId", text));
    add(document, "reason", row.reason().text());
    facts
        .size()
        .ifPresent(
            size ->
                document.addFields(
                    field("size", List.of(Value.newBuilder().setInteger(size).build()))));
    row.eventTime().ifPresent(time -> document.addFields(field("eventTime", List.of(value(time)))));
    facts
        .lastModified()
        .ifPresent(time -> document.addFields(field("lastModified", List.of(value(time)))));
    document.addFields(
        field("isAccessible", List.of(Value.newBuilder().setBoolean(row.isAccessible()).build())));
    row.attributes()
        .map(ObjectDocument::leaves)
        .ifPresent(leaves -> leaves.forEach((name, values) -> add(document, name, values, schema)));
    return document.build();
  }

  /// The schema that takes up the attributes of a row as well. The kind of the first value under a
  /// name counts; who brings another kind under it can be listed by it, but not searched for.
  static Schema taking(Schema schema, JsonNode attributes) {
    Map<String, Schema.Field> more = new TreeMap<>();
    leaves(attributes)
        .forEach(
            (name, values) -> {
              Schema.Field known = schema.fields().get(name);
              Optional<FieldKind> type = type(values.getFirst());
              boolean several = values.size() > 1;
              if (known != null && several && !known.multi()) {
                more.put(name, known.toMulti());
              } else if (known == null
                  && type.isPresent()
                  && Schema.badName(name).isEmpty()
                  && schema.names() + more.size() < Schema.MAX_NAMES) {
                more.put(name, Schema.Field.found(type.get(), several));
              }
            });
    return more.isEmpty() ? schema : schema.with(more, Map.of());
  }

  private static void add(
      RawDocument.Builder document, String name, List<Value> values, Schema schema) {
    Schema.Field known = schema.fields().get(name);
    if (known == null) {
      return;
    }
    List<Value> typed =
        values.stream()
            .flatMap(value -> DocumentConversion.typed(value, known.type()).stream())
            .toList();
    if (!typed.isEmpty() && (typed.size() == 1 || known.multi())) {
      document.addFields(field(name, typed));
    }
  }

  /// The values in attributes by dotted names, those of arrays under one name.
  private static Map<String, List<Value>> leaves(JsonNode attributes) {
    Map<String, List<Value>> leaves = new LinkedHashMap<>();
    collect(ATTRIBUTES, attributes, leaves);
    return leaves;
  }

  private static void collect(String name, JsonNode node, Map<String, List<Value>> leaves) {
    if (node.isObject()) {
      node.properties()
          .forEach(each -> collect(name + "." + each.getKey(), each.getValue(), leaves));
    } else if (node.isArray()) {
      node.forEach(each -> collect(name, each, leaves));
    } else {
      value(node)
          .ifPresent(value -> leaves.computeIfAbsent(name, _ -> new ArrayList<>()).add(value));
    }
  }

  private static Optional<Value> value(JsonNode node) {
    if (node.isBoolean()) {
      return Optional.of(Value.newBuilder().setBoolean(node.asBoolean()).build());
    }
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      return Optional.of(Value.newBuilder().setInteger(node.asLong()).build());
    }
    if (node.isNumber()) {
      double decimal = node.asDouble();
      return Double.isFinite(decimal)
          ? Optional.of(Value.newBuilder().setDecimal(decimal).build())
          : Optional.empty();
    }
    return node.isString() && !node.asString().isEmpty()
        ? Optional.of(value(node.asString()))
        : Optional.empty();
  }

  private static Optional<FieldKind> type(Value value) {
    return switch (value.getKindCase()) {
      case BOOLEAN -> Optional.of(FieldKind.BOOL);
      case INTEGER, DECIMAL -> Optional.of(FieldKind.NUMBER);
      case TEXT -> Optional.of(FieldKind.STRING);
      case TIMESTAMP, GEO, BYTES, KIND_NOT_SET -> Optional.empty();
    };
  }

  /// What stands behind the last dot of the last part of a key.
  private static Optional<String> extension(String key) {
    String name = key.substring(key.lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    return dot > 0 && dot + 1 < name.length() && name.length() - dot <= MAX_EXTENSION
        ? Optional.of(name.substring(dot + 1))
        : Optional.empty();
  }

  private static void add(RawDocument.Builder document, String name, String text) {
    document.addFields(field(name, List.of(value(text))));
  }

  private static Field field(String name, List<Value> values) {
    return Field.newBuilder().setName(name).addAllValues(values).build();
  }

  private static Value value(String text) {
    return Value.newBuilder().setText(text).build();
  }

  private static Value value(Instant time) {
    return Value.newBuilder()
        .setTimestamp(
            Timestamp.newBuilder().setSeconds(time.getEpochSecond()).setNanos(time.getNano()))
        .build();
  }
}
