package dev.veridex.index.lucene;

import dev.veridex.index.VisibleResources;
import dev.veridex.index.lucene.text.PrefixRanges;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.DocIdSetIterator;

/// The numbers that the resources of an index have for those who know of rights. They are found out
/// segment by segment, when a segment is first searched; by ordinal they stay known when segments
/// are merged, by document they are read while searching.
final class OrdinalTable {
  private static final int PAGE_SHIFT = 12;
  private static final int PAGE = 1 << PAGE_SHIFT;
  private static final int UNSEEN = -1;

  /// A document without any resource.
  static final int NOTHING = Integer.MIN_VALUE;

  /// A document with several resources: which ones, its ordinals tell.
  static final int SEVERAL = Integer.MIN_VALUE + 1;

  /// Ordinals are not given out twice, so that whole pages may belong to what is long gone.
  private static final int[] NONE = none();

  /// Where so many names are new in comparison with a segment's documents, its documents are looked
  /// at again instead of looking for each name.
  private static final int FRACTION = 8;

  /// So many pages may stay that belong to what is gone; then they are looked for.
  private static final int SPARE = 64;

  private final int spare;

  /// What keys begin with, by segment.
  private final PrefixRanges prefixes = new PrefixRanges(FieldNames.KEY);

  /// How many pages there were when it was last looked for such that can go.
  private int kept;

  private WeakReference<Object> numbering = new WeakReference<>(new Object());
  private WeakReference<VisibleResources> last = new WeakReference<>(null);
  private int[][] pages = new int[0][];

  private final Map<IndexReader.CacheKey, Coverage> covered = new HashMap<>();

  private final Set<IndexReader.CacheKey> listening = new HashSet<>();

  /// The covered documents of a segment.
  ///
  /// @param size for so many numbers its documents were looked at
  /// @param numbers of the resource of each document, negative if it has none; or [#NOTHING], or
  ///   [#SEVERAL]
  private record Coverage(int size, int[] numbers) {}

  /// The resource ordinals of a segment's documents.
  ///
  /// @param numbers of the resource of each document, negative if it has none; or [#NOTHING], or
  ///   [#SEVERAL]
  /// @param pages the numbers by ordinal: some page's position, then the position in it
  record SegmentNumbers(int[] numbers, int[][] pages) {
    int number(long ordinal) {
      return OrdinalTable.number(pages, ordinal);
    }
  }

  OrdinalTable() {
    this(SPARE);
  }

  /// @param spare so many pages may stay that belong to what is gone
  OrdinalTable(int spare) {
    this.spare = spare;
  }

  private static int[] none() {
    int[] page = new int[PAGE];
    Arrays.fill(page, UNSEEN);
    return page;
  }

  PrefixRanges prefixes() {
    return prefixes;
  }

  /// The numbers of all resources of a segment.
  @SuppressWarnings("ReferenceEquality") // A numbering is the same one, or another.
  synchronized SegmentNumbers of(LeafReaderContext leaf, VisibleResources visible)
      throws IOException {
    if (numbering.get() != visible.numbering()) {
      numbering = new WeakReference<>(visible.numbering());
      pages = new int[0][];
      kept = 0;
      covered.clear();
    }
    if (last.get() != visible) {
      last = new WeakReference<>(visible);
    }
    IndexReader.CacheHelper segment = leaf.reader().getCoreCacheHelper();
    // Before anything is looked for: names that come meanwhile are looked for the next time.
    int size = visible.size();
    Coverage known = covered.get(segment.getKey());
    if (known == null) {
      if (listening.add(segment.getKey())) {
        segment.addClosedListener(this::forget);
      }
      known = new Coverage(0, new int[leaf.reader().maxDoc()]);
      Arrays.fill(known.numbers, NOTHING);
      scan(leaf.reader(), visible, size, known.numbers);
    } else if (size - known.size > leaf.reader().maxDoc() / FRACTION) {
      scan(leaf.reader(), visible, size, known.numbers);
    } else {
      for (int number = known.size; number < size; number++) {
        look(leaf.reader(), visible.name(number), number, known.numbers);
      }
    }
    covered.put(segment.getKey(), new Coverage(size, known.numbers));
    return new SegmentNumbers(known.numbers, pages);
  }

  /// Looks at new segments for those who searched last, so that the next one need not.
  void prepare(List<LeafReaderContext> leaves) throws IOException {
    VisibleResources visible = last.get();
    if (visible != null) {
      for (LeafReaderContext leaf : leaves) {
        of(leaf, visible);
      }
    }
    shrink(leaves);
  }

  /// How many pages of numbers there are.
  @SuppressWarnings("ReferenceEquality") // The page that nothing is in is told by being that.
  synchronized int pages() {
    return (int) Arrays.stream(pages).filter(page -> page != NONE).count();
  }

