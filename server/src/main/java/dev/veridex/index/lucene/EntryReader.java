package dev.veridex.index.lucene;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.veridex.common.VersionTuple;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.IndexView.StoredEntry;
import dev.veridex.protocol.RawDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.util.BytesRef;

/// Reads what an index holds of a document from the doc values and stored fields of its segment.
///
/// @param name of the index
record EntryReader(String name) {

  StoredEntry held(LeafReader reader, int document) throws IOException {
    List<Long> ordinals = new ArrayList<>();
    SortedNumericDocValues numbers = DocValues.getSortedNumeric(reader, FieldNames.ORDINAL);
    if (numbers.advanceExact(document)) {
      for (int i = 0; i < numbers.docValueCount(); i++) {
        ordinals.add(numbers.nextValue());
      }
    }
    String pk = pk(reader, document);
    return new StoredEntry(
        pk,
        tuple(reader, document),
        source(reader.storedFields(), document),
        number(reader, FieldNames.EXPIRES, document).flatMap(DocumentMapper::time),
        resources(reader, document, pk),
        ordinals);
  }

  static VersionTuple tuple(LeafReader reader, int document) throws IOException {
    return new VersionTuple(
        number(reader, FieldNames.EPOCH, document).orElse(0L),
        number(reader, FieldNames.VERSION, document).orElse(0L),
        number(reader, FieldNames.MODIFIED, document).orElse(0L));
  }

  static Optional<Long> number(LeafReader reader, String field, int document) throws IOException {
    NumericDocValues values = DocValues.getNumeric(reader, field);
    return values.advanceExact(document) ? Optional.of(values.longValue()) : Optional.empty();
  }

  static String pk(LeafReader reader, int document) throws IOException {
    SortedDocValues ids = DocValues.getSorted(reader, FieldNames.KEY);
    if (!ids.advanceExact(document)) {
      throw new IllegalStateException("every entry has a key");
    }
    return ids.lookupOrd(ids.ordValue()).utf8ToString();
  }

  RawDocument source(StoredFields fields, int document) throws IOException {
    Document stored = fields.document(document, Set.of(FieldNames.SOURCE));
    BytesRef bytes = stored.getBinaryValue(FieldNames.SOURCE);
    try {
      return RawDocument.parser().parseFrom(bytes.bytes, bytes.offset, bytes.length);
    } catch (InvalidProtocolBufferException e) {
      throw new DamagedIndexException(name, e);
    }
  }

  static List<String> resources(LeafReader reader, int document, String pk) throws IOException {
    BinaryDocValues numbered = DocValues.getBinary(reader, FieldNames.NUMBERED);
    if (numbered.advanceExact(document)) {
      List<String> resources = new ArrayList<>();
      ResourceOrdinalCodec.each(numbered.binaryValue(), (resource, _) -> resources.add(resource));
      return resources;
    }
    return List.of(pk);
  }
}
