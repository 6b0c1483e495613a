package dev.veridex.index.lucene;

import dev.veridex.common.Expiry;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexResult;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.IndexSearch.Facet;
import dev.veridex.index.Schema;
import dev.veridex.protocol.Value;
import java.io.IOException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedSetDocValues;
import org.apache.lucene.search.Collector;
import org.apache.lucene.search.CollectorManager;
import org.apache.lucene.search.LeafCollector;
import org.apache.lucene.search.Scorable;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.util.BytesRef;

/// Counts the values of all documents that were found: exactly, a document once for each value or
/// range.
///
/// In a segment values are numbered in their order. So what is counted is numbers, in an array; a
/// range is a range of numbers; and a value itself is read once for each segment.
final class FacetCounter
    implements CollectorManager<
        FacetCounter.ThreadCollector, SortedMap<String, List<IndexResult.Count>>> {
  private static final int LOOK_EVERY = 4096;

  private final IndexSearch ask;
  private final Deadline deadline;
  private final Map<String, Map<BytesRef, Long>> totals = new TreeMap<>();

  FacetCounter(IndexSearch ask, Deadline deadline) {
    this.ask = ask;
    this.deadline = deadline;
    ask.facets().keySet().forEach(facet -> totals.put(facet, new HashMap<>()));
  }

  @Override
  public ThreadCollector newCollector() {
    return new ThreadCollector();
  }

  @Override
  public SortedMap<String, List<IndexResult.Count>> reduce(Collection<ThreadCollector> collectors) {
    return counts();
  }

  /// The counts.
  SortedMap<String, List<IndexResult.Count>> counts() {
    SortedMap<String, List<IndexResult.Count>> counts = new TreeMap<>();
    ask.facets()
        .forEach(
            (name, facet) -> counts.put(name, counts(facet, totals.getOrDefault(name, Map.of()))));
    return counts;
  }

  private FieldKind type(Facet facet) {
    Schema.Field settings = ask.schema().fields().get(facet.field());
    return settings == null ? FieldKind.KEYWORD : settings.type();
  }

  private List<IndexResult.Count> counts(Facet facet, Map<BytesRef, Long> total) {
    return switch (facet) {
      case Facet.Terms(_, int size) ->
          total.entrySet().stream()
              .sorted(
                  Map.Entry.<BytesRef, Long>comparingByValue()
                      .reversed()
                      .thenComparing(Map.Entry.comparingByKey()))
              .limit(size)
              .map(
                  each ->
                      new IndexResult.Count(
                          Optional.of(SortableBytes.value(type(facet), each.getKey())),
                          Optional.empty(),
                          each.getValue()))
              .toList();
      case Facet.Dates _ ->
          total.entrySet().stream()
              .sorted(Map.Entry.comparingByKey())
              .map(
                  each ->
                      new IndexResult.Count(
                          Optional.of(SortableBytes.value(FieldKind.TIMESTAMP, each.getKey())),
                          Optional.empty(),
                          each.getValue()))
              .toList();
      case Facet.Ranges(_, List<Value> bounds) -> {
        List<IndexResult.Count> ranges = new ArrayList<>();
        for (int i = 0; i <= bounds.size(); i++) {
          ranges.add(
              new IndexResult.Count(
                  i == 0 ? Optional.empty() : Optional.of(bounds.get(i - 1)),
                  i == bounds.size() ? Optional.empty() : Optional.of(bounds.get(i)),
                  total.getOrDefault(range(i), 0L)));
        }
        yield ranges;
      }
    };
  }

  private static BytesRef range(int number) {
    return new BytesRef(SortableBytes.time(number));
  }

  /// The collector of one thread of a search; there is one.
  final class ThreadCollector implements Collector {
    @Override
    public LeafCollector getLeafCollector(LeafReaderContext leaf) throws IOException {
      List<SegmentFacet> facets = new ArrayList<>();
      for (Map.Entry<String, Facet> each : ask.facets().entrySet()) {
        SortedSetDocValues values =
            DocValues.getSortedSet(leaf.reader(), FieldNames.values(each.getValue().field()));
        facets.add(
            new SegmentFacet(
                deadline,
                each.getValue(),
                values,
                totals.computeIfAbsent(each.getKey(), _ -> new HashMap<>())));
      }
      return new LeafCollector() {
        @Override
        public void setScorer(Scorable scorer) {}

        @Override
        public void collect(int document) throws IOException {
          for (SegmentFacet facet : facets) {
            facet.count(document);
          }
        }

        @Override
        public void finish() throws IOException {
          for (SegmentFacet facet : facets) {
            facet.finish();
          }
        }
      };
    }

    @Override
    public ScoreMode scoreMode() {
      return ScoreMode.COMPLETE_NO_SCORES;
    }
  }

  /// The counts of one field in one segment.
  private static final class SegmentFacet {
    private final SortedSetDocValues values;
    private final Map<BytesRef, Long> total;

    /// The group that each value belongs to; absent: each is one of its own.
    private final int @org.jspecify.annotations.Nullable [] groups;

    private final List<BytesRef> names = new ArrayList<>();
    private final long[] counts;

    private SegmentFacet(
        Deadline deadline, Facet facet, SortedSetDocValues values, Map<BytesRef, Long> total)
        throws IOException {
      this.values = values;
      this.total = total;
      int count = Math.toIntExact(values.getValueCount());
      this.groups =
          switch (facet) {
            case Facet.Terms _ -> null;
            case Facet.Ranges(_, List<Value> bounds) -> ranges(bounds, count);
            case Facet.Dates(_, IndexSearch.Interval interval) -> dates(deadline, interval, count);
          };
      this.counts = new long[groups == null ? count : names.size()];
    }

    private int[] ranges(List<Value> bounds, int count) throws IOException {
      int[] of = new int[count];
      int ord = 0;
      for (int i = 0; i <= bounds.size(); i++) {
        names.add(range(i));
        int end = count;
        if (i < bounds.size()) {
          long found = values.lookupTerm(new BytesRef(SortableBytes.of(bounds.get(i))));
          end = (int) (found >= 0 ? found : -found - 1);
        }
        for (; ord < end; ord++) {
          of[ord] = i;
        }
      }
      return of;
    }

    private int[] dates(Deadline deadline, IndexSearch.Interval interval, int count)
        throws IOException {
      int[] of = new int[count];
      for (int ord = 0; ord < count; ord++) {
        if (ord % LOOK_EVERY == 0 && deadline.stops()) {
          return of;
        }
        Instant time = Expiry.instant(SortableBytes.micros(values.lookupOrd(ord)));
        BytesRef begin = new BytesRef(SortableBytes.time(Expiry.micros(begin(time, interval))));
        if (names.isEmpty() || !names.getLast().equals(begin)) {
          names.add(begin);
        }
        of[ord] = names.size() - 1;
      }
      return of;
    }

    private void count(int document) throws IOException {
      if (!values.advanceExact(document)) {
        return;
      }
      int last = -1;
      for (int i = 0; i < values.docValueCount(); i++) {
        int ord = (int) values.nextOrd();
        int group = groups == null ? ord : groups[ord];
        // Values come in their order, so those of a group are next to each other.
        if (group != last) {
          counts[group]++;
          last = group;
        }
      }
    }

    private void finish() throws IOException {
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] > 0) {
          BytesRef name = groups == null ? values.lookupOrd(i) : names.get(i);
          total.merge(BytesRef.deepCopyOf(name), counts[i], Long::sum);
        }
      }
    }
  }

  /// When the day, month and the like of a time began.
  static Instant begin(Instant time, IndexSearch.Interval interval) {
    LocalDate day = LocalDate.ofInstant(time, ZoneOffset.UTC);
    return switch (interval) {
      case HOUR -> time.truncatedTo(ChronoUnit.HOURS);
      case DAY -> day.atStartOfDay(ZoneOffset.UTC).toInstant();
      case WEEK ->
          day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY))
              .atStartOfDay(ZoneOffset.UTC)
              .toInstant();
      case MONTH -> day.withDayOfMonth(1).atStartOfDay(ZoneOffset.UTC).toInstant();
      case YEAR -> day.withDayOfYear(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    };
  }
}
