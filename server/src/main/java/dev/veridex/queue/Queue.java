package dev.veridex.queue;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.CityHash64;
import dev.veridex.common.Expiry;
import dev.veridex.common.Instants;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// A sharded log in the store. Elements of a shard are numbered in commit order: whoever sees a
/// number sees everything before it. Numbers have gaps and are never used twice; 0 stands before
/// the first.
///
/// @param name among the queues of the same location
public record Queue(BucketLocation location, String name) {

  /// An element of a shard.
  public record Element(long idx, Instant enqueuedAt, byte[] payload) {}

  /// The shard in which everything with a key lies, in order.
  public static int shard(String key, int shards) {
    return (int) Long.remainderUnsigned(CityHash64.of(key), shards);
  }

  private byte[] prefix(int shard) {
    return location.prefix(RecordKind.QUEUE).string(name).unsigned(shard).toKey();
  }

  /// Where nothing else is counted, and no range is ever removed.
  private byte[] counters() {
    return location.prefix(RecordKind.QUEUE_OFFSET).string(name).toKey();
  }

  private byte[] appendedCounter(int shard) {
    return KeyWriter.after(counters()).unsigned(shard).octet(0).toKey();
  }

  private byte[] removedCounter(int shard) {
    return KeyWriter.after(counters()).unsigned(shard).octet(1).toKey();
  }

  /// The shards to which anything was ever appended, in order.
  public SortedSet<Integer> used(Reader reader) {
    byte[] prefix = counters();
    SortedSet<Integer> used = new TreeSet<>();
    for (Reader.Counter counter : reader.counters(KeyRange.prefix(prefix))) {
      used.add(Math.toIntExact(new KeyReader(counter.key(), prefix.length).unsigned()));
    }
    return used;
  }

  /// The number of the last element of a shard; 0 if there is none.
  public long last(Reader reader, int shard) {
    try (Cursor cursor = reader.scan(KeyRange.prefix(prefix(shard)), Direction.REVERSE)) {
      return cursor.next() ? AppendedRecord.numberOf(cursor.key()) : 0;
    }
  }

  /// Appends an element; its number is known when the transaction is committed.
  public AppendedRecord append(Transaction transaction, int shard, byte[] payload) {
    byte[] value =
        ByteBuffer.allocate(Long.BYTES + payload.length)
            .putLong(Expiry.micros(transaction.now()))
            .put(payload)
            .array();
    transaction.add(appendedCounter(shard), 1);
    return transaction.append(prefix(shard), value);
  }

  /// The elements of a shard that come after a number.
  ///
  /// @param maxBytes of all payloads; the first one may be larger
  public List<Element> read(Reader reader, int shard, long after, int limit, long maxBytes) {
    byte[] prefix = prefix(shard);
    KeyRange range =
        new KeyRange(AppendedRecord.key(prefix, after + 1), KeyRange.prefix(prefix).to());
    List<Element> elements = new ArrayList<>();
    long bytes = 0;
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      while (elements.size() < limit && cursor.next()) {
        byte[] value = cursor.value();
        bytes += value.length;
        if (bytes > maxBytes && !elements.isEmpty()) {
          break;
        }
        elements.add(element(AppendedRecord.numberOf(cursor.key()), value));
      }
    }
    return elements;
  }

  /// The element with a number.
  public Optional<Element> find(Reader reader, int shard, long idx) {
    return reader.get(AppendedRecord.key(prefix(shard), idx)).map(value -> element(idx, value));
  }

  private static Element element(long idx, byte[] value) {
    return new Element(
        idx,
        Expiry.instant(ByteBuffer.wrap(value).getLong()),
        Arrays.copyOfRange(value, Long.BYTES, value.length));
  }

  /// The number of elements ever appended to a shard.
  public long appended(Reader reader, int shard) {
    return reader.counter(appendedCounter(shard));
  }

  /// How many elements of a shard come after a number, up to another.
  public long count(Reader reader, int shard, long after, long upTo) {
    byte[] prefix = prefix(shard);
    KeyRange range =
        KeyRange.between(
            AppendedRecord.key(prefix, after + 1), AppendedRecord.key(prefix, upTo + 1));
    long count = 0;
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }

  /// How many elements of a shard were removed because everybody had read them.
  long removed(Reader reader, int shard) {
    return reader.counter(removedCounter(shard));
  }

  /// Removes one element.
  public void remove(Transaction transaction, int shard, long idx) {
    transaction.delete(AppendedRecord.key(prefix(shard), idx));
  }

  /// The first elements of a shard, without what they say.
  ///
  /// @param idx the number of the last of them
  /// @param last when that one was appended
  /// @param bytes of their payloads
  record Head(int elements, long idx, Instant last, long bytes) {}

  /// The first elements of a shard, up to a number and no later than a time.
  Head head(Reader reader, int shard, long upTo, Instant time, int limit) {
    byte[] prefix = prefix(shard);
    KeyRange range =
        KeyRange.between(AppendedRecord.key(prefix, 1), AppendedRecord.key(prefix, upTo + 1));
    int elements = 0;
    long idx = 0;
    long bytes = 0;
    Instant last = Instant.MIN;
    try (Cursor cursor = reader.scan(range, Direction.FORWARD)) {
      while (elements < limit && cursor.next()) {
        byte[] value = cursor.value();
        Instant since = Expiry.instant(ByteBuffer.wrap(value).getLong());
        if (since.isAfter(time)) {
          break;
        }
        last = Instants.later(since, last);
        elements++;
        idx = AppendedRecord.numberOf(cursor.key());
        bytes += value.length - Long.BYTES;
      }
    }
    return new Head(elements, idx, last, bytes);
  }

  /// Removes the first elements of a shard, by range.
  void remove(Transaction transaction, int shard, Head head) {
    byte[] prefix = prefix(shard);
    transaction.add(removedCounter(shard), head.elements);
    transaction.deleteRange(
        KeyRange.between(AppendedRecord.key(prefix, 1), AppendedRecord.key(prefix, head.idx + 1)));
  }
}
