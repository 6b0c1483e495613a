package dev.veridex.topic.local;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.IndexGeneration;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.Entry;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.topic.Topics;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/// Topics as logs in the store.
public final class LocalTopics implements Topics {
  private static final int PRODUCER = 1;
  private static final int GROUP = 2;
  private static final int TRIMMED_AT_ONCE = 10_000;

  private final Store store;
  private final Duration retention;
  private final BiPredicate<Reader, BucketLocation> isThere;

  /// @param retention how long messages are kept
  /// @param isThere whether there is anything in a location: in one that was cleaned up, nothing
  ///   may be left
  public LocalTopics(Store store, Duration retention, BiPredicate<Reader, BucketLocation> isThere) {
    this.store = store;
    this.retention = retention;
    this.isThere = isThere;
  }

  @Override
  public void append(
      IndexGeneration topic, int partition, Producer producer, List<Outgoing> messages) {
    byte[] prefix = prefix(topic, partition);
    byte[] sentKey = position(topic, partition, PRODUCER, producer.id());
    byte[] sent =
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(producer.session())
            .putLong(producer.sequence())
            .array();
    store.transact(
        transaction -> {
          boolean twice =
              transaction
                  .get(sentKey)
                  .map(ByteBuffer::wrap)
                  .filter(
                      last ->
                          last.getLong() == producer.session()
                              && last.getLong() >= producer.sequence())
                  .isPresent();
          if (!twice && isThere.test(transaction, topic.location())) {
            for (Outgoing message : messages) {
              byte[] key = new KeyWriter().string(message.key()).toKey();
              transaction.append(
                  prefix,
                  ByteBuffer.allocate(key.length + message.value().length)
                      .put(key)
                      .put(message.value())
                      .array(),
                  transaction.now().plus(retention));
            }
            transaction.put(sentKey, sent);
          }
          return twice;
        });
  }

  @Override
  public List<Message> read(
      IndexGeneration topic, int partition, long after, int limit, long maxBytes) {
    byte[] prefix = prefix(topic, partition);
    KeyRange range =
        new KeyRange(AppendedRecord.key(prefix, after + 1), KeyRange.prefix(prefix).to());
    List<Message> messages = new ArrayList<>();
    long bytes = 0;
    try (Snapshot snapshot = store.snapshot();
        Cursor cursor = snapshot.scan(range, Direction.FORWARD)) {
      while (messages.size() < limit && cursor.next()) {
        byte[] value = cursor.value();
        bytes += value.length;
        if (bytes > maxBytes && !messages.isEmpty()) {
          break;
        }
        KeyReader key = new KeyReader(value);
        String name = key.string();
        messages.add(new Message(AppendedRecord.numberOf(cursor.key()), name, key.rest()));
      }
    }
    return messages;
  }

  @Override
  public long last(IndexGeneration topic, int partition) {
    KeyRange all = KeyRange.prefix(prefix(topic, partition));
    try (Snapshot snapshot = store.snapshot();
        Cursor cursor = snapshot.scan(all, Direction.REVERSE)) {
      return cursor.next() ? AppendedRecord.numberOf(cursor.key()) : 0;
    }
  }

  @Override
  public long position(IndexGeneration topic, int partition, String group) {
    byte[] key = position(topic, partition, GROUP, group);
    try (Snapshot snapshot = store.snapshot()) {
      return snapshot.get(key).map(bytes -> ByteBuffer.wrap(bytes).getLong()).orElse(0L);
    }
  }

  @Override
  public boolean move(IndexGeneration topic, int partition, String group, long from, long to) {
    byte[] key = position(topic, partition, GROUP, group);
    return store
        .transact(
            transaction -> {
              long there =
                  transaction.get(key).map(bytes -> ByteBuffer.wrap(bytes).getLong()).orElse(0L);
              boolean may = there == from && isThere.test(transaction, topic.location());
              if (may) {
                transaction.put(key, ByteBuffer.allocate(Long.BYTES).putLong(to).array());
              }
              return may;
            })
        .result();
  }

  @Override
  public void trim(IndexGeneration topic, int partition, Instant before) {
    byte[] prefix = prefix(topic, partition);
    while (trimSome(prefix, topic, partition, before)) {}
  }

  /// @return whether there may be more
  private boolean trimSome(byte[] prefix, IndexGeneration topic, int partition, Instant before) {
    long last = 0;
    int count = 0;
    try (Snapshot snapshot = store.snapshot();
        Cursor cursor = snapshot.scan(KeyRange.prefix(prefix), Direction.FORWARD)) {
      long passed = passed(snapshot, topic, partition);
      while (count < TRIMMED_AT_ONCE && cursor.next()) {
        Entry entry = cursor.entry();
        long number = AppendedRecord.numberOf(entry.key());
        Instant appended = entry.expiresAt().orElseThrow().minus(retention);
        if (number > passed || !appended.isBefore(before)) {
          break;
        }
        last = number;
        count++;
      }
    }
    if (count == 0) {
      return false;
    }
    KeyRange range =
        KeyRange.between(AppendedRecord.key(prefix, 0), AppendedRecord.key(prefix, last + 1));
    store.transact(
        transaction -> {
          transaction.deleteRange(range);
          return true;
        });
    return count == TRIMMED_AT_ONCE;
  }

  /// What every group has passed; nothing if there is none.
  private static long passed(Reader reader, IndexGeneration topic, int partition) {
    byte[] groups =
        topic
            .location()
            .prefix(RecordKind.TOPIC_POSITION)
            .unsigned(topic.epoch())
            .unsigned(partition)
            .octet(GROUP)
            .toKey();
    long passed = Long.MAX_VALUE;
    try (Cursor cursor = reader.scan(KeyRange.prefix(groups), Direction.FORWARD)) {
      while (cursor.next()) {
        passed = Math.min(passed, ByteBuffer.wrap(cursor.value()).getLong());
      }
    }
    return passed == Long.MAX_VALUE ? 0 : passed;
  }

  private static byte[] prefix(IndexGeneration topic, int partition) {
    return topic
        .location()
        .prefix(RecordKind.TOPIC)
        .unsigned(topic.epoch())
        .unsigned(partition)
        .toKey();
  }

  private static byte[] position(IndexGeneration topic, int partition, int kind, String name) {
    return topic
        .location()
        .prefix(RecordKind.TOPIC_POSITION)
        .unsigned(topic.epoch())
        .unsigned(partition)
        .octet(kind)
        .string(name)
        .toKey();
  }
}
