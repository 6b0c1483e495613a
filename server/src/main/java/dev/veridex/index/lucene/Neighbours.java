package dev.veridex.index.lucene;

import dev.veridex.index.Ask;
import dev.veridex.index.Schema;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.lucene.index.FloatVectorValues;
import org.apache.lucene.index.KnnVectorValues;
import org.apache.lucene.index.LeafReaderContext;
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

/// Finds the nearest embeddings among the documents that a filter lets through: by comparing all of
/// them while they are few, through Lucene's graph when they are many.
///
/// @param scores of the nearest, by document
/// @param exact whether all were compared
record Neighbours(Map<Integer, Float> scores, boolean exact) {

  static Neighbours find(IndexSearcher searcher, Ask ask, Ask.Nearest nearest, Query candidates)
      throws IOException {
    Schema.Embedding settings = ask.schema().embeddings().get(nearest.field());
    if (settings == null) {
      return new Neighbours(Map.of(), true);
    }
    String vectors = Names.vectors(nearest.field(), settings);
    VectorSimilarityFunction similarity = Documents.similarity(settings.similarity());
    if (searcher.count(candidates) <= nearest.exactUpTo()) {
      return new Neighbours(compare(searcher, vectors, nearest, candidates, similarity), true);
    }
    Map<Integer, Float> scores = new HashMap<>();
    Query graph = new KnnFloatVectorQuery(vectors, nearest.vector(), nearest.k(), candidates);
    for (ScoreDoc hit : searcher.search(graph, nearest.k()).scoreDocs) {
      scores.put(hit.doc, hit.score);
    }
    return new Neighbours(scores, false);
  }

  private static Map<Integer, Float> compare(
      IndexSearcher searcher,
      String field,
      Ask.Nearest nearest,
      Query candidates,
      VectorSimilarityFunction similarity)
      throws IOException {
    // The farthest first; of equally near ones the later document goes.
    PriorityQueue<ScoreDoc> best =
        new PriorityQueue<>(
            Comparator.<ScoreDoc>comparingDouble(hit -> hit.score)
                .thenComparing(hit -> hit.doc, Comparator.reverseOrder()));
    Weight weight =
        searcher.createWeight(searcher.rewrite(candidates), ScoreMode.COMPLETE_NO_SCORES, 1);
    for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
      Scorer scorer = weight.scorer(leaf);
      FloatVectorValues vectors = leaf.reader().getFloatVectorValues(field);
      if (scorer != null && vectors != null) {
        compare(leaf, scorer.iterator(), vectors, nearest, similarity, best);
      }
    }
    Map<Integer, Float> scores = new HashMap<>();
    best.forEach(hit -> scores.put(hit.doc, hit.score));
    return scores;
  }

  private static void compare(
      LeafReaderContext leaf,
      DocIdSetIterator candidates,
      FloatVectorValues vectors,
      Ask.Nearest nearest,
      VectorSimilarityFunction similarity,
      PriorityQueue<ScoreDoc> best)
      throws IOException {
    Bits live = leaf.reader().getLiveDocs();
    KnnVectorValues.DocIndexIterator at = vectors.iterator();
    for (int document = candidates.nextDoc();
        document != DocIdSetIterator.NO_MORE_DOCS;
        document = candidates.nextDoc()) {
      if (live != null && !live.get(document)) {
        continue;
      }
      if (at.docID() < document) {
        at.advance(document);
      }
      if (at.docID() == document) {
        float score = similarity.compare(nearest.vector(), vectors.vectorValue(at.index()));
        best.add(new ScoreDoc(leaf.docBase + document, score));
        if (best.size() > nearest.k()) {
          best.poll();
        }
      }
    }
  }
}
