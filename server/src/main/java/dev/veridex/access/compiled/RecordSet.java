package dev.veridex.access.compiled;

import java.util.Arrays;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// Records that name different ids, by id. It never changes: a change makes another one, which
/// shares with it all but a few hundred records.
public sealed interface RecordSet {
  /// So many stand in one array.
  int CHUNK = 256;

  int size();

  /// The record of an id, or [PackedRecord#NONE].
  long find(int id);

  /// The same with a record instead of the one that names the same id.
  RecordSet with(long record);

  RecordSet without(int id);

  /// Rights that any of its records closes to others.
  int closed();

  /// Whether any of its records takes rights away from anybody.
  boolean restricts();

  void forEach(LongConsumer visitor);

  /// Whether any record is such a one; looks no further than the first.
  default boolean any(LongPredicate wanted) {
    return switch (this) {
      case One(long record) -> wanted.test(record);
      case Some(long[] few) -> LongStream.of(few).anyMatch(wanted);
      case Many many ->
          Stream.of(many.arrays()).anyMatch(some -> LongStream.of(some).anyMatch(wanted));
    };
  }

  /// About how much memory it takes.
  long bytes();

  default boolean isEmpty() {
    return size() == 0;
  }

  /// Whether another one has the same records.
  default boolean sameAs(RecordSet other) {
    if (size() != other.size()) {
      return false;
    }
    boolean[] same = {true};
    forEach(record -> same[0] &= other.find(PackedRecord.id(record)) == record);
    return same[0];
  }

  /// A set of one record: most sets are no larger, and each object less on the way is one cache
  /// miss less.
  record One(long record) implements RecordSet {
    @Override
    public int size() {
      return 1;
    }

    @Override
    public long find(int id) {
      return PackedRecord.id(record) == id ? record : PackedRecord.NONE;
    }

    @Override
    public RecordSet with(long other) {
      if (PackedRecord.id(other) == PackedRecord.id(record)) {
        return new One(other);
      }
      return new Some(other < record ? new long[] {other, record} : new long[] {record, other});
    }

    @Override
    public RecordSet without(int id) {
      return PackedRecord.id(record) == id ? Some.NONE : this;
    }

    @Override
    public int closed() {
      return PackedRecord.closed(record);
    }

    @Override
    public boolean restricts() {
      return PackedRecord.restricts(record);
    }

    @Override
    public void forEach(LongConsumer visitor) {
      visitor.accept(record);
    }

    @Override
    public long bytes() {
      return 24;
    }
  }

  /// Few records, in one array.
  record Some(long[] records) implements RecordSet {
    /// No records.
    static final RecordSet NONE = new Some(new long[0]);

    @Override
    public int size() {
      return records.length;
    }

    @Override
    public long find(int id) {
      int position = position(records, id);
      return has(records, position, id) ? records[position] : PackedRecord.NONE;
    }

    @Override
    public RecordSet with(long record) {
      if (records.length == 0) {
        return new One(record);
      }
      long[] more = Chunks.with(records, record);
      if (more.length <= CHUNK) {
        return new Some(more);
      }
      int half = more.length / 2;
      return Many.of(
          new long[][] {Arrays.copyOf(more, half), Arrays.copyOfRange(more, half, more.length)},
          more.length);
    }

    @Override
    public RecordSet without(int id) {
      int position = position(records, id);
      if (!has(records, position, id)) {
        return this;
      }
      long[] fewer = Chunks.without(records, position);
      return fewer.length == 1 ? new One(fewer[0]) : new Some(fewer);
    }

    @Override
    public int closed() {
      return Chunks.closed(records);
    }

    @Override
    public boolean restricts() {
      return Chunks.restricts(records);
    }

    @Override
    public void forEach(LongConsumer visitor) {
      for (long record : records) {
        visitor.accept(record);
      }
    }

    @Override
    public long bytes() {
      return records.length == 0 ? 0 : 32 + 8L * records.length;
    }
  }

  /// Many records, in arrays none of which is empty.
  ///
  /// @param restricting how many of them restrict
  record Many(long[][] arrays, int size, int closed, int restricting) implements RecordSet {
    static Many of(long[][] arrays, int size) {
      int closed = 0;
      int restricting = 0;
      for (long[] array : arrays) {
        closed |= Chunks.closed(array);
        for (long record : array) {
          restricting += PackedRecord.restricts(record) ? 1 : 0;
        }
      }
      return new Many(arrays, size, closed, restricting);
    }

