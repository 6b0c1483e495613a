package dev.veridex.access.compiled;

import java.util.Arrays;

/// Rights on ids, each with its end. It never changes: a change makes another one, which shares
/// with it all but a few hundred entries.
///
/// A right on an id is an entry of its own: two approvals of one subject on one resource may end at
/// different times.
public sealed interface TimedRights {
  /// How many rights an id can have, one bit of a slot's number each.
  int RIGHTS = 4;

  /// How many entries there are, those that have ended among them.
  int size();

  /// The end of a slot in microseconds; 0 if it has no entry.
  long end(int slot);

  /// The same with another end of a slot.
  ///
  /// @param end 0 if the entry goes
  TimedRights with(int slot, long end);

  /// Whether any right has not ended.
  boolean isLive(long now);

  /// Visits all entries, by slot.
  void forEach(Visitor visitor);

  /// About how much memory it takes.
  long bytes();

  /// Sees entries.
  @FunctionalInterface
  interface Visitor {
    /// Sees one.
    void visit(int slot, long end);
  }

  /// The entry of a right on an id.
  ///
  /// @param right its position
  static int slot(int id, int right) {
    return id * RIGHTS + right;
  }

  /// The id of a slot.
  static int id(int slot) {
    return slot / RIGHTS;
  }

  /// The right of a slot, as a bit.
  static int right(int slot) {
    return 1 << slot % RIGHTS;
  }

  /// The rights on an id that have not ended.
  int rights(int id, long now);

  /// A single entry: most subjects with approvals have few.
  record One(int slot, long end) implements TimedRights {
    @Override
    public int size() {
      return 1;
    }

    @Override
    public long end(int other) {
      return slot == other ? end : 0;
    }

    @Override
    public int rights(int id, long now) {
      return TimedRights.id(slot) == id && end > now ? TimedRights.right(slot) : 0;
    }

    @Override
    public boolean isLive(long now) {
      return end > now;
    }

    @Override
    public TimedRights with(int other, long newEnd) {
      if (other == slot) {
        return newEnd == 0 ? Many.NONE : new One(slot, newEnd);
      }
      return newEnd == 0
          ? this
          : new Many(new int[][] {{slot}}, new long[][] {{end}}, 1).with(other, newEnd);
    }

    @Override
    public void forEach(Visitor visitor) {
      visitor.visit(slot, end);
    }

    @Override
    public long bytes() {
      return 24;
    }
  }

  /// Many entries, in arrays none of which is empty.
  record Many(int[][] slots, long[][] ends, int size) implements TimedRights {
    /// No entries.
    static final TimedRights NONE = new Many(new int[0][], new long[0][], 0);

    /// So many stand in one array.
    private static final int CHUNK = 256;

    @Override
    public long end(int slot) {
      if (size == 0) {
        return 0;
      }
      int chunk = chunkOf(slot);
      int position = Arrays.binarySearch(slots[chunk], slot);
      return position < 0 ? 0 : ends[chunk][position];
    }

    @Override
    public int rights(int id, long now) {
      int first = slot(id, 0);
      int rights = 0;
      int chunk = size == 0 ? slots.length : chunkOf(first);
      int position = size == 0 ? 0 : Arrays.binarySearch(slots[chunk], first);
      position = position < 0 ? -position - 1 : position;
      // Those of one id may stand in two arrays.
      for (; chunk < slots.length; chunk++) {
        for (; position < slots[chunk].length; position++) {
          int slot = slots[chunk][position];
          if (slot >= first + RIGHTS) {
            return rights;
          }
          rights |= ends[chunk][position] > now ? right(slot) : 0;
        }
        position = 0;
      }
      return rights;
    }

    @Override
    public boolean isLive(long now) {
      for (long[] some : ends) {
        for (long end : some) {
          if (end > now) {
            return true;
          }
        }
      }
      return false;
    }

