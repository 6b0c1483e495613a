package dev.veridex.index.lucene;

import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexSuggest;
import dev.veridex.index.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.FixedBitSet;
import org.apache.lucene.util.StringHelper;
import org.jspecify.annotations.Nullable;

/// Finds the words that begin in some way, and counts the documents that have them and are there.
final class TermSuggester {
  private static final int LOOK_EVERY = 1024;

  private final IndexSearcher searcher;
  private final Analyzer analyzer;
  private final OrdinalTable resources;
  private final IndexSuggest suggest;
  private final long end;
  private final Map<String, Long> counts = new HashMap<>();
  private boolean over;

  TermSuggester(
      IndexSearcher searcher, Analyzer analyzer, OrdinalTable resources, IndexSuggest suggest) {
    this.searcher = searcher;
    this.analyzer = analyzer;
    this.resources = resources;
    this.suggest = suggest;
    this.end = System.nanoTime() + suggest.timeout().toNanos();
  }

  IndexSuggest.SuggestResult run() throws IOException {
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    QueryTranslator.there(searcher.getIndexReader(), suggest.now())
        .ifPresent(there -> all.add(there, Occur.FILTER));
    suggest
        .visible()
        .ifPresent(visible -> all.add(new VisibleQuery(visible, resources), Occur.FILTER));
    BooleanQuery query = all.build();
    Weight weight = null;
    if (!query.clauses().isEmpty()) {
      weight = searcher.createWeight(searcher.rewrite(query), ScoreMode.COMPLETE_NO_SCORES, 1);
    }
    for (LeafReaderContext leaf : searcher.getIndexReader().leaves()) {
      look(leaf, there(leaf, weight));
    }
    List<IndexSuggest.Word> words = new ArrayList<>();
    counts.forEach((text, count) -> words.add(new IndexSuggest.Word(text, count)));
    words.sort(
        (one, other) ->
            one.count() == other.count()
                ? one.text().compareTo(other.text())
                : Long.compare(other.count(), one.count()));
    return new IndexSuggest.SuggestResult(
        words.subList(0, Math.min(suggest.limit(), words.size())), !over);
  }

  /// Which documents of a segment are there and may be seen.
  private @Nullable Bits there(LeafReaderContext leaf, @Nullable Weight weight) throws IOException {
    Bits live = leaf.reader().getLiveDocs();
    if (weight == null) {
      return live;
    }
    FixedBitSet there = new FixedBitSet(leaf.reader().maxDoc());
    Scorer scorer = weight.scorer(leaf);
    if (scorer != null) {
      DocIdSetIterator each = scorer.iterator();
      for (int document = each.nextDoc();
          document != DocIdSetIterator.NO_MORE_DOCS;
          document = each.nextDoc()) {
        if (live == null || live.get(document)) {
          there.set(document);
        }
        if (document % LOOK_EVERY == 0 && isOver()) {
          break;
        }
      }
    }
    return there;
  }

  /// The words of one field in one segment, from the first that begins so on.
  private static final class Words {
    private final TermsEnum terms;
    private final BytesRef prefix;
    private @Nullable BytesRef term;
    private @Nullable PostingsEnum postings;

    private Words(TermsEnum terms, BytesRef prefix) throws IOException {
      this.terms = terms;
      this.prefix = prefix;
      this.term = terms.seekCeil(prefix) == TermsEnum.SeekStatus.END ? null : terms.term();
    }

    /// The next word; nothing at the end.
    private @Nullable BytesRef term() {
      return term != null && StringHelper.startsWith(term, prefix) ? term : null;
    }

    private void collect(@Nullable Bits there, FixedBitSet into) throws IOException {
      postings = terms.postings(postings, PostingsEnum.NONE);
      for (int document = postings.nextDoc();
          document != DocIdSetIterator.NO_MORE_DOCS;
          document = postings.nextDoc()) {
        if (there == null || there.get(document)) {
          into.set(document);
        }
      }
      term = terms.next();
    }
  }

  /// Word by word over all fields at once: a document that has a word in two fields counts once.
  private void look(LeafReaderContext leaf, @Nullable Bits there) throws IOException {
    List<Words> fields = words(leaf.reader());
    FixedBitSet having = new FixedBitSet(leaf.reader().maxDoc());
    for (BytesRef next = first(fields); next != null && !isOver(); next = first(fields)) {
      BytesRef word = BytesRef.deepCopyOf(next);
      having.clear();
      for (Words field : fields) {
        if (word.equals(field.term())) {
          field.collect(there, having);
        }
      }
      long count = having.cardinality();
      if (count > 0) {
        counts.merge(word.utf8ToString(), count, Long::sum);
      }
    }
  }

  private List<Words> words(LeafReader reader) throws IOException {
    List<Words> words = new ArrayList<>();
    for (String name : suggest.fields()) {
      Schema.Field settings = suggest.schema().fields().get(name);
      if (settings != null) {
        boolean whole = settings.type() == FieldKind.KEYWORD;
        String field = whole ? FieldNames.terms(name) : FieldNames.words(name, settings);
        Terms terms = reader.terms(field);
        if (terms != null) {
          words.add(
              new Words(
                  terms.iterator(),
                  whole
                      ? new BytesRef(suggest.prefix())
                      : analyzer.normalize(field, suggest.prefix())));
        }
      }
    }
    return words;
  }

  private static @Nullable BytesRef first(List<Words> fields) {
    BytesRef first = null;
    for (Words field : fields) {
      BytesRef term = field.term();
      if (term != null && (first == null || term.compareTo(first) < 0)) {
        first = term;
      }
    }
    return first;
  }

  private boolean isOver() {
    over |= System.nanoTime() - end > 0;
    return over;
  }
}
