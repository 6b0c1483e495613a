package dev.veridex.index.lucene;

import dev.veridex.common.Expiry;
import dev.veridex.common.VersionTuple;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexChange;
import dev.veridex.index.Schema;
import dev.veridex.protocol.Embedding;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.BinaryPoint;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field.Store;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.LatLonDocValuesField;
import org.apache.lucene.document.LatLonPoint;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.SortedSetDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/// Makes Lucene's documents of changes.
///
/// What can be found is one document. That something is not to be found any more, and since when,
/// is another one: it stays when the first is removed at its end.
final class DocumentMapper {
  private DocumentMapper() {}

  /// The documents of a change, one or two.
  ///
  /// @param ordinals of the entry's resources
  static List<Document> of(Schema schema, IndexChange change, List<Long> ordinals) {
    List<Document> documents = new ArrayList<>(2);
    change.entry().ifPresent(entry -> documents.add(entry(schema, change, entry, ordinals)));
    if (change.entry().flatMap(IndexChange.Entry::expiresAt).isPresent()
        || change.entry().isEmpty()) {
      documents.add(guard(change));
    }
    return documents;
  }

  private static Document known(IndexChange change) {
    Document document = new Document();
    document.add(new StringField(FieldNames.ID, new BytesRef(change.pk()), Store.NO));
    VersionTuple tuple = change.tuple();
    document.add(new NumericDocValuesField(FieldNames.EPOCH, tuple.epoch()));
    document.add(new NumericDocValuesField(FieldNames.VERSION, tuple.version()));
    document.add(new NumericDocValuesField(FieldNames.MODIFIED, tuple.modifiedMicros()));
    return document;
  }

  private static Document guard(IndexChange change) {
    Document document = known(change);
    document.add(new StringField(FieldNames.GUARD, "", Store.NO));
    change
        .rememberedUntil()
        .map(Expiry::micros)
        .ifPresent(end -> document.add(new LongPoint(FieldNames.FORGOTTEN, end)));
    return document;
  }

  private static Document entry(
      Schema schema, IndexChange change, IndexChange.Entry entry, List<Long> ordinals) {
    Document document = known(change);
    document.add(new StringField(FieldNames.LIVE, "", Store.NO));
    document.add(new SortedDocValuesField(FieldNames.KEY, new BytesRef(change.pk())));
    Optional<Long> end = entry.expiresAt().map(Expiry::micros);
    end.ifPresent(
        micros -> {
          document.add(new LongPoint(FieldNames.EXPIRES, micros));
          document.add(new NumericDocValuesField(FieldNames.EXPIRES, micros));
        });
    for (int i = 0; i < ordinals.size(); i++) {
      document.add(new SortedNumericDocValuesField(FieldNames.ORDINAL, ordinals.get(i)));
    }
    if (!entry.resources().equals(List.of(change.pk()))) {
      entry.resources().stream()
          .map(BytesRef::new)
          .forEach(
              resource -> document.add(new StringField(FieldNames.RESOURCE, resource, Store.NO)));
      document.add(
          new BinaryDocValuesField(
              FieldNames.NUMBERED,
              new BytesRef(ResourceOrdinalCodec.write(entry.resources(), ordinals))));
    }
    RawDocument.Builder stored = entry.document().toBuilder().clearFields();
    for (Field field : entry.document().getFieldsList()) {
      Schema.Field settings = known(schema.fields().get(field.getName()));
      add(document, field, settings);
      if (settings.stored()) {
        stored.addFields(field);
      }
    }
    for (Embedding embedding : entry.document().getEmbeddingsList()) {
      add(document, embedding, known(schema.embeddings().get(embedding.getName())));
    }
    document.add(new StoredField(FieldNames.SOURCE, stored.build().toByteArray()));
    return document;
  }

  /// Not left out: an older schema than the document's is a fault, and what it lacks would be lost.
  private static <T> T known(@Nullable T settings) {
    if (settings == null) {
      throw new IllegalStateException("the schema does not know a name of the document");
    }
    return settings;
  }

  private static void add(Document document, Field field, Schema.Field settings) {
    String name = field.getName();
    document.add(new StringField(FieldNames.PRESENT, name, Store.NO));
    Set<BytesRef> keys = new HashSet<>();
    for (Value value : field.getValuesList()) {
      if (FieldNames.hasWords(settings.type())) {
        document.add(new TextField(FieldNames.words(name, settings), value.getText(), Store.NO));
      }
      if (settings.type() == FieldKind.GEO) {
        double latitude = value.getGeo().getLatitude();
        double longitude = value.getGeo().getLongitude();
        document.add(new LatLonPoint(FieldNames.locations(name), latitude, longitude));
        document.add(new LatLonDocValuesField(FieldNames.locations(name), latitude, longitude));
      }
      if (FieldNames.hasKeys(settings.type())) {
        keys.add(new BytesRef(SortableBytes.of(value)));
      }
    }
    for (BytesRef key : keys) {
      if (settings.filter()) {
        document.add(
            FieldNames.hasPoints(settings.type())
                ? new BinaryPoint(FieldNames.points(name), key.bytes)
                : new StringField(FieldNames.terms(name), key, Store.NO));
      }
      if (settings.filter() || settings.sort() || settings.facet()) {
        document.add(new SortedSetDocValuesField(FieldNames.values(name), key));
      }
    }
  }

  private static void add(Document document, Embedding embedding, Schema.Embedding settings) {
    float[] vector = new float[embedding.getValuesCount()];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = embedding.getValues(i);
    }
    document.add(new StringField(FieldNames.PRESENT, embedding.getName(), Store.NO));
    VectorSimilarityFunction similarity = similarity(settings.similarity());
    // Nothing has an angle to the zero vector.
    float[] kept = similarity == VectorSimilarityFunction.COSINE ? unit(vector) : vector;
    if (kept.length > 0) {
      document.add(
          new KnnFloatVectorField(
              FieldNames.vectors(embedding.getName(), settings), kept, similarity));
    }
  }

  /// A vector of the same direction and the length 1; none of the zero vector. In floats, the
  /// length of a tiny one would be zero, too.
  static float[] unit(float[] vector) {
    double squares = 0;
    for (float each : vector) {
      squares += (double) each * each;
    }
    float[] unit = new float[squares == 0 ? 0 : vector.length];
    for (int i = 0; i < unit.length; i++) {
      unit[i] = (float) (vector[i] / Math.sqrt(squares));
    }
    return unit;
  }

  /// The usual dot product of Lucene wants vectors of length 1; nobody promises that here.
  static VectorSimilarityFunction similarity(Schema.Similarity similarity) {
    return switch (similarity) {
      case COSINE -> VectorSimilarityFunction.COSINE;
      case DOT -> VectorSimilarityFunction.MAXIMUM_INNER_PRODUCT;
      case EUCLIDEAN -> VectorSimilarityFunction.EUCLIDEAN;
    };
  }

  static Optional<Instant> time(long micros) {
    return micros == Expiry.NEVER ? Optional.empty() : Optional.of(Expiry.instant(micros));
  }
}
