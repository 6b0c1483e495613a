package dev.veridex.access.compiled;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Sorts the resources of an index into classes, state by state: only what differs from the last
/// state is looked at again.
public final class Classes {
  private static final @Nullable Entry[] EMPTY_PAGE = new Entry[Compiled.PAGE];

  /// Numbers are not used again; when so many more were given than at first, all are given anew.
  private static final int MANY = 100_000;

  private final Map<Shape, Integer> numbers = new HashMap<>();
  private @Nullable Entry[] shapes = new Entry[16];
  private int size = 1;
  private int first = 1;
  private @Nullable Classified last;

  /// In which groups something is, and how.
  private static final class Shape {
    private final RecordSet memberships;
    private final int hash;

    private Shape(RecordSet memberships) {
      this.memberships = memberships;
      int[] sum = {memberships.size()};
      memberships.forEach(
          record -> sum[0] = 31 * sum[0] + Long.hashCode(record * 0x9E3779B97F4A7C15L));
      this.hash = sum[0];
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(@Nullable Object object) {
      return object instanceof Shape other
          && hash == other.hash
          && memberships.sameAs(other.memberships);
    }
  }

  /// The classes of a state.
  public synchronized Classified of(Compiled index) {
    Classified before = last;
    if (before != null && before.index() == index) {
      return before;
    }
    boolean anew =
        before == null
            || before.index().dictionary() != index.dictionary()
            || size > MANY + 2 * first;
    if (anew) {
      numbers.clear();
      shapes = new Entry[16];
      size = 1;
    }
    Classified next =
        anew || before == null
            ? new Sorting(new Entry[0][], new int[0][], Ids.upTo(index.bound())).to(index)
            : new Sorting(
                    before.index().pages(), before.classes(), before.involved().copy(index.bound()))
                .to(index);
    if (anew) {
      first = size;
    }
    last = next;
    return next;
  }

  /// About how much memory it takes.
  synchronized long bytes() {
    return last == null ? 0 : last.bytes();
  }

  /// Makes the classes of one state out of those of another: copies the pages that it touches, each
  /// once.
  private final class Sorting {
    private final @Nullable Entry[][] before;
    private final int[][] classes;
    private final Ids involved;

    private Sorting(@Nullable Entry[][] before, int[][] classes, Ids involved) {
      this.before = before;
      this.classes = classes;
      this.involved = involved;
    }

    @SuppressWarnings("ReferenceEquality") // Pages that are not the same one have changed.
    private Classified to(Compiled index) {
      @Nullable Entry[][] after = index.pages();
      int[][] sorted = Arrays.copyOf(classes, after.length);
      for (int i = 0; i < after.length; i++) {
        @Nullable Entry[] old = i < before.length ? before[i] : EMPTY_PAGE;
        if (old != after[i]) {
          sorted[i] = i < classes.length ? classes[i].clone() : new int[Compiled.PAGE];
          sort(old, after[i], sorted[i], i << Compiled.PAGE_SHIFT);
        }
      }
      return new Classified(index, sorted, shapes, involved, size);
    }

    @SuppressWarnings("ReferenceEquality") // So have entries.
    private void sort(@Nullable Entry[] old, @Nullable Entry[] after, int[] sorted, int first) {
      for (int i = 0; i < after.length; i++) {
        Entry entry = after[i];
        if (old[i] != entry) {
          sorted[i] = of(entry);
          involved.set(first + i, sorted[i] == Classified.OWN && entry != null && !entry.isLone());
        }
      }
    }
  }

  private int of(@Nullable Entry entry) {
    if (entry == null) {
      return Classified.NOTHING;
    }
    if (entry.isOwnClass()) {
      return Classified.OWN;
    }
    if (entry.memberships().isEmpty()) {
      return Classified.NOTHING;
    }
    long only = entry.onlyMembership();
    if (only != Packed.NONE
        && Packed.marker(only) != Packed.EXCLUSIVE
        && Packed.edge(only) == CompiledCheck.ALL) {
      return Classified.in(Packed.id(only));
    }
    return numbers.computeIfAbsent(new Shape(entry.memberships()), _ -> add(entry));
  }

  private int add(Entry entry) {
    if (size == shapes.length) {
      shapes = Arrays.copyOf(shapes, 2 * size);
    }
    shapes[size] = entry;
    return size++;
  }
}
