package dev.veridex.index.lucene;

import java.util.function.Predicate;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.search.LRUQueryCache;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryCache;
import org.apache.lucene.search.QueryCachingPolicy;
import org.apache.lucene.search.UsageTrackingQueryCachingPolicy;
import org.apache.lucene.search.Weight;

/// Lucene's query cache, with room of its own for visibility filters: neither takes room from the
/// other.
final class VisibilityQueryCache implements QueryCache {
  private static final int FILTERS = 1000;
  private static final long FILTER_BYTES = 32L << 20;
  private static final int PEOPLE = 500;
  private static final long PEOPLE_BYTES = 64L << 20;
  private static final int LEAST_DOCUMENTS = 10_000;
  private static final int SEARCHES = 3;

  /// All documents of a segment are looked at for somebody when a search looks at one in so many.
  private static final float PAYS = 1000;

  private final QueryCache filters = new LRUQueryCache(FILTERS, FILTER_BYTES);
  private final LRUQueryCache people;

  /// Somebody who has searched a few times will again.
  private final QueryCachingPolicy again =
      new UsageTrackingQueryCachingPolicy() {
        @Override
        protected int minFrequencyToCache(Query query) {
          return SEARCHES;
        }
      };

  VisibilityQueryCache() {
    this(leaf -> leaf.reader().maxDoc() >= LEAST_DOCUMENTS);
  }

  /// @param segments in which something is remembered for people
  VisibilityQueryCache(Predicate<LeafReaderContext> segments) {
    this.people = new LRUQueryCache(PEOPLE, PEOPLE_BYTES, segments, PAYS);
  }

  /// How often what somebody may see was remembered when it was asked for.
  long hits() {
    return people.getHitCount();
  }

  @Override
  public Weight doCache(Weight weight, QueryCachingPolicy policy) {
    return weight.getQuery() instanceof VisibleQuery
        ? people.doCache(weight, again)
        : filters.doCache(weight, policy);
  }
}
