package dev.veridex.documents.registry;

import dev.veridex.index.FieldKind;
import dev.veridex.index.Schema;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A change of an epoch's schema. Options that it does not name stay as they are, or have their
/// default where nothing is settled yet.
///
/// @param dynamic whether names are added that documents bring
public record SchemaChange(
    Optional<Boolean> dynamic, Map<String, Field> fields, Map<String, Embedding> embeddings) {
  public SchemaChange {
    fields = Collections.unmodifiableMap(new TreeMap<>(fields));
    embeddings = Collections.unmodifiableMap(new TreeMap<>(embeddings));
  }

  /// The change of a field.
  public record Field(
      FieldKind type,
      Optional<Boolean> multi,
      Optional<Boolean> filter,
      Optional<Boolean> sort,
      Optional<Boolean> facet,
      Optional<Boolean> stored,
      Optional<String> analyzer) {

    private Schema.Field over(Optional<Schema.Field> settled) {
      // Another type is another field.
      Optional<Schema.Field> same = settled.filter(field -> field.type() == type);
      return new Schema.Field(
          type,
          multi.orElse(same.map(Schema.Field::multi).orElse(false)),
          filter.orElse(same.map(Schema.Field::filter).orElse(false)),
          sort.orElse(same.map(Schema.Field::sort).orElse(false)),
          facet.orElse(same.map(Schema.Field::facet).orElse(false)),
          stored.orElse(same.map(Schema.Field::stored).orElse(true)),
          analyzer.or(() -> same.flatMap(Schema.Field::analyzer)));
    }
  }

  /// The change of an embedding.
  public record Embedding(
      int dimensions, Optional<Schema.Similarity> similarity, Optional<Boolean> quantized) {

    private Schema.Embedding over(Optional<Schema.Embedding> settled) {
      return new Schema.Embedding(
          dimensions,
          similarity.orElse(
              settled.map(Schema.Embedding::similarity).orElse(Schema.Similarity.COSINE)),
          quantized.orElse(settled.map(Schema.Embedding::quantized).orElse(false)));
    }
  }

  /// What all of a schema says.
  public static SchemaChange to(Schema schema) {
    Map<String, Field> fields = new TreeMap<>();
    schema
        .fields()
        .forEach(
            (name, field) ->
                fields.put(
                    name,
                    new Field(
                        field.type(),
                        Optional.of(field.multi()),
                        Optional.of(field.filter()),
                        Optional.of(field.sort()),
                        Optional.of(field.facet()),
                        Optional.of(field.stored()),
                        field.analyzer())));
    Map<String, Embedding> embeddings = new TreeMap<>();
    schema
        .embeddings()
        .forEach(
            (name, embedding) ->
                embeddings.put(
                    name,
                    new Embedding(
                        embedding.dimensions(),
                        Optional.of(embedding.similarity()),
                        Optional.of(embedding.quantized()))));
    return new SchemaChange(Optional.of(schema.dynamic()), fields, embeddings);
  }

  /// What it says, with what a settled schema says about the rest of the same names.
  public Schema over(Schema settled) {
    Map<String, Schema.Field> allFields = new TreeMap<>();
    fields.forEach(
        (name, field) ->
            allFields.put(name, field.over(Optional.ofNullable(settled.fields().get(name)))));
    Map<String, Schema.Embedding> allEmbeddings = new TreeMap<>();
    embeddings.forEach(
        (name, embedding) ->
            allEmbeddings.put(
                name, embedding.over(Optional.ofNullable(settled.embeddings().get(name)))));
    return new Schema(
        dynamic.orElse(settled.dynamic()), new TreeMap<>(allFields), new TreeMap<>(allEmbeddings));
  }
}
