package dev.veridex.index.lucene;

import dev.veridex.common.VersionTuple;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/// Lookup of documents by key.
final class DocumentLookup {
  private final List<Segment> segments = new ArrayList<>();

  /// A segment and its terms, cached from one lookup to the next.
  private static final class Segment {
    private final LeafReader reader;
    private final @Nullable TermsEnum ids;
    private final @Nullable TermsEnum resources;
    private @Nullable PostingsEnum postings;

    private Segment(LeafReader reader) throws IOException {
      this.reader = reader;
      this.ids = terms(FieldNames.ID);
      this.resources = terms(FieldNames.RESOURCE);
    }

    private @Nullable TermsEnum terms(String field) throws IOException {
      Terms terms = reader.terms(field);
      return terms == null ? null : terms.iterator();
    }

    /// The first document that is there with a term; -1 if there is none.
    private int find(@Nullable TermsEnum terms, BytesRef term) throws IOException {
      if (terms == null || !terms.seekExact(term)) {
        return -1;
      }
      postings = terms.postings(postings, PostingsEnum.NONE);
      Bits live = reader.getLiveDocs();
      for (int document = postings.nextDoc();
          document != DocIdSetIterator.NO_MORE_DOCS;
          document = postings.nextDoc()) {
        if (live == null || live.get(document)) {
          return document;
        }
      }
      return -1;
    }

    private long number(String field, int document) throws IOException {
      NumericDocValues values = DocValues.getNumeric(reader, field);
      return values.advanceExact(document) ? values.longValue() : 0;
    }

    /// The number that a resource has in a document.
    private Optional<Long> ordinal(int document, String resource) throws IOException {
      return document < 0 ? Optional.empty() : DocumentLookup.ordinal(reader, document, resource);
    }
  }

  /// The number that a resource has in a document that it is a resource of, or whose key it is.
  static Optional<Long> ordinal(LeafReader reader, int document, String resource)
      throws IOException {
    BinaryDocValues numbered = DocValues.getBinary(reader, FieldNames.NUMBERED);
    if (numbered.advanceExact(document)) {
      return ResourceOrdinalCodec.find(numbered.binaryValue(), resource);
    }
    SortedNumericDocValues alone = DocValues.getSortedNumeric(reader, FieldNames.ORDINAL);
    return alone.advanceExact(document) ? Optional.of(alone.nextValue()) : Optional.empty();
  }

  DocumentLookup(IndexReader reader) throws IOException {
    for (LeafReaderContext leaf : reader.leaves()) {
      segments.add(new Segment(leaf.reader()));
    }
  }

  /// What is known of a document: its tuple. An entry and what remembers it have the same tuple,
  /// and lie in the same segment.
  Optional<VersionTuple> find(String pk) throws IOException {
    BytesRef id = new BytesRef(pk);
    for (Segment segment : segments.reversed()) {
      int document = segment.find(segment.ids, id);
      if (document >= 0) {
        return Optional.of(
            new VersionTuple(
                segment.number(FieldNames.EPOCH, document),
                segment.number(FieldNames.VERSION, document),
                segment.number(FieldNames.MODIFIED, document)));
      }
    }
    return Optional.empty();
  }

  /// The number of a resource of which something is there: a document that names it, or whose key
  /// it is.
  Optional<Long> ordinal(String resource) throws IOException {
    BytesRef id = new BytesRef(resource);
    for (Segment segment : segments.reversed()) {
      Optional<Long> ordinal = segment.ordinal(segment.find(segment.resources, id), resource);
      if (ordinal.isEmpty()) {
        ordinal = segment.ordinal(segment.find(segment.ids, id), resource);
      }
      if (ordinal.isPresent()) {
        return ordinal;
      }
    }
    return Optional.empty();
  }
}
