package dev.veridex.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.MutableClock;
import dev.veridex.common.Revision;
import dev.veridex.suite.Campaign;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random concurrent histories: what the transactions saw and left must be what they would have
/// seen and left one after the other, in the order of their revisions.
///
/// Transactions get, scan, count, write, delete ranges, append, expire, abort and run again. In one
/// test a seed decides every interleaving; in the other, threads run free, so that commits share
/// groups.
public interface StoreHistoryContract {
  int HISTORIES_A_STORE = 100;

  MutableClock clock();

  Store open();

  /// Gives the engine an occasion to move things around between two histories.
  default void stir(Store store, long seed) {}

  /// One run of a transaction's work, and what it saw.
  record Attempt(
      List<HistoryStep> steps, List<String> seen, Instant now, Revision read, boolean aborted) {}

  /// A transaction that came to its end.
  record Finished(Attempt attempt, Revision revision) {
    boolean isCommit() {
      return revision.sequence() > attempt.read.sequence();
    }
  }

  /// The random abort of a transaction.
  final class Abort extends RuntimeException {}

  @Test
  @Tag("campaign")
  default void interleavedHistoriesAreSerializable() {
    inStores(Campaign.STORE_HISTORIES, (store, seed) -> runHistory(store, seed, true));
  }

  @Test
  @Tag("campaign")
  default void freeRunningHistoriesAreSerializable() {
    inStores(Campaign.STORE_THREADS, (store, seed) -> runHistory(store, seed, false));
  }

  /// A check of one seed in a store.
  interface HistoryCheck {
    void check(Store store, long seed);
  }

  /// One store serves many histories, each below a prefix of its own, and is reopened in between.
  private void inStores(Campaign campaign, HistoryCheck check) {
    List<Store> current = new ArrayList<>();
    try {
      campaign.forEach(
          seed -> {
            if (seed % HISTORIES_A_STORE == 0 || current.isEmpty()) {
              current.forEach(Store::close);
              current.clear();
              current.add(open());
            }
            check.check(current.getFirst(), seed);
            stir(current.getFirst(), seed);
          });
    } finally {
      current.forEach(Store::close);
    }
  }