    /// The last array that begins at or before a slot.
    private int chunkOf(int slot) {
      int low = 0;
      int high = slots.length - 1;
      while (low < high) {
        int middle = (low + high + 1) >>> 1;
        if (slots[middle][0] <= slot) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      return low;
    }

    @Override
    public TimedRights with(int slot, long end) {
      if (size == 0) {
        return end == 0 ? this : new One(slot, end);
      }
      int chunk = chunkOf(slot);
      int position = Arrays.binarySearch(slots[chunk], slot);
      if (position >= 0) {
        return end == 0 ? without(chunk, position) : replaced(chunk, position, end);
      }
      return end == 0 ? this : inserted(chunk, -position - 1, slot, end);
    }

    private Many replaced(int chunk, int position, long end) {
      long[][] changed = ends.clone();
      changed[chunk] = ends[chunk].clone();
      changed[chunk][position] = end;
      return new Many(slots, changed, size);
    }

    private TimedRights without(int chunk, int position) {
      if (size == 2) {
        boolean first = chunk == 0 && position == 0;
        int last = slots.length - 1;
        return first
            ? new One(slots[last][slots[last].length - 1], ends[last][ends[last].length - 1])
            : new One(slots[0][0], ends[0][0]);
      }
      int length = slots[chunk].length;
      if (length == 1) {
        return new Many(removed(slots, chunk), removed(ends, chunk), size - 1);
      }
      int[] fewer = Arrays.copyOf(slots[chunk], length - 1);
      System.arraycopy(slots[chunk], position + 1, fewer, position, length - position - 1);
      long[] fewerEnds = Arrays.copyOf(ends[chunk], length - 1);
      System.arraycopy(ends[chunk], position + 1, fewerEnds, position, length - position - 1);
      return with(chunk, fewer, fewerEnds, size - 1);
    }

    private static <T> T[] removed(T[] chunks, int chunk) {
      T[] fewer = Arrays.copyOf(chunks, chunks.length - 1);
      System.arraycopy(chunks, chunk + 1, fewer, chunk, fewer.length - chunk);
      return fewer;
    }

    private Many inserted(int chunk, int position, int slot, long end) {
      int length = slots[chunk].length;
      int[] more = Arrays.copyOf(slots[chunk], length + 1);
      System.arraycopy(slots[chunk], position, more, position + 1, length - position);
      more[position] = slot;
      long[] moreEnds = Arrays.copyOf(ends[chunk], length + 1);
      System.arraycopy(ends[chunk], position, moreEnds, position + 1, length - position);
      moreEnds[position] = end;
      if (length < CHUNK) {
        return with(chunk, more, moreEnds, size + 1);
      }
      // In the order of their slots they come at the end: what is full stays so.
      int half = position == length && chunk == slots.length - 1 ? length : length / 2;
      int[][] changed = room(slots, chunk);
      changed[chunk] = Arrays.copyOf(more, half);
      changed[chunk + 1] = Arrays.copyOfRange(more, half, more.length);
      long[][] changedEnds = room(ends, chunk);
      changedEnds[chunk] = Arrays.copyOf(moreEnds, half);
      changedEnds[chunk + 1] = Arrays.copyOfRange(moreEnds, half, moreEnds.length);
      return new Many(changed, changedEnds, size + 1);
    }

    private static <T> T[] room(T[] chunks, int chunk) {
      T[] more = Arrays.copyOf(chunks, chunks.length + 1);
      System.arraycopy(chunks, chunk, more, chunk + 1, chunks.length - chunk);
      return more;
    }

    private Many with(int chunk, int[] some, long[] someEnds, int newSize) {
      int[][] changed = slots.clone();
      changed[chunk] = some;
      long[][] changedEnds = ends.clone();
      changedEnds[chunk] = someEnds;
      return new Many(changed, changedEnds, newSize);
    }

    @Override
    public void forEach(Visitor visitor) {
      for (int chunk = 0; chunk < slots.length; chunk++) {
        for (int i = 0; i < slots[chunk].length; i++) {
          visitor.visit(slots[chunk][i], ends[chunk][i]);
        }
      }
    }

    @Override
    public long bytes() {
      return size == 0 ? 0 : 72 + 48L * slots.length + 12L * size;
    }
  }
}
