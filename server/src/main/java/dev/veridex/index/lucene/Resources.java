package dev.veridex.index.lucene;

import dev.veridex.index.Visible;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SortedDocValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.BytesRef;

/// The numbers that the resources of an index have for those who know of rights, by ordinal. They
/// are found out segment by segment, when a segment is first searched, and stay known when segments
/// are merged.
final class Resources {
  private static final int PAGE_SHIFT = 12;
  private static final int PAGE = 1 << PAGE_SHIFT;
  private static final int UNSEEN = -1;

  /// Ordinals are not given out twice, so that whole pages may belong to what is long gone.
  private static final int[] NONE = none();

  /// Where so many names are new in comparison with a segment's documents, its documents are looked
  /// at again instead of looking for each name.
  private static final int FRACTION = 8;

  private WeakReference<Object> numbering = new WeakReference<>(new Object());
  private WeakReference<Visible> last = new WeakReference<>(null);
  private int[][] pages = new int[0][];

  /// For how many numbers a segment's documents were looked at.
  private final Map<IndexReader.CacheKey, Integer> covered = new HashMap<>();

  private final Set<IndexReader.CacheKey> listening = new HashSet<>();

  private static int[] none() {
    int[] page = new int[PAGE];
    Arrays.fill(page, UNSEEN);
    return page;
  }

  /// The numbers of all resources of a segment, by ordinal: some page's place, then the place in
  /// it.
  @SuppressWarnings("ReferenceEquality") // A numbering is the same one, or another.
  synchronized int[][] of(LeafReaderContext leaf, Visible visible) throws IOException {
    if (numbering.get() != visible.numbering()) {
      numbering = new WeakReference<>(visible.numbering());
      pages = new int[0][];
      covered.clear();
    }
    if (last.get() != visible) {
      last = new WeakReference<>(visible);
    }
    IndexReader.CacheHelper segment = leaf.reader().getCoreCacheHelper();
    // Before anything is looked for: names that come meanwhile are looked for the next time.
    int size = visible.size();
    Integer until = covered.get(segment.getKey());
    if (until == null) {
      if (listening.add(segment.getKey())) {
        segment.addClosedListener(this::forget);
      }
      scan(leaf.reader(), visible, size);
    } else if (until < size) {
      if ((size - until) > leaf.reader().maxDoc() / FRACTION) {
        scan(leaf.reader(), visible, size);
      } else {
        for (int number = until; number < size; number++) {
          look(leaf.reader(), visible.name(number), number);
        }
      }
    }
    covered.put(segment.getKey(), size);
    return pages;
  }

  /// Looks at new segments for those who searched last, so that the next one need not.
  void prepare(List<LeafReaderContext> leaves) throws IOException {
    Visible visible = last.get();
    if (visible != null) {
      for (LeafReaderContext leaf : leaves) {
        of(leaf, visible);
      }
    }
  }

  private synchronized void forget(IndexReader.CacheKey segment) {
    covered.remove(segment);
    listening.remove(segment);
  }

  static int number(int[][] pages, long ordinal) {
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

  private void scan(LeafReader reader, Visible visible, int size) throws IOException {
    SortedNumericDocValues ordinals = DocValues.getSortedNumeric(reader, Names.ORDINAL);
    BinaryDocValues numbered = DocValues.getBinary(reader, Names.NUMBERED);
    SortedDocValues keys = DocValues.getSorted(reader, Names.KEY);
    for (int document = ordinals.nextDoc();
        document != DocIdSetIterator.NO_MORE_DOCS;
        document = ordinals.nextDoc()) {
      if (numbered.advanceExact(document)) {
        Numbered.each(
            numbered.binaryValue(),
            (resource, ordinal) -> settle(visible, size, resource, ordinal));
        continue;
      }
      long ordinal = ordinals.nextValue();
      if (isDue(get(ordinal), size) && keys.advanceExact(document)) {
        settle(visible, size, keys.lookupOrd(keys.ordValue()).utf8ToString(), ordinal);
      }
    }
  }

  private void settle(Visible visible, int size, String resource, long ordinal) {
    if (isDue(get(ordinal), size)) {
      int number = visible.find(resource);
      set(ordinal, number < 0 ? without(size) : number);
    }
  }

  /// Looks for documents of a resource that has got a number. Deleted ones do no harm.
  private void look(LeafReader reader, String resource, int number) throws IOException {
    BytesRef name = new BytesRef(resource);
    look(reader, Names.RESOURCE, name, resource, number);
    look(reader, Names.ID, name, resource, number);
  }

  private void look(LeafReader reader, String field, BytesRef name, String resource, int number)
      throws IOException {
    Terms terms = reader.terms(field);
    if (terms == null) {
      return;
    }
    TermsEnum each = terms.iterator();
    if (!each.seekExact(name)) {
      return;
    }
    PostingsEnum documents = each.postings(null, PostingsEnum.NONE);
    for (int document = documents.nextDoc();
        document != DocIdSetIterator.NO_MORE_DOCS;
        document = documents.nextDoc()) {
      Lookup.ordinal(reader, document, resource).ifPresent(ordinal -> set(ordinal, number));
    }
  }
}
