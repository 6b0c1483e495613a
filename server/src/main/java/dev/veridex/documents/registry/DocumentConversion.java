package dev.veridex.documents.registry;

import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import dev.veridex.common.Digests;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.Utf8Order;
import dev.veridex.index.FieldKind;
import dev.veridex.index.Schema;
import dev.veridex.index.Schema.Similarity;
import dev.veridex.protocol.Embedding;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.Geo;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// The result of converting a document to a schema: each value of the type that its field has,
/// everything in the order of names, so that two documents with the same content are the same
/// bytes, however they were sent.
///
/// @param document what it is then; without what the schema does not know
/// @param fields that the schema would have to take up, or widen
/// @param embeddings that the schema would have to take up
/// @param violations why it cannot be so
public record DocumentConversion(
    RawDocument document,
    SortedMap<String, Schema.Field> fields,
    SortedMap<String, Schema.Embedding> embeddings,
    List<Violation> violations) {
  private static final String FIELDS = "/fields";
  private static final String EMBEDDINGS = "/embeddings";
  private static final int MAX_TOLD = 100;

  /// The first double that is beyond whole numbers of 64 bits.
  private static final double TOO_LARGE = 0x1p63;

  /// Converts a document, and adds names that a dynamic schema lacks.
  public static DocumentConversion settling(RawDocument document, Schema schema) {
    return new Run(document, schema, true).run();
  }

  /// Converts a document to a schema that stays as it is.
  ///
  /// @return nothing, if the schema does not allow it
  public static Optional<RawDocument> to(RawDocument document, Schema schema) {
    DocumentConversion conversion = new Run(document, schema, false).run();
    boolean empty =
        conversion.document.getFieldsCount() + conversion.document.getEmbeddingsCount() == 0;
    return conversion.violations.isEmpty() && !empty
        ? Optional.of(conversion.document)
        : Optional.empty();
  }

  public boolean changesSchema() {
    return !fields.isEmpty() || !embeddings.isEmpty();
  }

  /// What a document says, whatever its place in the order is.
  public byte[] hash() {
    RawDocument.Builder content = RawDocument.newBuilder().setAction(document.getAction());
    if (document.hasTtl()) {
      content.setTtl(document.getTtl());
    }
    content.addAllFields(document.getFieldsList());
    content.addAllEmbeddings(document.getEmbeddingsList());
    return hash(content.build());
  }

  /// The hash of something that says nothing but what is to be done.
  public static byte[] hash(RawDocument content) {
    return Arrays.copyOf(Digests.sha256(content.toByteArray()), RegistryRow.HASH_BYTES);
  }

  private static final class Run {
    private final RawDocument given;
    private final Schema schema;
    private final boolean settle;
    private final List<Violation> violations = new ArrayList<>();
    private final SortedMap<String, Schema.Field> newFields = new TreeMap<>(Utf8Order.INSTANCE);
    private final SortedMap<String, Schema.Embedding> newEmbeddings =
        new TreeMap<>(Utf8Order.INSTANCE);
    private final Set<String> names = new HashSet<>();

    private Run(RawDocument given, Schema schema, boolean settle) {
      this.given = given;
      this.schema = schema;
      this.settle = settle;
    }

    private DocumentConversion run() {
      List<Field> fields = new ArrayList<>();
      for (Field field : given.getFieldsList()) {
        convert(field).ifPresent(fields::add);
      }
      List<Embedding> embeddings = new ArrayList<>();
      for (Embedding embedding : given.getEmbeddingsList()) {
        convert(embedding).ifPresent(embeddings::add);
      }
      int names = schema.names() + (int) newNames();
      if (names > Schema.MAX_NAMES) {
        wrong(
            ErrorCode.SCHEMA_MISMATCH,
            "an epoch has at most %d names of fields and embeddings".formatted(Schema.MAX_NAMES),
            FIELDS);
      }
      fields.sort(Comparator.comparing(Field::getName, Utf8Order.INSTANCE));
      embeddings.sort(Comparator.comparing(Embedding::getName, Utf8Order.INSTANCE));
      RawDocument document =
          given.toBuilder()
              .clearFields()
              .clearEmbeddings()
              .addAllFields(fields)
              .addAllEmbeddings(embeddings)
              .setUnknownFields(UnknownFieldSet.getDefaultInstance())
              .build();
      return new DocumentConversion(document, newFields, newEmbeddings, List.copyOf(violations));
    }

    private long newNames() {
      return newFields.keySet().stream().filter(name -> !schema.fields().containsKey(name)).count()
          + newEmbeddings.size();
    }

    private void wrong(ErrorCode code, String detail, String pointer) {
      if (violations.size() < MAX_TOLD) {
        violations.add(new Violation(code, detail, pointer));
      }
    }

    /// @return whether it can be the name of anything more
    private boolean takes(String name, String pointer) {
      Optional<String> bad = Schema.badName(name);
      if (bad.isPresent()) {
        wrong(ErrorCode.BAD_NAME, bad.get(), pointer);
        return false;
      }
      if (!names.add(name)) {
        wrong(ErrorCode.DUPLICATE_NAME, "a field or an embedding has this name already", pointer);
        return false;
      }
      return true;
    }

    private Optional<Field> convert(Field field) {
      String name = field.getName();
      String pointer = JsonPointer.member(FIELDS, name);
      if (!takes(name, pointer)) {
        return Optional.empty();
      }
      if (schema.embeddings().containsKey(name)) {
        wrong(ErrorCode.SCHEMA_MISMATCH, "this name is that of an embedding", pointer);
        return Optional.empty();
      }
      boolean empty =
          field.getValuesList().stream()
              .anyMatch(value -> value.getKindCase() == Value.KindCase.KIND_NOT_SET);
      if (field.getValuesCount() == 0 || empty) {
        wrong(ErrorCode.EMPTY_FIELD_VALUE, "a field has a value", pointer);
        return Optional.empty();
      }
      Optional<Schema.Field> settled = settled(field, pointer);
      if (settled.isEmpty()) {
        return Optional.empty();
      }
      Field.Builder converted = Field.newBuilder().setName(name);
      for (Value value : field.getValuesList()) {
        Optional<Value> typed = typed(value, settled.get().type());
        if (typed.isEmpty()) {
          wrong(
              ErrorCode.SCHEMA_MISMATCH,
              "the schema says that this is %s".formatted(settled.get().type().text()),
              pointer);
          return Optional.empty();
        }
        converted.addValues(typed.get());
      }
      return Optional.of(converted.build());
    }

    /// What the schema says of a field, or will say.
    private Optional<Schema.Field> settled(Field field, String pointer) {
      boolean several = field.getValuesCount() > 1;
      Schema.Field known = schema.fields().get(field.getName());
      if (known != null) {
        if (several && !known.multi()) {
          if (!settle || !schema.dynamic()) {
            wrong(ErrorCode.SCHEMA_MISMATCH, "the schema says that this has one value", pointer);
            return Optional.empty();
          }
          newFields.put(field.getName(), known.toMulti());
        }
        return Optional.of(known);
      }
      if (!settle) {
        // Nothing can be found by it there.
        return Optional.empty();
      }
      if (!schema.dynamic()) {
        wrong(ErrorCode.SCHEMA_MISMATCH, "the schema has no such name", pointer);
        return Optional.empty();
      }
      Optional<FieldKind> type = found(field.getValues(0));
      if (type.isEmpty()) {
        wrong(ErrorCode.SCHEMA_MISMATCH, "a field of this kind has to be declared first", pointer);
        return Optional.empty();
      }
      Schema.Field fresh = Schema.Field.found(type.get(), several);
      newFields.put(field.getName(), fresh);
      return Optional.of(fresh);
    }

    private Optional<Embedding> convert(Embedding embedding) {
      String name = embedding.getName();
      String pointer = JsonPointer.member(EMBEDDINGS, name);
      if (!takes(name, pointer)) {
        return Optional.empty();
      }
      if (schema.fields().containsKey(name)) {
        wrong(ErrorCode.SCHEMA_MISMATCH, "this name is that of a field", pointer);
        return Optional.empty();
      }
      int dimensions = embedding.getValuesCount();
      if (dimensions == 0 || dimensions > Schema.MAX_DIMENSIONS) {
        wrong(ErrorCode.BAD_EMBEDDING, "an embedding has 1 to 4096 numbers", pointer);
        return Optional.empty();
      }
      for (int i = 0; i < dimensions; i++) {
        if (!Float.isFinite(embedding.getValues(i))) {
          wrong(
              ErrorCode.BAD_EMBEDDING, "the numbers of an embedding are finite", pointer + "/" + i);
          return Optional.empty();
        }
      }
      Schema.Embedding known = schema.embeddings().get(name);
      if (known == null && !settle) {
        return Optional.empty();
      }
      if (known == null && !schema.dynamic()) {
        wrong(ErrorCode.SCHEMA_MISMATCH, "the schema has no such name", pointer);
        return Optional.empty();
      }
      if (known == null) {
        newEmbeddings.put(name, new Schema.Embedding(dimensions, Similarity.COSINE, false));
      } else if (known.dimensions() != dimensions) {
        wrong(
            ErrorCode.BAD_EMBEDDING,
            "the schema says that this has %d dimensions".formatted(known.dimensions()),
            pointer);
        return Optional.empty();
      }
      Embedding.Builder converted = Embedding.newBuilder().setName(name);
      for (int i = 0; i < dimensions; i++) {
        // Adding 0 makes one zero of two.
        converted.addValues(embedding.getValues(i) + 0.0f);
      }
      return Optional.of(converted.build());
    }
  }

  private static Optional<FieldKind> found(Value value) {
    return switch (value.getKindCase()) {
      case BOOLEAN -> Optional.of(FieldKind.BOOL);
      case INTEGER, DECIMAL -> Optional.of(FieldKind.NUMBER);
      case TEXT -> Optional.of(FieldKind.STRING);
      case TIMESTAMP, GEO, BYTES, KIND_NOT_SET -> Optional.empty();
    };
  }

  /// A value as its type has it; nothing if it cannot be one.
  public static Optional<Value> typed(Value value, FieldKind type) {
    return switch (type) {
      case BOOL ->
          value.hasBoolean()
              ? Optional.of(Value.newBuilder().setBoolean(value.getBoolean()).build())
              : Optional.empty();
      case NUMBER -> number(value);
      case KEYWORD, TEXT, STRING ->
          value.hasText()
              ? Optional.of(Value.newBuilder().setText(value.getText()).build())
              : Optional.empty();
      case TIMESTAMP -> timestamp(value);
      case GEO -> value.hasGeo() ? point(value.getGeo()) : Optional.empty();
      case BYTES -> bytes(value);
    };
  }

  /// Whole numbers are whole, however they were written.
  private static Optional<Value> number(Value value) {
    if (value.hasInteger()) {
      return Optional.of(whole(value.getInteger()));
    }
    double decimal = value.getDecimal();
    if (!value.hasDecimal() || !Double.isFinite(decimal)) {
      return Optional.empty();
    }
    boolean whole = decimal >= -TOO_LARGE && decimal < TOO_LARGE && decimal == Math.rint(decimal);
    return Optional.of(
        whole ? whole((long) decimal) : Value.newBuilder().setDecimal(decimal).build());
  }

  private static Value whole(long number) {
    return Value.newBuilder().setInteger(number).build();
  }

  private static Optional<Value> timestamp(Value value) {
    try {
      if (value.hasTimestamp()) {
        Timestamp given = value.getTimestamp();
        return time(given).map(DocumentConversion::timestamp);
      }
      return value.hasText()
          ? Optional.of(timestamp(OffsetDateTime.parse(value.getText()).toInstant()))
          : Optional.empty();
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /// The instant of a timestamp, cut to microseconds.
  public static Optional<Instant> time(Timestamp given) {
    boolean valid =
        given.getSeconds() >= FIRST.getEpochSecond()
            && given.getSeconds() <= LAST.getEpochSecond()
            && given.getNanos() >= 0
            && given.getNanos() < 1_000_000_000;
    return valid
        ? Optional.of(
            Expiry.instant(
                Expiry.micros(Instant.ofEpochSecond(given.getSeconds(), given.getNanos()))))
        : Optional.empty();
  }

  /// Times that a timestamp can tell.
  static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

  static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

  private static Value timestamp(Instant instant) {
    if (instant.isBefore(FIRST) || instant.isAfter(LAST)) {
      throw new DateTimeException("out of range");
    }
    Instant cut = Expiry.instant(Expiry.micros(instant));
    return Value.newBuilder()
        .setTimestamp(
            Timestamp.newBuilder().setSeconds(cut.getEpochSecond()).setNanos(cut.getNano()))
        .build();
  }

  private static Optional<Value> bytes(Value value) {
    if (value.hasBytes()) {
      return Optional.of(Value.newBuilder().setBytes(value.getBytes()).build());
    }
    try {
      return value.hasText()
          ? Optional.of(
              Value.newBuilder()
                  .setBytes(ByteString.copyFrom(Base64.getDecoder().decode(value.getText())))
                  .build())
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /// Adding 0 makes one zero of two.
  private static Optional<Value> point(Geo geo) {
    return Math.abs(geo.getLatitude()) <= 90 && Math.abs(geo.getLongitude()) <= 180
        ? Optional.of(
            Value.newBuilder()
                .setGeo(
                    Geo.newBuilder()
                        .setLatitude(geo.getLatitude() + 0.0)
                        .setLongitude(geo.getLongitude() + 0.0))
                .build())
        : Optional.empty();
  }
}
