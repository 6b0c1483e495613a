package dev.veridex.index.lucene;

import dev.veridex.index.IndexSearch;
import dev.veridex.index.Schema;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.FloatVectorValues;
import org.apache.lucene.index.KnnVectorValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/// Finds the nearest embeddings among the documents that a filter lets through: by comparing all of
/// them while they are few, through Lucene's graph when they are many.
///
/// @param scores of the nearest, by document
/// @param exact whether all were compared
record NearestNeighbours(Map<Integer, Float> scores, boolean exact) {
  private static final int EXPLORED = 4;
  private static final int LEAST_EXPLORED = 100;
  private static final int MOST_EXPLORED = 2000;

  static NearestNeighbours find(
      IndexSearcher searcher,
      IndexSearch ask,
      IndexSearch.Nearest nearest,
      Query candidates,
      Deadline deadline)
      throws IOException {
    Schema.Embedding settings = ask.schema().embeddings().get(nearest.field());
    if (settings == null || nearest.k() == 0) {
      return new NearestNeighbours(Map.of(), true);
    }
    String vectors = FieldNames.vectors(nearest.field(), settings);
    float[] vector =
        settings.similarity() == Schema.Similarity.COSINE
            ? DocumentMapper.unit(nearest.vector())
            : nearest.vector();
    VectorSimilarityFunction similarity = DocumentMapper.similarity(settings.similarity());
    if (searcher.count(candidates) <= nearest.exactUpTo()) {
      Map<Integer, Float> compared =
          new ExactSearch(vector, nearest.k(), similarity, deadline)
              .run(searcher, vectors, candidates);
      return new NearestNeighbours(compared, !deadline.wasMissed());
    }
    Map<Integer, Float> scores = new HashMap<>();
    // More than are wanted: the fewer are explored, the more of the nearest are missed.
    int explored = Math.min(MOST_EXPLORED, Math.max(LEAST_EXPLORED, EXPLORED * nearest.k()));
    Query graph = new KnnFloatVectorQuery(vectors, vector, explored, candidates);
    for (ScoreDoc hit : searcher.search(graph, nearest.k()).scoreDocs) {
      scores.put(hit.doc, hit.score);
    }
    if (searcher.timedOut()) {
      deadline.stops();
    }
    return new NearestNeighbours(scores, false);
  }

  /// Compares all candidates. Of equally near ones those come first whose keys do, whenever they
  /// arrived.
  private record ExactSearch(
      float[] vector, int k, VectorSimilarityFunction similarity, Deadline deadline) {
    private static final Comparator<Near> NEAREST_LAST =
        Comparator.comparingDouble((Near near) -> near.score)
            .thenComparing((one, other) -> other.key.compareTo(one.key));

    private record Near(int document, float score, BytesRef key) {}

    private Map<Integer, Float> run(IndexSearcher searcher, String field, Query candidates)
        throws IOException {
      PriorityQueue<Near> best = new PriorityQueue<>(NEAREST_LAST);
      Weight weight =
          searcher.createWeight(searcher.rewrite(candidates), ScoreMode.COMPLETE_NO_SCORES, 1);
      for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
        Scorer scorer = weight.scorer(leaf);
        FloatVectorValues vectors = leaf.reader().getFloatVectorValues(field);
        if (scorer != null && vectors != null) {
          run(leaf, scorer.iterator(), vectors, best);
        }
      }
      Map<Integer, Float> scores = new HashMap<>();
      best.forEach(near -> scores.put(near.document, near.score));
      return scores;
    }

    private void run(
        LeafReaderContext leaf,
        DocIdSetIterator candidates,
        FloatVectorValues vectors,
        PriorityQueue<Near> best)
        throws IOException {
      Bits live = leaf.reader().getLiveDocs();
      SortedDocValues keys = DocValues.getSorted(leaf.reader(), FieldNames.KEY);
      KnnVectorValues.DocIndexIterator at = vectors.iterator();
      for (int document = candidates.nextDoc();
          document != DocIdSetIterator.NO_MORE_DOCS && !deadline.stops();
          document = candidates.nextDoc()) {
        if (live != null && !live.get(document)) {
          continue;
        }
        if (at.docID() < document) {
          at.advance(document);
        }
        if (at.docID() == document) {
          float score = similarity.compare(vector, vectors.vectorValue(at.index()));
          Near worst = best.peek();
          if (best.size() < k || (worst != null && score >= worst.score)) {
            keys.advanceExact(document);
            BytesRef key = BytesRef.deepCopyOf(keys.lookupOrd(keys.ordValue()));
            best.add(new Near(leaf.docBase + document, score, key));
            if (best.size() > k) {
              best.poll();
            }
          }
        }
      }
    }
  }
}
