package dev.veridex.index.lucene;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.common.VersionTuple;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexSuggest;
import dev.veridex.index.IndexView;
import dev.veridex.protocol.RawDocument;
import java.io.IOException;
import java.lang.ref.Reference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.ExitableDirectoryReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.MultiCollectorManager;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/// A view of a Lucene index.
final class LuceneView implements IndexView {
  /// The usual constant of reciprocal rank fusion.
  private static final int FUSION = 60;

  private static final int RANKS = 10_000;

  private final String name;
  private final EntryReader entries;
  private final IndexSearcher shared;
  private final Analyzers analyzers;
  private final LongSupplier nanos;
  private final OrdinalTable resources;
  private final Runnable release;
  private final AtomicBoolean closed = new AtomicBoolean();

  LuceneView(
      String name,
      IndexSearcher shared,
      LuceneContext tools,
      OrdinalTable resources,
      Runnable release) {
    this.name = name;
    this.entries = new EntryReader(name);
    this.shared = shared;
    this.analyzers = tools.analyzers();
    this.nanos = tools.nanos();
    this.resources = resources;
    this.release = release;
  }

  @Override
  public IndexResult search(IndexSearch ask) {
    try {
      QueryTranslator queries = new QueryTranslator(ask.schema(), analyzers, resources);
      Deadline deadline = new Deadline(ask.timeout(), nanos);
      IndexSearcher searcher = searcher(ask, deadline);
      Optional<Query> text = ask.text().map(queries::text);
      Optional<NearestNeighbours> nearest = nearest(ask, queries, searcher, deadline);
      Query query =
          queries.of(
              ask,
              shared.getIndexReader(),
              nearest.isEmpty()
                  ? text
                  : Optional.of(fused(ask, queries, searcher, text, nearest.get().scores())));
      Sort sort = HitOrder.of(ask);
      FacetCounter counting = new FacetCounter(ask, deadline);
      // Where counting is a matter of looking up, what cannot be among the best is passed over.
      boolean counted =
          ask.facets().isEmpty() && HitOrder.isByScore(ask) && QueryTranslator.isCountedFast(query);
      TopFieldCollectorManager top =
          new TopFieldCollectorManager(
              sort,
              Math.max(1, ask.limit()),
              ask.after().map(after -> HitOrder.after(sort, after)).orElse(null),
              counted ? 1 : Integer.MAX_VALUE);
      TopFieldDocs hits;
      if (ask.facets().isEmpty()) {
        hits = searcher.search(query, top);
      } else {
        Object[] both = searcher.search(query, new MultiCollectorManager(top, counting));
        hits = (TopFieldDocs) both[0];
      }
      long total = hits.totalHits.value();
      if (counted) {
        // No fewer than were found, should the time be over.
        total = Math.max(total, searcher.count(query));
      }
      List<IndexResult.Hit> found = new ArrayList<>();
      PassageHighlighter highlights = new PassageHighlighter(ask, queries, analyzers, deadline);
      long bytes = 0;
      StoredFields stored = shared.storedFields();
      for (ScoreDoc hit : hits.scoreDocs) {
        if (found.size() < ask.limit() && bytes < ask.pageBytes()) {
          found.add(hit(sort, (FieldDoc) hit, stored, highlights));
          bytes += found.getLast().document().getSerializedSize();
        }
      }
      boolean complete = !searcher.timedOut() && !deadline.wasMissed();
      boolean more =
          found.size() == ask.limit()
              || found.size() < Math.min(ask.limit(), hits.scoreDocs.length);
      return new IndexResult(
          found,
          // Of the first page it is known.
          (complete && ask.after().isEmpty()) ? total > found.size() : more,
          total,
          counting.counts(),
          complete,
          nearest.map(NearestNeighbours::exact));
    } catch (ExitableDirectoryReader.ExitingReaderException e) {
      return new IndexResult(List.of(), false, 0, new TreeMap<>(), false, Optional.empty());
    } catch (IndexSearcher.TooManyClauses e) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_QUERY,
                  "this looks for too much at once: name fewer words or fields")
              .at("/query"),
          e);
    } catch (IOException e) {
      throw LuceneIndexes.translate(name, e);
    } finally {
      // Queries do not hold on to what may be seen.
      Reference.reachabilityFence(ask);
    }
  }

  @Override
  public IndexResult.Nearest nearest(IndexSearch ask) {
    try {
      Deadline deadline = new Deadline(ask.timeout(), nanos);
      IndexSearcher searcher = searcher(ask, deadline);
      QueryTranslator queries = new QueryTranslator(ask.schema(), analyzers, resources);
      NearestNeighbours found =
          nearest(ask, queries, searcher, deadline).orElse(new NearestNeighbours(Map.of(), true));
      List<IndexResult.Near> nearest = new ArrayList<>();
      List<LeafReaderContext> leaves = shared.getIndexReader().leaves();
      for (Map.Entry<Integer, Float> each : found.scores().entrySet()) {
        LeafReaderContext leaf = leaves.get(ReaderUtil.subIndex(each.getKey(), leaves));
        nearest.add(
            new IndexResult.Near(
                EntryReader.pk(leaf.reader(), each.getKey() - leaf.docBase), each.getValue()));
      }
      nearest.sort(IndexResult.Near.NEAREST_FIRST);
      boolean complete = !searcher.timedOut() && !deadline.wasMissed();
      return new IndexResult.Nearest(nearest, complete, found.exact());
    } catch (ExitableDirectoryReader.ExitingReaderException e) {
      return new IndexResult.Nearest(List.of(), false, false);
    } catch (IOException e) {
      throw LuceneIndexes.translate(name, e);
    } finally {
      Reference.reachabilityFence(ask);
    }
  }

  /// A searcher of its own, for the time-out is the searcher's. Words that are looked for among all
  /// words are looked for until then, too; for the others, looking at the clock would cost more.
  private IndexSearcher searcher(IndexSearch ask, Deadline deadline) throws IOException {
    IndexReader reader = shared.getIndexReader();
    IndexSearcher searcher =
        new IndexSearcher(
            TermExpansion.in(ask) && reader instanceof DirectoryReader all
                ? ExitableDirectoryReader.wrap(all, deadline::isOver)
                : reader);
    searcher.setQueryCache(shared.getQueryCache());
    searcher.setTimeout(deadline::isOver);
    return searcher;
  }

  private Optional<NearestNeighbours> nearest(
      IndexSearch ask, QueryTranslator queries, IndexSearcher searcher, Deadline deadline)
      throws IOException {
    if (ask.nearest().isEmpty()) {
      return Optional.empty();
    }
    Query candidates = queries.of(ask, shared.getIndexReader(), Optional.empty());
    return Optional.of(
        NearestNeighbours.find(searcher, ask, ask.nearest().get(), candidates, deadline));
  }

  /// What has the words, or is near, or both: by reciprocal rank fusion. Words that are found
  /// further back than any rank that counts are found all the same.
  private Query fused(
      IndexSearch ask,
      QueryTranslator queries,
      IndexSearcher searcher,
      Optional<Query> text,
      Map<Integer, Float> nearest)
      throws IOException {
    Object reader = shared.getIndexReader().getContext().id();
    if (text.isEmpty()) {
      return new FixedScoreQuery(reader, nearest);
    }
    Query filtered = queries.of(ask, shared.getIndexReader(), text);
    Map<Integer, Float> fused = new HashMap<>();
    Sort byScore = HitOrder.byScore();
    rank(searcher.search(filtered, RANKS, byScore).scoreDocs, fused);
    rank(
        searcher.search(new FixedScoreQuery(reader, nearest), Math.max(1, nearest.size()), byScore)
            .scoreDocs,
        fused);
    return new BooleanQuery.Builder()
        .add(new BoostQuery(new ConstantScoreQuery(text.get()), 0), Occur.SHOULD)
        .add(new FixedScoreQuery(reader, fused), Occur.SHOULD)
        .build();
  }

  private static void rank(ScoreDoc[] ranked, Map<Integer, Float> fused) {
    for (int i = 0; i < ranked.length; i++) {
      fused.merge(ranked[i].doc, 1f / (FUSION + i + 1), Float::sum);
    }
  }

  private IndexResult.Hit hit(
      Sort sort, FieldDoc hit, StoredFields stored, PassageHighlighter highlights)
      throws IOException {
    RawDocument source = entries.source(stored, hit.doc);
    String key = HitOrder.key(sort, hit);
    List<LeafReaderContext> leaves = shared.getIndexReader().leaves();
    LeafReaderContext leaf = leaves.get(ReaderUtil.subIndex(hit.doc, leaves));
    return new IndexResult.Hit(
        key,
        EntryReader.tuple(leaf.reader(), hit.doc - leaf.docBase),
        HitOrder.score(hit),
        source,
        EntryReader.resources(leaf.reader(), hit.doc - leaf.docBase, key),
        highlights.of(source),
        HitOrder.position(sort, hit));
  }

  @Override
  public IndexSuggest.SuggestResult suggest(IndexSuggest suggest) {
    try {
      return new TermSuggester(shared, analyzers, resources, suggest).run();
    } catch (IOException e) {
      throw LuceneIndexes.translate(name, e);
    } finally {
      Reference.reachabilityFence(suggest);
    }
  }

  @Override
  public void each(Instant now, Consumer<StoredEntry> consumer) {
    try {
      Query query =
          QueryTranslator.there(shared.getIndexReader(), now).orElse(MatchAllDocsQuery.INSTANCE);
      Weight weight = shared.createWeight(shared.rewrite(query), ScoreMode.COMPLETE_NO_SCORES, 1);
      for (LeafReaderContext leaf : shared.getIndexReader().leaves()) {
        Scorer scorer = weight.scorer(leaf);
        if (scorer != null) {
          each(leaf, scorer, consumer);
        }
      }
    } catch (IOException e) {
      throw LuceneIndexes.translate(name, e);
    }
  }

  private void each(LeafReaderContext leaf, Scorer scorer, Consumer<StoredEntry> consumer)
      throws IOException {
    LeafReader reader = leaf.reader();
    Bits live = reader.getLiveDocs();
    var documents = scorer.iterator();
    for (int document = documents.nextDoc();
        document != org.apache.lucene.search.DocIdSetIterator.NO_MORE_DOCS;
        document = documents.nextDoc()) {
      if (live == null || live.get(document)) {
        consumer.accept(entries.held(reader, document));
      }
    }
  }

  @Override
  public List<Optional<StoredEntry>> find(List<String> pks, Instant now) {
    return find(pks, now, entries::held);
  }

  @Override
  public List<Optional<VersionTuple>> tuples(List<String> pks, Instant now) {
    return find(pks, now, EntryReader::tuple);
  }

  /// Reads something of a document of a segment.
  @FunctionalInterface
  private interface ReadAction<T> {
    T of(LeafReader reader, int document) throws IOException;
  }

  private <T> List<Optional<T>> find(List<String> pks, Instant now, ReadAction<T> reading) {
    List<Optional<T>> found = new ArrayList<>();
    List<LeafReaderContext> leaves = shared.getIndexReader().leaves();
    try {
      for (String pk : pks) {
        BooleanQuery.Builder query = new BooleanQuery.Builder();
        query.add(new TermQuery(new Term(FieldNames.ID, new BytesRef(pk))), Occur.FILTER);
        QueryTranslator.there(shared.getIndexReader(), now)
            .ifPresent(there -> query.add(there, Occur.FILTER));
        ScoreDoc[] hits = shared.search(query.build(), 1).scoreDocs;
        if (hits.length == 0) {
          found.add(Optional.empty());
        } else {
          LeafReaderContext leaf = leaves.get(ReaderUtil.subIndex(hits[0].doc, leaves));
          found.add(Optional.of(reading.of(leaf.reader(), hits[0].doc - leaf.docBase)));
        }
      }
    } catch (IOException e) {
      throw LuceneIndexes.translate(name, e);
    }
    return found;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release.run();
    }
  }
}
