package dev.veridex.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Runs several clients so that at any time one of them runs, and a seed decides which: the same
/// seed gives the same interleaving.
final class Turns {
  private final Semaphore scheduler = new Semaphore(0);
  private volatile @Nullable Throwable failure;

  /// One client's place in the order.
  final class Turn {
    private final Semaphore mine = new Semaphore(0);
    private volatile boolean finished;

    /// Lets another client run, perhaps.
    void pass() {
      scheduler.release();
      mine.acquireUninterruptibly();
    }
  }

  static void run(RandomGenerator random, int clients, Consumer<Turn> client) {
    Turns turns = new Turns();
    List<Turn> waiting = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      Turn turn = turns.new Turn();
      waiting.add(turn);
      Thread.startVirtualThread(() -> turns.start(turn, client));
    }
    while (!waiting.isEmpty()) {
      Turn next = waiting.get(random.nextInt(waiting.size()));
      next.mine.release();
      turns.scheduler.acquireUninterruptibly();
      if (next.finished) {
        waiting.remove(next);
      }
    }
    if (turns.failure != null) {
      throw new AssertionError(turns.failure);
    }
  }

  private void start(Turn turn, Consumer<Turn> client) {
    turn.mine.acquireUninterruptibly();
    try {
      client.accept(turn);
    } catch (RuntimeException | Error e) {
      failure = e;
    } finally {
      turn.finished = true;
      scheduler.release();
    }
  }
}
