package dev.veridex.access.visibility;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.IdRecords;
import dev.veridex.access.compiled.IdSet;
import dev.veridex.access.compiled.PackedRecord;
import dev.veridex.access.compiled.RecordSet;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Sorts the resources of an index into classes, state by state: only what differs from the last
/// state is looked at again.
public final class ResourceClassifier {
  private static final @Nullable IdRecords[] EMPTY_PAGE = new IdRecords[CompiledIndex.PAGE];

  /// Numbers are not used again; when so many more were given than at first, all are given anew.
  private static final int MANY = 100_000;

  private final Map<Shape, Integer> numbers = new HashMap<>();
  private @Nullable IdRecords[] shapes = new IdRecords[16];
  private int size = 1;
  private int first = 1;
  private @Nullable ResourceClasses last;

  /// The memberships that define a shared resource class.
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
  public synchronized ResourceClasses of(CompiledIndex index) {
    ResourceClasses before = last;
    if (before != null && before.index() == index) {
      return before;
    }
    boolean anew =
        before == null
            || before.index().dictionary() != index.dictionary()
            || size > MANY + 2 * first;
    if (anew) {
      numbers.clear();
      shapes = new IdRecords[16];
      size = 1;
    }
    ResourceClasses next =
        anew || before == null
            ? new ClassEdit(new IdRecords[0][], new int[0][], IdSet.upTo(index.bound())).to(index)
            : new ClassEdit(
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
  private final class ClassEdit {
    private final @Nullable IdRecords[][] before;
    private final int[][] classes;
    private final IdSet involved;

    private ClassEdit(@Nullable IdRecords[][] before, int[][] classes, IdSet involved) {
      this.before = before;
      this.classes = classes;
      this.involved = involved;
    }

    @SuppressWarnings("ReferenceEquality") // Pages that are not the same one have changed.
    private ResourceClasses to(CompiledIndex index) {
      @Nullable IdRecords[][] after = index.pages();
      int[][] sorted = Arrays.copyOf(classes, after.length);
      for (int i = 0; i < after.length; i++) {
        @Nullable IdRecords[] old = i < before.length ? before[i] : EMPTY_PAGE;
        if (old != after[i]) {
          sorted[i] = i < classes.length ? classes[i].clone() : new int[CompiledIndex.PAGE];
          sort(old, after[i], sorted[i], i << CompiledIndex.PAGE_SHIFT);
        }
      }
      return new ResourceClasses(index, sorted, shapes, involved, size);
    }

    @SuppressWarnings("ReferenceEquality") // So have entries.
    private void sort(
        @Nullable IdRecords[] old, @Nullable IdRecords[] after, int[] sorted, int first) {
      for (int i = 0; i < after.length; i++) {
        IdRecords entry = after[i];
        if (old[i] != entry) {
          sorted[i] = of(entry);
          involved.set(
              first + i, sorted[i] == ResourceClasses.OWN && entry != null && !entry.isLone());
        }
      }
    }
  }

  private int of(@Nullable IdRecords entry) {
    if (entry == null) {
      return ResourceClasses.NOTHING;
    }
    if (entry.isOwnClass()) {
      return ResourceClasses.OWN;
    }
    if (entry.memberships().isEmpty()) {
      return ResourceClasses.NOTHING;
    }
    long only = entry.onlyMembership();
    if (only != PackedRecord.NONE && PackedRecord.reach(only) == CompiledCheck.ALL) {
      return ResourceClasses.in(PackedRecord.id(only));
    }
    return numbers.computeIfAbsent(new Shape(entry.memberships()), _ -> add(entry));
  }

  private int add(IdRecords entry) {
    if (size == shapes.length) {
      shapes = Arrays.copyOf(shapes, 2 * size);
    }
    shapes[size] = entry;
    return size++;
  }
}
