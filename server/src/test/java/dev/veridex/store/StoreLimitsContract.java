package dev.veridex.store;

import static dev.veridex.store.StoreTesting.attemptsAgainst;
import static dev.veridex.store.StoreTesting.key;
import static dev.veridex.store.StoreTesting.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// How transactions keep a counter below a limit without waiting for each other.
public interface StoreLimitsContract extends StoreFixture {
  @Test
  default void aCounterBelowItsLimitDoesNotMakeAnybodyRunAgain() {
    try (Store store = open()) {
      byte[] counter = key("n");
      store.transact(run(transaction -> transaction.add(counter, 5)));
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> {
                    assertThat(transaction.isAtMost(counter, 8)).isTrue();
                    transaction.add(counter, 2);
                    assertThat(transaction.isAtMost(counter, 10)).as("with its own").isTrue();
                  },
                  transaction -> transaction.add(counter, 3)))
          .as("8 of others, 10 with its own: as much as it allows")
          .isEqualTo(1);
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.counter(counter)).isEqualTo(10);
      }
    }
  }

  @Test
  default void aCounterThatGrewAboveItsLimitDoes() {
    try (Store store = open()) {
      byte[] counter = key("n");
      store.transact(run(transaction -> transaction.add(counter, 5)));
      List<Boolean> seen = new ArrayList<>();
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> seen.add(transaction.isAtMost(counter, 8)),
                  transaction -> transaction.add(counter, 4)))
          .isEqualTo(2);
      assertThat(seen.getLast()).isFalse();
      assertThat(store.transact(transaction -> transaction.isAtMost(counter, 8)).result())
          .as("also if nothing is written")
          .isFalse();
      assertThat(store.transact(transaction -> transaction.isAtMost(counter, 9)).result()).isTrue();
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> transaction.isAtMost(counter, 9),
                  transaction -> transaction.deleteRange(KeyRange.ALL)))
          .as("less is no reason")
          .isEqualTo(1);
    }
  }

  @Test
  default void manyWhoKeepACounterBelowALimitReachItExactly() throws Exception {
    try (Store store = open()) {
      byte[] counter = key("n");
      AtomicInteger done = new AtomicInteger();
      List<Thread> writers = new ArrayList<>();
      for (int writer = 0; writer < 16; writer++) {
        writers.add(
            Thread.startVirtualThread(
                () -> {
                  for (int i = 0; i < 20; i++) {
                    boolean added =
                        store
                            .transact(
                                transaction -> {
                                  if (!transaction.isAtMost(counter, 99)) {
                                    return false;
                                  }
                                  transaction.add(counter, 1);
                                  return true;
                                })
                            .result();
                    done.addAndGet(added ? 1 : 0);
                  }
                }));
      }
      for (Thread writer : writers) {
        writer.join();
      }
      assertThat(done).hasValue(100);
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.counter(counter)).isEqualTo(100);
      }
    }
  }
}