    @Override
    public long find(int id) {
      long[] array = arrays[arrayOf(id)];
      int position = position(array, id);
      return has(array, position, id) ? array[position] : PackedRecord.NONE;
    }

    /// The last array that begins at or before an id.
    private int arrayOf(int id) {
      int low = 0;
      int high = arrays.length - 1;
      while (low < high) {
        int middle = (low + high + 1) >>> 1;
        if (PackedRecord.id(arrays[middle][0]) <= id) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      return low;
    }

    @Override
    public RecordSet with(long record) {
      int index = arrayOf(PackedRecord.id(record));
      long before = find(PackedRecord.id(record));
      long[] array = Chunks.with(arrays[index], record);
      long[][] changed;
      if (array.length <= CHUNK) {
        changed = arrays.clone();
        changed[index] = array;
      } else {
        changed = new long[arrays.length + 1][];
        System.arraycopy(arrays, 0, changed, 0, index);
        System.arraycopy(arrays, index + 1, changed, index + 2, arrays.length - index - 1);
        int half = array.length / 2;
        changed[index] = Arrays.copyOf(array, half);
        changed[index + 1] = Arrays.copyOfRange(array, half, array.length);
      }
      int restricts = restricting + (PackedRecord.restricts(record) ? 1 : 0);
      if (before == PackedRecord.NONE) {
        return new Many(changed, size + 1, closed | PackedRecord.closed(record), restricts);
      }
      return replaced(changed, size, before, restricts, closed | PackedRecord.closed(record));
    }

    @Override
    public RecordSet without(int id) {
      int index = arrayOf(id);
      int position = position(arrays[index], id);
      if (!has(arrays[index], position, id)) {
        return this;
      }
      long before = arrays[index][position];
      long[][] changed;
      if (arrays[index].length > 1) {
        changed = arrays.clone();
        changed[index] = Chunks.without(arrays[index], position);
      } else {
        changed = new long[arrays.length - 1][];
        System.arraycopy(arrays, 0, changed, 0, index);
        System.arraycopy(arrays, index + 1, changed, index, arrays.length - index - 1);
      }
      return size - 1 > CHUNK / 2
          ? replaced(changed, size - 1, before, restricting, closed)
          : new Some(Chunks.joined(changed, size - 1));
    }

    /// The same set, from which a record went that may have closed something.
    private static Many replaced(
        long[][] changed, int size, long before, int restricting, int closed) {
      return PackedRecord.closed(before) == 0
          ? new Many(changed, size, closed, restricting - (PackedRecord.restricts(before) ? 1 : 0))
          : of(changed, size);
    }

    @Override
    public boolean restricts() {
      return restricting > 0;
    }

    @Override
    public void forEach(LongConsumer visitor) {
      for (long[] array : arrays) {
        for (long record : array) {
          visitor.accept(record);
        }
      }
    }

    @Override
    public long bytes() {
      return 48 + 24L * arrays.length + 8L * size;
    }
  }

  /// Where the record of an id is or would be.
  private static int position(long[] records, int id) {
    long first = PackedRecord.first(id);
    int low = 0;
    int high = records.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (records[middle] < first) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static boolean has(long[] records, int position, int id) {
    return position < records.length && PackedRecord.id(records[position]) == id;
  }

  /// Arrays of records, changed by being copied.
  final class Chunks {
    private Chunks() {}

    static long[] with(long[] records, long record) {
      int position = position(records, PackedRecord.id(record));
      if (has(records, position, PackedRecord.id(record))) {
        long[] changed = records.clone();
        changed[position] = record;
        return changed;
      }
      long[] more = new long[records.length + 1];
      System.arraycopy(records, 0, more, 0, position);
      more[position] = record;
      System.arraycopy(records, position, more, position + 1, records.length - position);
      return more;
    }

    static long[] without(long[] records, int position) {
      long[] fewer = new long[records.length - 1];
      System.arraycopy(records, 0, fewer, 0, position);
      System.arraycopy(records, position + 1, fewer, position, fewer.length - position);
      return fewer;
    }

    static long[] joined(long[][] arrays, int size) {
      long[] all = new long[size];
      int end = 0;
      for (long[] array : arrays) {
        System.arraycopy(array, 0, all, end, array.length);
        end += array.length;
      }
      return all;
    }

    static int closed(long[] records) {
      int closed = 0;
      for (long record : records) {
        closed |= PackedRecord.closed(record);
      }
      return closed;
    }

    static boolean restricts(long[] records) {
      for (long record : records) {
        if (PackedRecord.restricts(record)) {
          return true;
        }
      }
      return false;
    }
  }
}
