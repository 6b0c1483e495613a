package dev.veridex.index.lucene;

import dev.veridex.common.Tuple;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SortedSetDocValues;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/// What an index knows of documents, by key.
final class Lookup {
  private final List<Segment> segments = new ArrayList<>();

  /// What is known of a document.
  record Known(Tuple tuple) {}

  /// One segment, and where its terms are, kept from one lookup to the next.
  private static final class Segment {
    private final LeafReader reader;
    private final @Nullable TermsEnum ids;
    private final @Nullable TermsEnum resources;
    private @Nullable PostingsEnum postings;

    private Segment(LeafReader reader) throws IOException {
      this.reader = reader;
      this.ids = terms(Names.ID);
      this.resources = terms(Names.RESOURCE);
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
  }

  Lookup(IndexReader reader) throws IOException {
    for (LeafReaderContext leaf : reader.leaves()) {
      segments.add(new Segment(leaf.reader()));
    }
  }

  /// What is known of a document. An entry and what remembers it have the same tuple, and lie in
  /// the same segment.
  Optional<Known> find(String pk) throws IOException {
    BytesRef id = new BytesRef(pk);
    for (Segment segment : segments.reversed()) {
      int document = segment.find(segment.ids, id);
      if (document >= 0) {
        return Optional.of(
            new Known(
                new Tuple(
                    segment.number(Names.EPOCH, document),
                    segment.number(Names.VERSION, document),
                    segment.number(Names.MODIFIED, document))));
      }
    }
    return Optional.empty();
  }

  /// The number of a resource of which something is there.
  Optional<Long> ordinal(String resource) throws IOException {
    BytesRef id = new BytesRef(resource);
    for (Segment segment : segments.reversed()) {
      int document = segment.find(segment.resources, id);
      if (document >= 0) {
        return ordinal(segment, document, id);
      }
    }
    return Optional.empty();
  }

  private static Optional<Long> ordinal(Segment segment, int document, BytesRef resource)
      throws IOException {
    SortedSetDocValues numbered = DocValues.getSortedSet(segment.reader, Names.NUMBERED);
    if (numbered.advanceExact(document)) {
      for (int i = 0; i < numbered.docValueCount(); i++) {
        BytesRef each = numbered.lookupOrd(numbered.nextOrd());
        long ordinal = ByteBuffer.wrap(each.bytes, each.offset, each.length).getLong();
        if (each.bytesEquals(Documents.numbered(ordinal, resource))) {
          return Optional.of(ordinal);
        }
      }
    }
    return Optional.empty();
  }
}
