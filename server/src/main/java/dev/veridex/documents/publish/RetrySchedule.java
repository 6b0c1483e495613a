package dev.veridex.documents.publish;

import dev.veridex.common.BucketLocation;
import dev.veridex.queue.Queue;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/// The schedule by which failed elements are retried.
///
/// Those that were tried equally often wait equally long, so they are due in the order in which
/// they came: the queue of failed elements has a lane for each number of attempts, and only the
/// first element of a lane has to be looked at. So nobody waits for somebody who waits longer.
public final class RetrySchedule {
  public static final int MAX_ATTEMPTS = 10;

  /// One for each number of attempts after which there is another.
  public static final int LANES = MAX_ATTEMPTS - 1;

  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final double JITTER = 0.1;

  private RetrySchedule() {}

  /// When an element is tried again that was tried so often before, and once more now.
  static Instant next(Instant now, int attempts, RandomGenerator random) {
    Duration pause = FIRST.multipliedBy(1L << Math.min(attempts, 20));
    Duration capped = pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
    return now.plusMillis(Math.round(capped.toMillis() * (1 + JITTER * random.nextDouble())));
  }

  /// Puts an element where it is tried again, or, if that was done often enough, where it waits for
  /// somebody. One that was never tried is due at once, after those that are tried a second time.
  static void add(
      Transaction transaction,
      BucketLocation location,
      int shard,
      int shards,
      PublishTask element) {
    int attempts = element.trouble().attempts();
    if (attempts >= MAX_ATTEMPTS) {
      new Queue(location, DocumentQueues.DEAD).append(transaction, shard, element.encode());
    } else {
      new Queue(location, DocumentQueues.FAILED)
          .append(transaction, lane(shard, shards, attempts), element.encode());
    }
  }

  /// The shard of the queue of failed elements in which one lies.
  static int lane(int shard, int shards, int attempts) {
    return Math.max(0, attempts - 1) * shards + shard;
  }
}
