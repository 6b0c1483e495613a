package dev.veridex.documents.registry;

import dev.veridex.index.FieldKind;
import dev.veridex.index.Schema;
import dev.veridex.index.Schema.Embedding;
import dev.veridex.index.Schema.Field;
import dev.veridex.index.Schema.Similarity;
import dev.veridex.records.JsonRecord;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The stored form of a schema.
final class SchemaCodec {
  private SchemaCodec() {}

  static byte[] encode(Schema schema) {
    ObjectNode object = JsonRecord.object();
    object.put("dynamic", schema.dynamic());
    ObjectNode fields = object.putObject("fields");
    for (Map.Entry<String, Field> each : schema.fields().entrySet()) {
      Field field = each.getValue();
      ObjectNode node = fields.putObject(each.getKey());
      node.put("type", field.type().text());
      node.put("multi", field.multi());
      node.put("filter", field.filter());
      node.put("sort", field.sort());
      node.put("facet", field.facet());
      node.put("stored", field.stored());
      JsonRecord.put(node, "analyzer", field.analyzer());
    }
    ObjectNode embeddings = object.putObject("embeddings");
    for (Map.Entry<String, Embedding> each : schema.embeddings().entrySet()) {
      Embedding embedding = each.getValue();
      embeddings
          .putObject(each.getKey())
          .put("dims", embedding.dimensions())
          .put("similarity", embedding.similarity().text())
          .put("quantized", embedding.quantized());
    }
    return JsonRecord.bytes(object);
  }

  static Schema decode(byte[] bytes) {
    JsonNode object = JsonRecord.read(bytes);
    SortedMap<String, Field> fields = new TreeMap<>();
    for (Map.Entry<String, JsonNode> each : object.get("fields").properties()) {
      JsonNode node = each.getValue();
      fields.put(
          each.getKey(),
          new Field(
              FieldKind.of(node.get("type").asString()).orElseThrow(),
              node.get("multi").asBoolean(),
              node.get("filter").asBoolean(),
              node.get("sort").asBoolean(),
              node.get("facet").asBoolean(),
              node.get("stored").asBoolean(),
              Optional.ofNullable(node.get("analyzer")).map(JsonNode::asString)));
    }
    SortedMap<String, Embedding> embeddings = new TreeMap<>();
    for (Map.Entry<String, JsonNode> each : object.get("embeddings").properties()) {
      JsonNode node = each.getValue();
      embeddings.put(
          each.getKey(),
          new Embedding(
              node.get("dims").asInt(),
              Similarity.of(node.get("similarity").asString()).orElseThrow(),
              node.get("quantized").asBoolean()));
    }
    return new Schema(object.get("dynamic").asBoolean(), fields, embeddings);
  }
}