  /// Forgets what is gone, if that is likely to be more than what is there.
  ///
  /// @param leaves all that is there; what others are still looking at is looked at again
  private synchronized void shrink(List<LeafReaderContext> leaves) throws IOException {
    long documents = leaves.stream().mapToLong(leaf -> leaf.reader().maxDoc()).sum();
    if (pages() <= spare + 2 * Math.max(kept, documents >> PAGE_SHIFT)) {
      return;
    }
    int[][] fewer = new int[pages.length][];
    Arrays.fill(fewer, NONE);
    Set<IndexReader.CacheKey> there = new HashSet<>();
    for (LeafReaderContext leaf : leaves) {
      there.add(leaf.reader().getCoreCacheHelper().getKey());
      SortedNumericDocValues ordinals =
          DocValues.getSortedNumeric(leaf.reader(), FieldNames.ORDINAL);
      while (ordinals.nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
        for (int i = 0; i < ordinals.docValueCount(); i++) {
          int page = (int) (ordinals.nextValue() >> PAGE_SHIFT);
          if (page < pages.length) {
            fewer[page] = pages[page];
          }
        }
      }
    }
    pages = fewer;
    kept = pages();
    covered.keySet().retainAll(there);
  }

  private synchronized void forget(IndexReader.CacheKey segment) {
    covered.remove(segment);
    listening.remove(segment);
  }

  private static int number(int[][] pages, long ordinal) {
    return pages[(int) (ordinal >> PAGE_SHIFT)][(int) ordinal & (PAGE - 1)];
  }

  private int get(long ordinal) {
    return ordinal >> PAGE_SHIFT < pages.length ? number(pages, ordinal) : UNSEEN;
  }

  @SuppressWarnings("ReferenceEquality") // The page that nothing is in is told by being that.
  private void set(long ordinal, int number) {
    int page = Math.toIntExact(ordinal >> PAGE_SHIFT);
    if (page >= pages.length) {
      int length = pages.length;
      // Whoever searches has the array before, which has all that is in its segments.
      pages = Arrays.copyOf(pages, Math.max(page + 1, length + length / 2));
      Arrays.fill(pages, length, pages.length, NONE);
    }
    if (pages[page] == NONE) {
      pages = pages.clone();
      pages[page] = NONE.clone();
    }
    pages[page][(int) ordinal & (PAGE - 1)] = number;
  }

  /// A resource without a number, as long as there are no more numbers than this.
  private static int without(int size) {
    return UNSEEN - 1 - size;
  }

  /// Whether a number has to be looked for: it was not yet, or not among the newest names.
  private static boolean isDue(int number, int size) {
    return number < 0 && number > without(size);
  }

  private void scan(LeafReader reader, VisibleResources visible, int size, int[] numbers)
      throws IOException {
    SortedNumericDocValues ordinals = DocValues.getSortedNumeric(reader, FieldNames.ORDINAL);
    BinaryDocValues numbered = DocValues.getBinary(reader, FieldNames.NUMBERED);
    SortedDocValues keys = DocValues.getSorted(reader, FieldNames.KEY);
    for (int document = ordinals.nextDoc();
        document != DocIdSetIterator.NO_MORE_DOCS;
        document = ordinals.nextDoc()) {
      long first = ordinals.nextValue();
      if (numbered.advanceExact(document)) {
        ResourceOrdinalCodec.each(
            numbered.binaryValue(),
            (resource, ordinal) -> settle(visible, size, resource, ordinal));
      } else if (isDue(get(first), size) && keys.advanceExact(document)) {
        settle(visible, size, keys.lookupOrd(keys.ordValue()).utf8ToString(), first);
      }
      numbers[document] = ordinals.docValueCount() == 1 ? get(first) : SEVERAL;
    }
  }

  private void settle(VisibleResources visible, int size, String resource, long ordinal) {
    if (isDue(get(ordinal), size)) {
      int number = visible.find(resource);
      set(ordinal, number < 0 ? without(size) : number);
    }
  }

  /// Looks for documents of a resource that has got a number. Deleted ones do no harm.
  private void look(LeafReader reader, String resource, int number, int[] numbers)
      throws IOException {
    for (String field : List.of(FieldNames.RESOURCE, FieldNames.ID)) {
      PostingsEnum documents = reader.postings(new Term(field, resource), PostingsEnum.NONE);
      while (documents != null && documents.nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
        int document = documents.docID();
        Optional<Long> ordinal = DocumentLookup.ordinal(reader, document, resource);
        if (ordinal.isPresent()) {
          set(ordinal.get(), number);
          numbers[document] = numbers[document] == SEVERAL ? SEVERAL : number;
        }
      }
    }
  }
}
