package dev.veridex.store.optimistic;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.KeyRange;
import dev.veridex.store.StoreException;
import dev.veridex.store.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The write set of a transaction: first its range deletions, then one write a key, then its
/// appends.
///
/// A range deletion forgets the earlier writes of keys that it covers, so that for them this order
/// gives the same result as the order in which the writes were made.
public final class WriteSet {
  /// The write of one key.
  public sealed interface Write {
    /// The key will hold this record.
    ///
    /// @param expiresAt in microseconds, [Expiry#NEVER] for a permanent record
    record Put(byte[] value, long expiresAt) implements Write {}

    /// The key will hold nothing.
    record Delete() implements Write {}
  }

  /// An element whose key is only known at commit.
  public record Append(AppendedRecord handle, Write.Put write) {}

  private static final Write DELETE = new Write.Delete();

  private final NavigableMap<byte[], Write> records = new TreeMap<>(Arrays::compareUnsigned);
  private final NavigableMap<byte[], Long> additions = new TreeMap<>(Arrays::compareUnsigned);
  private final List<KeyRange> deletedRanges = new ArrayList<>();
  private final List<Append> appends = new ArrayList<>();
  private long bytes;

  public NavigableMap<byte[], Write> records() {
    return Collections.unmodifiableNavigableMap(records);
  }

  public NavigableMap<byte[], Long> additions() {
    return Collections.unmodifiableNavigableMap(additions);
  }

  public List<KeyRange> deletedRanges() {
    return Collections.unmodifiableList(deletedRanges);
  }

  public List<Append> appends() {
    return Collections.unmodifiableList(appends);
  }

  /// The size of the keys and values in it.
  public long bytes() {
    return bytes;
  }

  public boolean isEmpty() {
    return records.isEmpty() && additions.isEmpty() && deletedRanges.isEmpty() && appends.isEmpty();
  }

  void put(byte[] key, byte[] value, long expiresAt) {
    checkKey(key, 0);
    checkValue(value);
    grow((long) key.length + value.length);
    records.put(key, new Write.Put(value, expiresAt));
  }

  void delete(byte[] key) {
    checkKey(key, 0);
    grow(key.length);
    records.put(key, DELETE);
  }

  void deleteRange(KeyRange range) {
    if (range.isEmpty()) {
      return;
    }
    int to = range.to().map(bound -> bound.length).orElse(0);
    if (Math.max(range.from().length, to) > Transaction.MAX_KEY_BYTES + 1) {
      throw new StoreException(
          Problem.of(ErrorCode.INVALID_KEY, "a bound of a range has at most 8193 bytes")
              .with("bytes", Math.max(range.from().length, to)));
    }
    grow(range.from().length + to);
    covered(records, range).clear();
    covered(additions, range).clear();
    deletedRanges.add(range);
  }

  AppendedRecord append(byte[] prefix, byte[] value, long expiresAt) {
    checkKey(prefix, Long.BYTES);
    checkValue(value);
    if (appends.size() == Transaction.MAX_APPENDS) {
      throw StoreException.of(
          ErrorCode.TRANSACTION_TOO_LARGE, "a transaction appends at most 65536 elements");
    }
    grow((long) prefix.length + Long.BYTES + value.length);
    AppendedRecord handle = new AppendedRecord(prefix, appends.size());
    appends.add(new Append(handle, new Write.Put(value, expiresAt)));
    return handle;
  }

  void add(byte[] key, long delta) {
    checkKey(key, 0);
    grow(key.length + Long.BYTES);
    additions.merge(key, delta, Long::sum);
  }

  @Nullable Write of(byte[] key) {
    return records.get(key);
  }

  boolean isRangeDeleted(byte[] key) {
    // Few transactions delete ranges, and those few delete few.
    for (KeyRange range : deletedRanges) {
      if (range.contains(key)) {
        return true;
      }
    }
    return false;
  }

  static <V> NavigableMap<byte[], V> covered(NavigableMap<byte[], V> map, KeyRange range) {
    if (range.isEmpty()) {
      return Collections.emptyNavigableMap();
    }
    return range
        .to()
        .map(to -> map.subMap(range.from(), true, to, false))
        .orElseGet(() -> map.tailMap(range.from(), true));
  }

  private static void checkKey(byte[] key, int more) {
    if (key.length == 0) {
      throw StoreException.of(ErrorCode.INVALID_KEY, "a key is not empty");
    }
    if (key.length + more > Transaction.MAX_KEY_BYTES) {
      throw new StoreException(
          Problem.of(ErrorCode.INVALID_KEY, "a key has at most 8192 bytes")
              .with("bytes", key.length + more));
    }
  }

  private static void checkValue(byte[] value) {
    if (value.length > Transaction.MAX_VALUE_BYTES) {
      throw new StoreException(
          Problem.of(ErrorCode.VALUE_TOO_LARGE, "a value has at most 64 MiB")
              .with("bytes", value.length));
    }
  }

  private void grow(long more) {
    bytes += more;
    if (bytes > Transaction.MAX_TRANSACTION_BYTES) {
      throw StoreException.of(
          ErrorCode.TRANSACTION_TOO_LARGE, "a transaction writes at most 384 MiB");
    }
  }
}
