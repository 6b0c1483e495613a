package dev.veridex.index;

import dev.veridex.protocol.Value;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A question to an index.
///
/// More than eight components: one component for each part of a search; an engine needs all of them
/// at once.
///
/// @param schema what its fields are
/// @param now what has expired by then is not there
/// @param timeout how long it may take; what was not looked at by then is missing, and the answer
///   says so
/// @param filter what must hold
/// @param text what is looked for; absent: nothing in particular
/// @param nearest embeddings that are looked for besides or instead
/// @param sort how hits are ordered; hits that this does not tell apart are in the order of keys
/// @param after the position of the last hit that the asker has
/// @param pageBytes a page ends after so much, however many hits are wanted
/// @param facets what to count, by name
/// @param highlight the fields in which to show what was found
/// @param visible what the asker may see; absent: everything
public record IndexSearch(
    Schema schema,
    Instant now,
    Duration timeout,
    Condition filter,
    Optional<Search> text,
    Optional<Nearest> nearest,
    List<Order> sort,
    Optional<After> after,
    int limit,
    long pageBytes,
    SortedMap<String, Facet> facets,
    List<String> highlight,
    Optional<VisibleResources> visible) {
  public IndexSearch {
    sort = List.copyOf(sort);
    highlight = List.copyOf(highlight);
  }

  /// The beginning of a page.
  ///
  /// @param position of a hit, in this view or in one of another index that was asked the same
  /// @param withEqual whether a hit at exactly that position is still to come
  public record After(byte[] position, boolean withEqual) {}

  /// Words, and where to look for them.
  public record Search(TextExpression text, List<TextExpression.Field> fields) {
    public Search {
      fields = List.copyOf(fields);
    }
  }

  /// An embedding whose nearest ones are looked for.
  ///
  /// @param exactUpTo among so many candidates all are compared
  public record Nearest(String field, float[] vector, int k, int exactUpTo) {}

  /// A key of the sort order of hits.
  public sealed interface Order {
    boolean descending();

    record ByScore(boolean descending) implements Order {}

    record ByKey(boolean descending) implements Order {}

    /// Sorts by a field. Of several values the smallest counts, or, descending, the largest; hits
    /// without any are last.
    record ByField(String field, boolean descending) implements Order {}
  }

  /// A facet of a field.
  public sealed interface Facet {
    String field();

    /// The most frequent values.
    record Terms(String field, int size) implements Facet {}

    /// Values between each two bounds, below the first and from the last on.
    record Ranges(String field, List<Value> bounds) implements Facet {
      public Ranges {
        bounds = List.copyOf(bounds);
      }
    }

    /// Times by day, month and the like, in UTC.
    record Dates(String field, Interval interval) implements Facet {}
  }

  /// The interval of a date histogram.
  public enum Interval {
    HOUR,
    DAY,
    WEEK,
    MONTH,
    YEAR
  }

  /// The same, with less or more time.
  public IndexSearch within(Duration time) {
    return new IndexSearch(
        schema, now, time, filter, text, nearest, sort, after, limit, pageBytes, facets, highlight,
        visible);
  }

  /// The same, of what somebody may see.
  ///
  /// @param what absent: everything
  public IndexSearch seenBy(Optional<VisibleResources> what) {
    return new IndexSearch(
        schema, now, timeout, filter, text, nearest, sort, after, limit, pageBytes, facets,
        highlight, what);
  }

  /// The same, where so many nearest embeddings are wanted.
  public IndexSearch nearest(int k) {
    return new IndexSearch(
        schema,
        now,
        timeout,
        filter,
        text,
        nearest.map(each -> new Nearest(each.field, each.vector, k, each.exactUpTo)),
        sort,
        after,
        limit,
        pageBytes,
        facets,
        highlight,
        visible);
  }

  /// The facets of an ask that has none.
  public static SortedMap<String, Facet> noFacets() {
    return new TreeMap<>();
  }
}
