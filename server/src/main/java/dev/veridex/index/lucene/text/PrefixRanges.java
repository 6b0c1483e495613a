package dev.veridex.index.lucene.text;

import dev.veridex.index.VisibleResources;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.util.BytesRef;

/// The documents of each segment by the prefixes that their keys begin with: all that begin with
/// one lie next to each other in the order of keys. So a new prefix costs two lookups, however many
/// documents there are below it.
public final class PrefixRanges {
  private final String field;
  private WeakReference<Object> numbering = new WeakReference<>(new Object());
  private final Map<IndexReader.CacheKey, SegmentRanges> known = new HashMap<>();

  /// @param field of the keys, sorted
  public PrefixRanges(String field) {
    this.field = field;
  }

  /// The keys below a prefix: longer than it.
  private record Range(int prefix, int from, int to) {}

  /// The ranges of a segment, cut so that each key is in one.
  ///
  /// @param looked so many prefixes were looked for
  /// @param ranges of those that there is something below
  /// @param starts where each cut begins
  /// @param prefixes the longest prefix of each cut, or -1
  public record SegmentRanges(int looked, List<?> ranges, int[] starts, int[] prefixes) {
    private static final SegmentRanges NONE =
        new SegmentRanges(0, List.of(), new int[0], new int[0]);

    /// Whether no key is below any prefix.
    public boolean isEmpty() {
      return starts.length == 0;
    }

    /// The number of the longest prefix of a key, or -1.
    public int prefix(int ordinal) {
      int at = Arrays.binarySearch(starts, ordinal);
      int cut = at >= 0 ? at : -at - 2;
      return cut < 0 ? -1 : prefixes[cut];
    }
  }

  /// The ranges of a segment.
  @SuppressWarnings("ReferenceEquality") // A numbering is the same one, or another.
  public synchronized SegmentRanges of(LeafReader reader, VisibleResources visible)
      throws IOException {
    int[] prefixes = visible.prefixes();
    if (prefixes.length == 0) {
      return SegmentRanges.NONE;
    }
    if (numbering.get() != visible.numbering()) {
      numbering = new WeakReference<>(visible.numbering());
      known.clear();
    }
    IndexReader.CacheHelper segment = reader.getCoreCacheHelper();
    SegmentRanges before = known.get(segment.getKey());
    if (before == null) {
      segment.addClosedListener(this::forget);
      before = SegmentRanges.NONE;
    }
    if (before.looked < prefixes.length) {
      before = more(reader, visible, prefixes, before);
      known.put(segment.getKey(), before);
    }
    return before;
  }

  private synchronized void forget(IndexReader.CacheKey segment) {
    known.remove(segment);
  }

  private SegmentRanges more(
      LeafReader reader, VisibleResources visible, int[] prefixes, SegmentRanges before)
      throws IOException {
    SortedDocValues keys = DocValues.getSorted(reader, field);
    List<Range> ranges = new ArrayList<>();
    before.ranges.forEach(each -> ranges.add((Range) each));
    for (int i = before.looked; i < prefixes.length; i++) {
      BytesRef prefix = new BytesRef(visible.name(prefixes[i]));
      int from = keys.lookupTerm(prefix);
      // What is named like the prefix itself is not below it.
      int first = from >= 0 ? from + 1 : -from - 1;
      int end = -keys.lookupTerm(after(prefix)) - 1;
      if (first < end) {
        ranges.add(new Range(prefixes[i], first, end));
      }
    }
    return cut(prefixes.length, ranges);
  }

  /// What no text is equal to, after all that begin with a prefix.
  private static BytesRef after(BytesRef prefix) {
    byte[] after = Arrays.copyOf(prefix.bytes, prefix.length + 1);
    after[prefix.length] = (byte) 0xFF;
    return new BytesRef(after);
  }

  /// Ranges lie within each other, or apart.
  private static SegmentRanges cut(int looked, List<Range> ranges) {
    List<Range> sorted = new ArrayList<>(ranges);
    sorted.sort(
        Comparator.comparingInt(Range::from)
            .thenComparing(Comparator.comparingInt(Range::to).reversed()));
    List<int[]> cuts = new ArrayList<>();
    Deque<Range> open = new ArrayDeque<>();
    for (Range range : sorted) {
      close(open, range.from, cuts);
      cuts.add(new int[] {range.from, range.prefix});
      open.push(range);
    }
    close(open, Integer.MAX_VALUE, cuts);
    List<int[]> last = new ArrayList<>();
    for (int[] each : cuts) {
      // Of those that begin in the same position, the last one is the longest.
      if (!last.isEmpty() && last.getLast()[0] == each[0]) {
        last.removeLast();
      }
      last.add(each);
    }
    return new SegmentRanges(
        looked,
        List.copyOf(ranges),
        last.stream().mapToInt(each -> each[0]).toArray(),
        last.stream().mapToInt(each -> each[1]).toArray());
  }

  private static void close(Deque<Range> open, int until, List<int[]> cuts) {
    while (!open.isEmpty() && open.peek().to <= until) {
      int end = open.pop().to;
      cuts.add(new int[] {end, open.isEmpty() ? -1 : open.peek().prefix});
    }
  }
}
