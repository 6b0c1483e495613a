package dev.veridex.queue;

import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Transaction;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A group of readers of a queue: together they read each element once. Groups know nothing of each
/// other.
public record ReaderGroup(Queue queue, String name) {
  /// That a group is used is written down no more often than this, and often enough to be seen
  /// before it is taken for unused.
  private static final Duration NOTED_EVERY = Duration.ofHours(1);

  private static final int NOTED_BEFORE_END = 4;

  /// The right to read a shard, for a while.
  public record Lease(int shard, long token, long offset, Instant until) {}

  private byte[] key() {
    return prefix(queue).string(name).toKey();
  }

  private static KeyWriter prefix(Queue queue) {
    return queue.location().prefix(RecordKind.QUEUE_GROUP).string(queue.name());
  }

  private byte[] positionKey(int shard) {
    return queue
        .location()
        .prefix(RecordKind.QUEUE_OFFSET)
        .string(queue.name())
        .unsigned(shard)
        .string(name)
        .toKey();
  }

  /// The groups of a queue.
  public static List<ReaderGroup> of(Reader reader, Queue queue) {
    byte[] prefix = prefix(queue).toKey();
    List<ReaderGroup> groups = new ArrayList<>();
    try (Cursor cursor = reader.scan(KeyRange.prefix(prefix), Direction.FORWARD)) {
      while (cursor.next()) {
        groups.add(new ReaderGroup(queue, new KeyReader(cursor.key(), prefix.length).string()));
      }
    }
    return groups;
  }

  /// When it was last used, if it is registered.
  Optional<Instant> lastUsed(Reader reader) {
    return reader.get(key()).map(bytes -> Expiry.instant(ByteBuffer.wrap(bytes).getLong()));
  }

  /// Registers it, or notes that it is used: from now on nothing is removed that it did not read.
  ///
  /// @param ttl how long it lives unused; absent: for ever
  public void use(Transaction transaction, int shards, Optional<Duration> ttl) {
    Optional<Instant> last = lastUsed(transaction);
    Instant now = transaction.now();
    Duration often =
        ttl.map(life -> life.dividedBy(NOTED_BEFORE_END))
            .filter(part -> part.compareTo(NOTED_EVERY) < 0)
            .orElse(NOTED_EVERY);
    if (last.isEmpty()) {
      // What was removed before it came is nothing that it lags behind.
      for (int shard = 0; shard < shards; shard++) {
        long removed = queue.removed(transaction, shard);
        if (removed > 0) {
          put(transaction, shard, new GroupPosition(0, removed, 0, "", Instant.EPOCH));
        }
      }
    }
    if (last.filter(time -> time.plus(often).isAfter(now)).isEmpty()) {
      transaction.put(key(), ByteBuffer.allocate(Long.BYTES).putLong(Expiry.micros(now)).array());
    }
  }

  /// Forgets it, and how far it had come.
  void drop(Transaction transaction, int shards) {
    transaction.delete(key());
    for (int shard = 0; shard < shards; shard++) {
      transaction.delete(positionKey(shard));
    }
  }

  /// How far it has come in a shard.
  public GroupPosition position(Reader reader, int shard) {
    return reader.get(positionKey(shard)).map(GroupPosition::decode).orElse(GroupPosition.START);
  }

  private void put(Transaction transaction, int shard, GroupPosition position) {
    transaction.put(positionKey(shard), position.encode());
  }

  /// Gives a reader a shard, unless another one has it.
  public Optional<Lease> lease(
      Transaction transaction, int shard, String holder, Duration duration) {
    GroupPosition before = position(transaction, shard);
    Instant now = transaction.now();
    if (before.isHeld(now) && !before.holder().equals(holder)) {
      return Optional.empty();
    }
    GroupPosition after =
        new GroupPosition(
            before.offset(),
            before.passed(),
            nextToken(transaction, before),
            holder,
            now.plus(duration));
    put(transaction, shard, after);
    return Optional.of(new Lease(shard, after.token(), after.offset(), after.until()));
  }

  /// Grows also where nobody remembers the one before: there were commits since.
  private static long nextToken(Transaction transaction, GroupPosition before) {
    return Math.max(before.token() + 1, transaction.revision().sequence());
  }

  /// Gives a reader more time.
  ///
  /// @return nothing, if it has lost the shard
  public Optional<Lease> renew(Transaction transaction, int shard, long token, Duration duration) {
    GroupPosition before = position(transaction, shard);
    if (before.token() != token || before.holder().isEmpty()) {
      return Optional.empty();
    }
    Instant until = transaction.now().plus(duration);
    put(
        transaction,
        shard,
        new GroupPosition(before.offset(), before.passed(), token, before.holder(), until));
    return Optional.of(new Lease(shard, token, before.offset(), until));
  }

  /// Gives a shard back.
  ///
  /// @return whether the reader had it
  public boolean release(Transaction transaction, int shard, long token) {
    GroupPosition before = position(transaction, shard);
    if (before.token() != token || before.holder().isEmpty()) {
      return false;
    }
    put(
        transaction,
        shard,
        new GroupPosition(before.offset(), before.passed(), token, "", Instant.EPOCH));
    return true;
  }

  /// Says that everything up to a number is done with: compared with where the group was, and with
  /// the token of whoever reads. The lease lasts a while longer by it.
  ///
  /// @param previous where the reader thinks that the group is
  /// @param passed how many elements are between
  /// @return whether it was so; nothing was changed otherwise
  public boolean commit(
      Transaction transaction,
      int shard,
      long token,
      long previous,
      long offset,
      long passed,
      Duration duration) {
    GroupPosition before = position(transaction, shard);
    if (before.token() != token
        || before.holder().isEmpty()
        || before.offset() != previous
        || offset < previous) {
      return false;
    }
    put(
        transaction,
        shard,
        new GroupPosition(
            offset,
            before.passed() + passed,
            token,
            before.holder(),
            transaction.now().plus(duration)));
    return true;
  }

  /// Counts elements that were taken out of a shard before anybody read them. Whoever reads there
  /// has counted them too, so loses the shard.
  public void passOver(Transaction transaction, int shard, long elements) {
    GroupPosition before = position(transaction, shard);
    put(
        transaction,
        shard,
        new GroupPosition(
            before.offset(),
            before.passed() + elements,
            nextToken(transaction, before),
            "",
            Instant.EPOCH));
  }

  /// Sets the group to a number, whatever it has read. Whoever reads there loses the shard.
  public void reset(Transaction transaction, int shard, long offset) {
    GroupPosition before = position(transaction, shard);
    long passed = queue.removed(transaction, shard) + queue.count(transaction, shard, 0, offset);
    put(
        transaction,
        shard,
        new GroupPosition(offset, passed, nextToken(transaction, before), "", Instant.EPOCH));
  }

  /// The lag of a group in a shard.
  ///
  /// @param oldest since when the first element waits
  public record Lag(int shard, long offset, long elements, Optional<Instant> oldest) {}

  public Lag lag(Reader reader, int shard) {
    GroupPosition position = position(reader, shard);
    Optional<Instant> oldest =
        queue.read(reader, shard, position.offset(), 1, Long.MAX_VALUE).stream()
            .findFirst()
            .map(Queue.Element::enqueuedAt);
    long elements = queue.appended(reader, shard) - position.passed();
    return new Lag(shard, position.offset(), oldest.isEmpty() ? 0 : elements, oldest);
  }
}
