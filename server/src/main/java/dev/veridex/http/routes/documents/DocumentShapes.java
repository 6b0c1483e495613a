package dev.veridex.http.routes.documents;

import dev.veridex.common.JsonPointer;
import dev.veridex.documents.receive.DocumentReceiver;
import dev.veridex.documents.receive.ReceiveResult;
import dev.veridex.documents.registry.Epochs.Epoch;
import dev.veridex.documents.registry.SchemaChange;
import dev.veridex.documents.registry.Violation;
import dev.veridex.http.routes.ChangeReply;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.index.FieldKind;
import dev.veridex.index.Schema;
import dev.veridex.index.Schema.Embedding;
import dev.veridex.index.Schema.Field;
import dev.veridex.index.Schema.Similarity;
import dev.veridex.json.JsonText;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// JSON shapes of documents, epochs and their schemas.
final class DocumentShapes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private static final Member<String> PK = Member.required("pk", Type.TEXT, "its key");
  private static final Member<String> STATUS =
      Member.required("status", Type.TEXT, "ACK, ACK_DUPLICATE, or the code of what is wrong");
  private static final Member<Boolean> EXPIRED =
      Member.optional(
          "expired", Type.BOOLEAN, "true if its life was over when it came; it is remembered only");
  private static final Member<Boolean> RETRYABLE =
      Member.optional("retryable", Type.BOOLEAN, "true if the same may be accepted later");
  private static final Member<String> CODE = Member.required("code", Type.TEXT, "what is wrong");
  private static final Member<String> DETAIL = Member.required("detail", Type.TEXT, "in words");
  private static final Member<String> POINTER =
      Member.required("pointer", Type.TEXT, "where in the document, as a JSON pointer");
  private static final Shape<Violation> VIOLATION =
      Shape.out(
          "Violation",
          List.of(CODE, DETAIL, POINTER),
          (violation, out) ->
              out.put(CODE, violation.code().name())
                  .put(DETAIL, violation.detail())
                  .put(POINTER, violation.pointer()));
  private static final Member<List<Violation>> VIOLATIONS =
      Member.optional("violations", Type.list(Type.object(VIOLATION)), "all that is wrong");
  private static final Shape<ReceiveResult> RESULT =
      Shape.out(
          "DocumentResult",
          List.of(PK, STATUS, EXPIRED, RETRYABLE, VIOLATIONS),
          (result, out) ->
              out.put(PK, result.pk())
                  .put(STATUS, result.status())
                  .put(EXPIRED, Optional.of(result.expired()).filter(expired -> expired))
                  .put(RETRYABLE, Optional.of(result.retryable()).filter(may -> may))
                  .put(
                      VIOLATIONS,
                      Optional.of(result.violations()).filter(list -> !list.isEmpty())));
  private static final Member<List<ReceiveResult>> RESULTS =
      Member.required("results", Type.list(Type.object(RESULT)), "one for each, in their order");

  /// The results of a batch of documents.
  record BatchAnswer(DocumentReceiver.BatchResult received, String revision) {}

  static final Shape<BatchAnswer> RECEIVED =
      Shape.out(
          "DocumentResults",
          List.of(RESULTS, WriteReceipt.REVISION),
          (received, out) ->
              out.put(RESULTS, received.received.results())
                  .put(WriteReceipt.REVISION, received.revision));

  private static final Member<String> TYPE_NAME =
      Member.required(
          "type",
          Type.choice(
              List.of(FieldKind.values()).stream().map(FieldKind::text).toList(), text -> text),
          "what it holds");
  private static final Member<Boolean> MULTI =
      Member.optional("multi", Type.BOOLEAN, "whether a document may have several values");
  private static final Member<Boolean> FILTER =
      Member.optional("filter", Type.BOOLEAN, "whether searches may be narrowed by it");
  private static final Member<Boolean> SORT =
      Member.optional("sort", Type.BOOLEAN, "whether hits may be sorted by it");
  private static final Member<Boolean> FACET =
      Member.optional("facet", Type.BOOLEAN, "whether hits may be counted by it");
  private static final Member<Boolean> STORED =
      Member.optional(
          "stored", Type.BOOLEAN, "whether hits show it; absent: as it is, at first true");
  private static final Member<String> ANALYZER =
      Member.optional(
          "analyzer",
          Type.choice(Schema.ANALYZERS, text -> text),
          "how its text is taken apart; absent: as it is, at first standard");
  private static final List<Member<?>> FIELD_MEMBERS =
      List.of(TYPE_NAME, MULTI, FILTER, SORT, FACET, STORED, ANALYZER);
  private static final Shape<Field> FIELD =
      Shape.out(
          "SchemaField",
          FIELD_MEMBERS,
          (field, out) ->
              out.put(TYPE_NAME, field.type().text())
                  .put(MULTI, field.multi())
                  .put(FILTER, field.filter())
                  .put(SORT, field.sort())
                  .put(FACET, field.facet())
                  .put(STORED, field.stored())
                  .put(ANALYZER, field.analyzer()));
  private static final Shape<SchemaChange.Field> FIELD_CHANGE =
      Shape.in(
          "SchemaFieldChange",
          FIELD_MEMBERS,
          given ->
              new SchemaChange.Field(
                  List.of(FieldKind.values()).stream()
                      .filter(type -> type.text().equals(given.get(TYPE_NAME)))
                      .findAny()
                      .orElseThrow(),
                  given.find(MULTI),
                  given.find(FILTER),
                  given.find(SORT),
                  given.find(FACET),
                  given.find(STORED),
                  given.find(ANALYZER)));

  private static final Member<Long> DIMS =
      Member.required("dims", Type.whole(1, 4096), "how many numbers it has");
  private static final Member<Similarity> SIMILARITY =
      Member.optional(
          "similarity",
          Type.choice(List.of(Similarity.values()), Similarity::text),
          "how near two are; absent: as it is, at first cosine");
  private static final Member<Boolean> QUANTIZED =
      Member.optional(
          "quantized", Type.BOOLEAN, "whether the index keeps a smaller form of it, too");
  private static final List<Member<?>> EMBEDDING_MEMBERS = List.of(DIMS, SIMILARITY, QUANTIZED);
  private static final Shape<Embedding> EMBEDDING =
      Shape.out(
          "SchemaEmbedding",
          EMBEDDING_MEMBERS,
          (embedding, out) ->
              out.put(DIMS, (long) embedding.dimensions())
                  .put(SIMILARITY, embedding.similarity())
                  .put(QUANTIZED, embedding.quantized()));
  private static final Shape<SchemaChange.Embedding> EMBEDDING_CHANGE =
      Shape.in(
          "SchemaEmbeddingChange",
          EMBEDDING_MEMBERS,
          given ->
              new SchemaChange.Embedding(
                  Math.toIntExact(given.get(DIMS)), given.find(SIMILARITY), given.find(QUANTIZED)));

  private static final Member<Boolean> DYNAMIC =
      Member.optional(
          "dynamic",
          Type.BOOLEAN,
          "whether names are added that documents bring; absent: as it is, at first true");
  private static final Member<SortedMap<String, Field>> FIELDS =
      Member.optional("fields", named(FIELD), "by name");
  private static final Member<SortedMap<String, Embedding>> EMBEDDINGS =
      Member.optional("embeddings", named(EMBEDDING), "by name");

  static final Shape<Schema> SCHEMA =
      Shape.out(
          "Schema",
          List.of(DYNAMIC, FIELDS, EMBEDDINGS),
          (schema, out) ->
              out.put(DYNAMIC, schema.dynamic())
                  .put(FIELDS, schema.fields())
                  .put(EMBEDDINGS, schema.embeddings()));

  private static final Member<SortedMap<String, SchemaChange.Field>> FIELD_CHANGES =
      Member.optional("fields", named(FIELD_CHANGE), "by name");
  private static final Member<SortedMap<String, SchemaChange.Embedding>> EMBEDDING_CHANGES =
      Member.optional("embeddings", named(EMBEDDING_CHANGE), "by name");

  static final Shape<SchemaChange> SCHEMA_CHANGE =
      Shape.in(
          "SchemaChange",
          List.of(DYNAMIC, FIELD_CHANGES, EMBEDDING_CHANGES),
          given -> {
            SortedMap<String, SchemaChange.Field> fields =
                given.find(FIELD_CHANGES).orElseGet(TreeMap::new);
            SortedMap<String, SchemaChange.Embedding> embeddings =
                given.find(EMBEDDING_CHANGES).orElseGet(TreeMap::new);
            for (String name : embeddings.keySet()) {
              if (fields.containsKey(name)) {
                throw Type.wrong(
                    "a field has this name already", "/embeddings/" + JsonPointer.escape(name));
              }
            }
            return new SchemaChange(given.find(DYNAMIC), fields, embeddings);
          });

  /// The schema of a new epoch.
  record Opening(Optional<Schema> schema) {}

  private static final Member<SchemaChange> OPENING_SCHEMA =
      Member.optional("schema", Type.object(SCHEMA_CHANGE), "what its documents are");
  static final Shape<Opening> OPENING =
      Shape.in(
          "EpochRequest",
          List.of(OPENING_SCHEMA),
          given ->
              new Opening(given.find(OPENING_SCHEMA).map(change -> change.over(Schema.EMPTY))));

  private static final Member<Long> EPOCH =
      Member.required("epoch", Type.whole(1, Long.MAX_VALUE), "its number");
  private static final Member<String> EPOCH_STATUS =
      Member.required("status", Type.TEXT, "SERVING, or OPEN while it only receives");
  private static final Member<Instant> OPENED_AT =
      Member.optional("openedAt", Type.TIME, "when it was opened");
  private static final Member<Schema> EPOCH_SCHEMA =
      Member.required("schema", Type.object(SCHEMA), "what is settled by now");
  private static final List<Member<?>> EPOCH_MEMBERS =
      List.of(EPOCH, EPOCH_STATUS, OPENED_AT, EPOCH_SCHEMA);

  static final Shape<Epoch> EPOCH_SHAPE = Shape.out("Epoch", EPOCH_MEMBERS, DocumentShapes::write);
  static final Shape<ChangeReply<Epoch>> EPOCH_PUT =
      ChangeReply.shape("EpochPut", EPOCH_MEMBERS, DocumentShapes::write);

  private DocumentShapes() {}

  private static void write(Epoch epoch, AnswerObject out) {
    out.put(EPOCH, epoch.number())
        .put(EPOCH_STATUS, epoch.serving() ? "SERVING" : "OPEN")
        .put(OPENED_AT, epoch.openedAt())
        .put(EPOCH_SCHEMA, epoch.schema());
  }

  /// An object whose members have any name and one shape.
  private static <T> Type<SortedMap<String, T>> named(Shape<T> shape) {
    Type<T> type = Type.object(shape);
    ObjectNode schema = NODES.objectNode().put("type", "object");
    schema.set("additionalProperties", type.schema());
    return new Type<>(
        schema,
        (node, pointer) -> {
          if (!node.isObject()) {
            throw Type.wrong("an object is expected here", pointer);
          }
          SortedMap<String, T> map = new TreeMap<>();
          for (Map.Entry<String, JsonNode> each : node.properties()) {
            String at = pointer + "/" + JsonPointer.escape(each.getKey());
            Schema.badName(each.getKey())
                .ifPresent(
                    detail -> {
                      throw Type.wrong(detail, at);
                    });
            map.put(each.getKey(), type.reading().read(each.getValue(), at));
          }
          return map;
        },
        map -> {
          ObjectNode object = NODES.objectNode();
          map.forEach((name, value) -> object.set(name, type.writing().apply(value)));
          return object;
        },
        NODES::stringNode,
        Optional.of(shape));
  }

  /// A result as a line.
  static byte[] line(ReceiveResult result) {
    return JsonText.write(Type.object(RESULT).writing().apply(result));
  }

  static JsonNode example() {
    ObjectNode example =
        NODES
            .objectNode()
            .put("pk", "offer-1")
            .put("epoch", 1)
            .put("version", 3)
            .put("modifiedAt", "2026-01-31T12:00:00Z")
            .put("action", "UPSERT");
    ObjectNode fields = example.putObject("fields");
    fields.put("title", "Red bike").put("price", 120).putArray("tags").add("sport").add("used");
    return example;
  }

  static JsonNode schemaExample() {
    ObjectNode example = NODES.objectNode();
    ObjectNode fields = example.putObject("fields");
    fields.putObject("body").put("type", "text").put("analyzer", "english");
    fields.putObject("soldAt").put("type", "timestamp").put("filter", true).put("sort", true);
    example.putObject("embeddings").putObject("body_vec").put("dims", 384);
    return example;
  }
}
