package dev.veridex.queue;

import dev.veridex.common.ErrorCode;
import dev.veridex.store.Appended;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Removes elements that every group has read, and groups that nobody uses.
public final class QueueCleanup {
  /// What was read is kept a while, so that a group can be set back.
  public static final Duration SAFETY = Duration.ofHours(1);

  /// A range costs about as much as a few hundred elements: fewer wait for more.
  private static final int WORTH_IT = 500;

  private final Store store;

  public QueueCleanup(Store store) {
    this.store = store;
  }

  /// How a queue is cleaned.
  ///
  /// @param groupTtl how long a group lives that nobody uses; absent: for ever
  /// @param retention how long elements live while there is no group; absent: for ever
  public record Rules(int shards, Optional<Duration> groupTtl, Optional<Duration> retention) {}

  /// Cleans a queue.
  ///
  /// @return how many shards there was something to do in
  public int run(Queue queue, Rules rules) {
    dropUnused(queue, rules);
    int cleaned = 0;
    for (int shard = 0; shard < rules.shards; shard++) {
      int number = shard;
      Optional<Long> bound = bound(queue, rules, shard);
      if (bound.isPresent()) {
        store.transact(
            transaction -> {
              queue.removeUpTo(transaction, number, bound.get());
              return true;
            });
        cleaned++;
      }
    }
    return cleaned;
  }

  private void dropUnused(Queue queue, Rules rules) {
    if (rules.groupTtl.isEmpty()) {
      return;
    }
    List<Group> unused;
    try (Snapshot snapshot = store.snapshot()) {
      unused = unused(snapshot, queue, rules.groupTtl.get());
    }
    for (Group group : unused) {
      store.transact(
          transaction -> {
            // It may have been used since.
            if (unused(transaction, queue, rules.groupTtl.get()).contains(group)) {
              group.drop(transaction, rules.shards);
            }
            return true;
          });
    }
  }

  private static List<Group> unused(Reader reader, Queue queue, Duration groupTtl) {
    Instant limit = reader.now().minus(groupTtl);
    return Group.of(reader, queue).stream()
        .filter(group -> group.lastUsed(reader).filter(time -> time.isAfter(limit)).isEmpty())
        .toList();
  }

  /// The last element of a shard that nobody needs, if there are enough of them.
  private Optional<Long> bound(Queue queue, Rules rules, int shard) {
    try (Snapshot snapshot = store.snapshot()) {
      List<Group> groups = Group.of(snapshot, queue);
      if (groups.isEmpty() && rules.retention.isEmpty()) {
        return Optional.empty();
      }
      long read =
          groups.stream()
              .mapToLong(group -> group.position(snapshot, shard).offset())
              .min()
              .orElse(Long.MAX_VALUE);
      Duration kept = groups.isEmpty() ? rules.retention.orElseThrow() : SAFETY;
      List<Queue.Element> first = queue.read(snapshot, shard, 0, WORTH_IT, Long.MAX_VALUE);
      if (first.size() < WORTH_IT || first.getLast().idx() > read) {
        return Optional.empty();
      }
      Instant limit = snapshot.now().minus(kept);
      long bound = Math.min(read, lastBefore(limit).orElseGet(() -> lastOf(first, limit)));
      return Optional.of(bound).filter(last -> first.getLast().idx() <= last);
    }
  }

  private static long lastOf(List<Queue.Element> elements, Instant limit) {
    return elements.stream()
        .filter(element -> !element.enqueuedAt().isAfter(limit))
        .mapToLong(Queue.Element::idx)
        .max()
        .orElse(0);
  }

  /// The last number that could have been given out at a time; absent if that is so long ago that
  /// nobody knows.
  private Optional<Long> lastBefore(Instant time) {
    try {
      return Optional.of(Appended.first(store.revisionAt(time).sequence() + 1) - 1);
    } catch (StoreException e) {
      if (e.problem().code() == ErrorCode.REVISION_TOO_OLD) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
