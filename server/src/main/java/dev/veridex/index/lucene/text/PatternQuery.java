package dev.veridex.index.lucene.text;

import java.io.IOException;
import java.util.Objects;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedSetDocValues;
import org.apache.lucene.search.ConstantScoreScorer;
import org.apache.lucene.search.ConstantScoreWeight;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.ScorerSupplier;
import org.apache.lucene.search.TwoPhaseIterator;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.automaton.ByteRunAutomaton;
import org.apache.lucene.util.automaton.CompiledAutomaton;

/// Documents one of whose values matches a pattern: each is looked at, so it belongs beside a query
/// that finds few.
public final class PatternQuery extends Query {
  /// What a look at a document costs, next to others.
  private static final float COST = 100;

  private final String field;
  private final String pattern;
  private final ByteRunAutomaton automaton;

  public PatternQuery(String field, String pattern, CompiledAutomaton compiled) {
    this.field = field;
    this.pattern = pattern;
    this.automaton =
        Objects.requireNonNull(compiled.runAutomaton, "a pattern with a wildcard has one");
  }

  @Override
  public Weight createWeight(IndexSearcher searcher, ScoreMode scoreMode, float boost) {
    return new ConstantScoreWeight(this, boost) {
      @Override
      public ScorerSupplier scorerSupplier(LeafReaderContext context) throws IOException {
        SortedSetDocValues values = DocValues.getSortedSet(context.reader(), field);
        DocIdSetIterator all = DocIdSetIterator.all(context.reader().maxDoc());
        TwoPhaseIterator matching =
            new TwoPhaseIterator(all) {
              @Override
              public boolean matches() throws IOException {
                return values.advanceExact(all.docID()) && matchesAny(values);
              }

              @Override
              public float matchCost() {
                return COST;
              }
            };
        return new DefaultScorerSupplier(new ConstantScoreScorer(score(), scoreMode, matching));
      }

      @Override
      public boolean isCacheable(LeafReaderContext context) {
        return false;
      }
    };
  }

  private boolean matchesAny(SortedSetDocValues values) throws IOException {
    for (int i = 0; i < values.docValueCount(); i++) {
      BytesRef value = values.lookupOrd(values.nextOrd());
      if (automaton.run(value.bytes, value.offset, value.length)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void visit(QueryVisitor visitor) {
    if (visitor.acceptField(field)) {
      visitor.visitLeaf(this);
    }
  }

  @Override
  public String toString(String defaultField) {
    return field + ":" + pattern;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PatternQuery query
        && query.field.equals(field)
        && query.pattern.equals(pattern);
  }

  @Override
  public int hashCode() {
    return Objects.hash(field, pattern);
  }
}