  private void runHistory(Store store, long seed, boolean interleaved) {
    byte[] prefix = ByteBuffer.allocate(9).putLong(seed).put((byte) (interleaved ? 1 : 2)).array();
    SplittableRandom random = new SplittableRandom(seed);
    Revision start = store.revision();
    ConcurrentLinkedQueue<Finished> finished = new ConcurrentLinkedQueue<>();
    int clients = random.nextInt(2, 5);
    if (interleaved) {
      List<RandomGenerator> randoms = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        randoms.add(random.split());
      }
      var handedOut = randoms.iterator();
      Turns.run(
          random,
          clients,
          turn -> {
            RandomGenerator own;
            synchronized (handedOut) {
              own = handedOut.next();
            }
            runClient(store, own, prefix, turn::pass, finished);
          });
    } else {
      List<Thread> threads = new ArrayList<>();
      ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
      for (int i = 0; i < clients; i++) {
        RandomGenerator own = random.split();
        threads.add(
            Thread.ofPlatform()
                .uncaughtExceptionHandler((_, e) -> failures.add(e))
                .start(() -> runClient(store, own, prefix, Thread::yield, finished)));
      }
      threads.forEach(StoreHistoryContract::join);
      assertThat(failures).isEmpty();
    }
    checkSerializable(store, start, prefix, List.copyOf(finished));
  }

  private void runClient(
      Store store,
      RandomGenerator random,
      byte[] prefix,
      Runnable pass,
      ConcurrentLinkedQueue<Finished> finished) {
    int transactions = random.nextInt(1, 5);
    for (int i = 0; i < transactions; i++) {
      List<HistoryStep> steps = new ArrayList<>();
      int length = random.nextInt(1, 7);
      for (int j = 0; j < length; j++) {
        steps.add(HistoryStep.random(random, prefix));
      }
      boolean abort = random.nextInt(6) == 0;
      int tick = random.nextInt(3) == 0 ? random.nextInt(1, 8) : 0;
      List<Attempt> last = new ArrayList<>();
      pass.run();
      try {
        CommitResult<Attempt> committed =
            store.transact(
                transaction -> {
                  Attempt attempt = runSteps(transaction, steps, pass, tick, abort);
                  last.clear();
                  last.add(attempt);
                  if (abort) {
                    throw new Abort();
                  }
                  return attempt;
                });
        finished.add(new Finished(committed.result(), committed.revision()));
      } catch (Abort e) {
        finished.add(new Finished(last.getFirst(), last.getFirst().read));
      }
      pass.run();
    }
  }

  private Attempt runSteps(
      Transaction transaction, List<HistoryStep> steps, Runnable pass, int tick, boolean abort) {
    List<String> seen = new ArrayList<>();
    for (HistoryStep step : steps) {
      pass.run();
      seen.add(step.run(transaction));
    }
    clock().advance(Duration.ofSeconds(tick));
    pass.run();
    return new Attempt(steps, seen, transaction.now(), transaction.revision(), abort);
  }

  private void checkSerializable(
      Store store, Revision start, byte[] prefix, List<Finished> finished) {
    List<Commit> commits = store.changesSince(start, Integer.MAX_VALUE);
    List<Finished> inOrder =
        finished.stream()
            .filter(Finished::isCommit)
            .sorted(Comparator.comparingLong(done -> done.revision.sequence()))
            .toList();
    assertThat(inOrder).extracting(done -> done.revision).isEqualTo(revisions(commits));
    List<HistoryModel> states = new ArrayList<>();
    states.add(new HistoryModel());
    for (int i = 0; i < commits.size(); i++) {
      HistoryModel state = states.getLast().copy();
      Finished done = inOrder.get(i);
      Instant committedAt = commits.get(i).time();
      // What it saw holds at the time of its commit, and held when it looked.
      checkSeen(done.attempt, states.getLast(), done.attempt.now);
      checkSeen(done.attempt, states.getLast(), committedAt);
      apply(done, state);
      states.add(state);
    }
    for (Finished done : finished) {
      if (!done.isCommit()) {
        int read = (int) (done.attempt.read.sequence() - start.sequence());
        checkSeen(done.attempt, states.get(read), done.attempt.now);
      }
    }
    checkState(store, prefix, states.getLast());
  }

  private static List<Revision> revisions(List<Commit> commits) {
    return commits.stream().map(Commit::revision).toList();
  }

  private static void checkSeen(Attempt attempt, HistoryModel before, Instant readAt) {
    HistoryModel state = before.copy();
    state.expire(readAt);
    List<String> expected = new ArrayList<>();
    for (HistoryStep step : attempt.steps) {
      // Whether a sum is at most something may be left to the commit, and here is none.
      String ran = step.run(state, attempt.now);
      boolean leftOpen = attempt.aborted && step instanceof HistoryStep.IsAtMost;
      expected.add(leftOpen ? attempt.seen.get(expected.size()) : ran);
    }
    assertThat(attempt.seen).as("what %s saw", attempt.steps).isEqualTo(expected);
  }

  private static void apply(Finished done, HistoryModel state) {
    int appends = 0;
    for (HistoryStep step : done.attempt.steps) {
      step.run(state, done.attempt.now);
    }
    for (HistoryStep step : done.attempt.steps) {
      if (step instanceof HistoryStep.Append(byte[] appendedTo, String text)) {
        byte[] key = new AppendedRecord(appendedTo, appends++).keyAt(done.revision.sequence());
        state.put(key, text, Optional.empty());
      }
    }
  }

  private static void checkState(Store store, byte[] prefix, HistoryModel model) {
    try (Snapshot snapshot = store.snapshot()) {
      KeyRange all = KeyRange.prefix(prefix);
      List<String> found = new ArrayList<>();
      try (Cursor cursor = snapshot.scan(all, Direction.FORWARD)) {
        while (cursor.next()) {
          found.add(Arrays.toString(cursor.key()) + new String(cursor.value(), UTF_8));
        }
      }
      assertThat(String.join(" ", found))
          .isEqualTo(model.scan(all, Direction.FORWARD, Integer.MAX_VALUE, snapshot.now()));
      String sums =
          snapshot.counters(all).stream()
              .filter(counter -> counter.sum() != 0)
              .map(counter -> Arrays.toString(counter.key()) + counter.sum())
              .collect(Collectors.joining(" "));
      assertThat(sums).isEqualTo(model.counters(all));
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
