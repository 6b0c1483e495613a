package dev.veridex.index.lucene;

import dev.veridex.index.VisibleResources;
import dev.veridex.index.lucene.text.PrefixRanges;
import java.io.IOException;
import java.lang.ref.WeakReference;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.search.ConstantScoreScorerSupplier;
import org.apache.lucene.search.ConstantScoreWeight;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.ScorerSupplier;
import org.apache.lucene.search.TwoPhaseIterator;
import org.apache.lucene.search.Weight;
import org.jspecify.annotations.Nullable;

/// Finds the documents that somebody may see: those all of whose resources may be seen, of which
/// there is at least one.
///
/// Two of them are equal only if what may be seen has the same identity. So whatever Lucene
/// remembers for one of them is never used after any right has changed.
final class VisibleQuery extends Query {
  /// About how many times as much as the simplest test a document takes.
  private static final float COST = 8;

  private final Object identity;

  /// Weakly: what is remembered for this query must not hold on to all rights there were. Whoever
  /// searches has it until the end.
  private final WeakReference<VisibleResources> visible;

  private final OrdinalTable resources;

  VisibleQuery(VisibleResources visible, OrdinalTable resources) {
    this.identity = visible.identity();
    this.visible = new WeakReference<>(visible);
    this.resources = resources;
  }

  private VisibleResources visible() {
    VisibleResources known = visible.get();
    if (known == null) {
      throw new IllegalStateException("what may be seen is not known any more");
    }
    return known;
  }

  @Override
  public Query rewrite(IndexSearcher searcher) {
    return visible().isNothing() ? MatchNoDocsQuery.INSTANCE : this;
  }

  @Override
  public Weight createWeight(IndexSearcher searcher, ScoreMode mode, float boost) {
    return new ConstantScoreWeight(this, boost) {
      @Override
      public @Nullable ScorerSupplier scorerSupplier(LeafReaderContext leaf) throws IOException {
        SortedNumericDocValues ordinals =
            leaf.reader().getSortedNumericDocValues(FieldNames.ORDINAL);
        if (ordinals == null) {
          return null;
        }
        VisibleResources seen = visible();
        PrefixRanges.SegmentRanges ranges = resources.prefixes().of(leaf.reader(), seen);
        TwoPhaseIterator test =
            test(
                ordinals,
                resources.of(leaf, seen),
                ranges.isEmpty()
                    ? (number, _) -> seen.test(number)
                    : below(DocValues.getSorted(leaf.reader(), FieldNames.KEY), ranges, seen),
                seen);
        return ConstantScoreScorerSupplier.fromIterator(
            TwoPhaseIterator.asDocIdSetIterator(test), score(), mode, leaf.reader().maxDoc());
      }

      @Override
      public boolean isCacheable(LeafReaderContext leaf) {
        return visible().isQuick() && DocValues.isCacheable(leaf, FieldNames.ORDINAL);
      }
    };
  }

  /// Tests the only resource of a document.
  @FunctionalInterface
  private interface ResourceTest {
    boolean test(int number, int document) throws IOException;
  }

  /// A test of resources that may depend on what their names begin with.
  private static ResourceTest below(
      SortedDocValues keys, PrefixRanges.SegmentRanges ranges, VisibleResources visible) {
    return (number, document) -> {
      int prefix = keys.advanceExact(document) ? ranges.prefix(keys.ordValue()) : -1;
      return prefix < 0 ? visible.test(number) : visible.test(number, prefix);
    };
  }

  private static TwoPhaseIterator test(
      SortedNumericDocValues ordinals,
      OrdinalTable.SegmentNumbers known,
      ResourceTest only,
      VisibleResources visible) {
    int[] numbers = known.numbers();
    DocIdSetIterator all = DocIdSetIterator.all(numbers.length);
    return new TwoPhaseIterator(all) {
      @Override
      public boolean matches() throws IOException {
        int number = numbers[all.docID()];
        return number == OrdinalTable.SEVERAL
            ? isEachSeen(all.docID())
            : number != OrdinalTable.NOTHING && only.test(number, all.docID());
      }

      private boolean isEachSeen(int document) throws IOException {
        boolean seen = ordinals.advanceExact(document);
        for (int i = 0; seen && i < ordinals.docValueCount(); i++) {
          seen = visible.test(known.number(ordinals.nextValue()));
        }
        return seen;
      }

      @Override
      public float matchCost() {
        return COST;
      }
    };
  }

  @Override
  public void visit(QueryVisitor visitor) {
    visitor.visitLeaf(this);
  }

  @Override
  public String toString(String field) {
    return "visible";
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // Identities are compared by nothing else.
  public boolean equals(@Nullable Object object) {
    return object instanceof VisibleQuery other
        && identity == other.identity
        && resources == other.resources;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(identity);
  }
}
