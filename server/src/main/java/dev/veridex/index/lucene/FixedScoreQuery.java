package dev.veridex.index.lucene;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.ScorerSupplier;
import org.apache.lucene.search.Weight;
import org.jspecify.annotations.Nullable;

/// A query that matches given documents of one reader with precomputed scores.
final class FixedScoreQuery extends Query {
  private final Object reader;
  private final int[] documents;
  private final float[] scores;

  /// @param reader the identity of the reader that the numbers of documents are of
  FixedScoreQuery(Object reader, Map<Integer, Float> scored) {
    this.reader = reader;
    this.documents = new int[scored.size()];
    this.scores = new float[scored.size()];
    int i = 0;
    for (Map.Entry<Integer, Float> each : new TreeMap<>(scored).entrySet()) {
      documents[i] = each.getKey();
      scores[i++] = each.getValue();
    }
  }

  @Override
  public Weight createWeight(IndexSearcher searcher, ScoreMode mode, float boost) {
    return new Weight(this) {
      @Override
      public Explanation explain(LeafReaderContext leaf, int document) {
        int at = Arrays.binarySearch(documents, leaf.docBase + document);
        return at < 0
            ? Explanation.noMatch("not chosen")
            : Explanation.match(boost * scores[at], "chosen");
      }

      @Override
      public @Nullable ScorerSupplier scorerSupplier(LeafReaderContext leaf) {
        int from = first(leaf.docBase);
        int to = first(leaf.docBase + leaf.reader().maxDoc());
        if (from == to) {
          return null;
        }
        return new ScorerSupplier() {
          @Override
          public Scorer get(long leadCost) {
            return new SegmentScorer(leaf.docBase, from, to, boost);
          }

          @Override
          public long cost() {
            return (long) to - from;
          }
        };
      }

      @Override
      public boolean isCacheable(LeafReaderContext leaf) {
        // They are of this very reader.
        return false;
      }
    };
  }

  private int first(int document) {
    int at = Arrays.binarySearch(documents, document);
    return at < 0 ? -at - 1 : at;
  }

  /// The scorer of one segment.
  private final class SegmentScorer extends Scorer {
    private final int base;
    private final int to;
    private final float boost;
    private final DocIdSetIterator iterator;
    private int at;

    private SegmentScorer(int base, int from, int to, float boost) {
      this.base = base;
      this.to = to;
      this.boost = boost;
      this.at = from - 1;
      this.iterator =
          new DocIdSetIterator() {
            @Override
            public int docID() {
              return SegmentScorer.this.at < from ? -1 : current();
            }

            @Override
            public int nextDoc() {
              SegmentScorer.this.at++;
              return current();
            }

            @Override
            public int advance(int target) throws IOException {
              return slowAdvance(target);
            }

            @Override
            public long cost() {
              return (long) to - from;
            }
          };
    }

    private int current() {
      return at < to ? documents[at] - base : DocIdSetIterator.NO_MORE_DOCS;
    }

    @Override
    public int docID() {
      return iterator.docID();
    }

    @Override
    public DocIdSetIterator iterator() {
      return iterator;
    }

    @Override
    public float score() {
      return boost * scores[at];
    }

    @Override
    public float getMaxScore(int upTo) {
      return Float.MAX_VALUE;
    }
  }

  @Override
  public void visit(QueryVisitor visitor) {
    visitor.visitLeaf(this);
  }

  @Override
  public String toString(String field) {
    return "chosen(" + documents.length + ")";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FixedScoreQuery chosen
        && reader.equals(chosen.reader)
        && Arrays.equals(documents, chosen.documents)
        && Arrays.equals(scores, chosen.scores);
  }

  @Override
  public int hashCode() {
    return Objects.hash(reader, Arrays.hashCode(documents), Arrays.hashCode(scores));
  }
}
