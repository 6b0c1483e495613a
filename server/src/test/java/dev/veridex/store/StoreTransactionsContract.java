package dev.veridex.store;

import static dev.veridex.store.StoreTesting.assertCode;
import static dev.veridex.store.StoreTesting.attemptsAgainst;
import static dev.veridex.store.StoreTesting.awaitUninterruptibly;
import static dev.veridex.store.StoreTesting.first;
import static dev.veridex.store.StoreTesting.get;
import static dev.veridex.store.StoreTesting.key;
import static dev.veridex.store.StoreTesting.put;
import static dev.veridex.store.StoreTesting.putExpiring;
import static dev.veridex.store.StoreTesting.run;
import static dev.veridex.store.StoreTesting.scan;
import static dev.veridex.store.StoreTesting.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Revision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// What transactions see of each other, and when they have to run again.
public interface StoreTransactionsContract extends StoreFixture {
  @Test
  default void aTransactionReadsItsOwnWrites() {
    try (Store store = open()) {
      List.of("a", "b", "c").forEach(key -> put(store, key, "old"));
      store.transact(
          run(
              transaction -> {
                transaction.put(key("b"), key("new"));
                transaction.put(key("aa"), key("new"));
                transaction.delete(key("c"));
                assertThat(text(transaction.get(key("b")))).isEqualTo("new");
                assertThat(transaction.get(key("c"))).isEmpty();
                assertThat(scan(transaction, KeyRange.ALL, Direction.FORWARD))
                    .containsExactly("a=old", "aa=new", "b=new");
                assertThat(scan(transaction, KeyRange.ALL, Direction.REVERSE))
                    .containsExactly("b=new", "aa=new", "a=old");
                transaction.deleteRange(KeyRange.between(key("a"), key("b")));
                transaction.put(key("a"), key("again"));
                assertThat(scan(transaction, KeyRange.ALL, Direction.FORWARD))
                    .containsExactly("a=again", "b=new");
              }));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD))
            .containsExactly("a=again", "b=new");
      }
    }
  }

  @Test
  default void aScanShowsWritesMadeWhileItRuns() {
    try (Store store = open()) {
      List.of("a", "c", "e").forEach(key -> put(store, key, "old"));
      store.transact(
          run(
              transaction -> {
                try (Cursor cursor = transaction.scan(KeyRange.ALL, Direction.FORWARD)) {
                  assertThat(cursor.next()).isTrue();
                  transaction.put(key("b"), key("new"));
                  transaction.delete(key("c"));
                  assertThat(cursor.next()).isTrue();
                  assertThat(cursor.key()).isEqualTo(key("b"));
                  assertThat(cursor.next()).isTrue();
                  assertThat(cursor.key()).isEqualTo(key("e"));
                  assertThat(cursor.next()).isFalse();
                }
              }));
    }
  }

  @Test
  default void aTransactionThatThrowsLeavesNothing() {
    try (Store store = open()) {
      put(store, "a", "1");
      Revision before = store.revision();
      assertThatThrownBy(
              () ->
                  store.transact(
                      run(
                          transaction -> {
                            transaction.put(key("a"), key("2"));
                            transaction.append(key("q"), key("x"));
                            transaction.add(key("n"), 1);
                            throw new IllegalArgumentException("no");
                          })))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(get(store, "a")).contains("1");
      assertThat(store.revision()).isEqualTo(before);
    }
  }

  @Test
  default void aTransactionThatOnlyReadsIsNoCommit() {
    try (Store store = open()) {
      put(store, "a", "1");
      CommitResult<Optional<byte[]>> read =
          store.transact(transaction -> transaction.get(key("a")));
      assertThat(read.revision()).isEqualTo(store.revision());
      assertThat(store.revision().sequence()).isEqualTo(1);
    }
  }

  @Test
  default void aSnapshotDoesNotChange() {
    try (Store store = open()) {
      put(store, "a", "1");
      store.transact(run(transaction -> transaction.add(key("n"), 1)));
      try (Snapshot snapshot = store.snapshot()) {
        Revision revision = snapshot.revision();
        put(store, "a", "2");
        put(store, "b", "2");
        putExpiring(store, "c", "2", Duration.ofHours(2));
        store.transact(run(transaction -> transaction.add(key("n"), 1)));
        store.transact(run(transaction -> transaction.deleteRange(KeyRange.ALL)));
        assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD)).containsExactly("a=1");
        assertThat(text(snapshot.get(key("a")))).isEqualTo("1");
        assertThat(snapshot.get(key("c"))).isEmpty();
        assertThat(snapshot.counter(key("n"))).isEqualTo(1);
        assertThat(snapshot.revision()).isEqualTo(revision);
      }
    }
  }

  @Test
  default void whoReadWhatAnotherChangedRunsAgain() {
    try (Store store = open()) {
      put(store, "a", "0");
      AtomicInteger attempts = new AtomicInteger();
      store.transact(
          run(
              transaction -> {
                int before = Integer.parseInt(text(transaction.get(key("a"))));
                if (attempts.incrementAndGet() == 1) {
                  put(store, "a", "10");
                }
                transaction.put(key("a"), key(String.valueOf(before + 1)));
              }));
      assertThat(get(store, "a")).contains("11");
      assertThat(attempts).hasValue(2);
    }
  }

  @Test
  default void aPhantomIsAConflict() {
    try (Store store = open()) {
      for (Direction direction : Direction.values()) {
        assertThat(
                attemptsAgainst(
                    store,
                    transaction -> scan(transaction, KeyRange.prefix(key("p")), direction),
                    other -> other.put(key("p-" + direction), key("new"))))
            .isEqualTo(2);
        assertThat(
                attemptsAgainst(
                    store,
                    transaction -> scan(transaction, KeyRange.prefix(key("p")), direction),
                    other -> other.deleteRange(KeyRange.between(key("p"), key("pz")))))
            .isEqualTo(2);
      }
    }
  }

  @Test
  default void aScanThatStoppedEarlyDependsOnWhatItSaw() {
    try (Store store = open()) {
      List.of("a", "b", "c", "d").forEach(key -> put(store, key, "1"));
      KeyRange range = KeyRange.between(key("a"), key("e"));
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> first(transaction, range, Direction.FORWARD),
                  other -> other.put(key("c"), key("2"))))
          .isEqualTo(1);
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> first(transaction, range, Direction.FORWARD),
                  other -> other.put(key("a"), key("2"))))
          .isEqualTo(2);
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> first(transaction, range, Direction.REVERSE),
                  other -> other.put(key("c"), key("2"))))
          .isEqualTo(1);
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> first(transaction, range, Direction.REVERSE),
                  other -> other.put(key("dd"), key("2"))))
          .isEqualTo(2);
    }
  }

  @Test
  default void anAbsentKeyIsReadToo() {
    try (Store store = open()) {
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> transaction.get(key("none")),
                  other -> other.put(key("none"), key("2"))))
          .isEqualTo(2);
    }
  }

  @Test
  default void blindWritesDoNotConflict() {
    try (Store store = open()) {
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> transaction.put(key("a"), key("1")),
                  other -> other.put(key("a"), key("2"))))
          .isEqualTo(1);
      assertThat(get(store, "a")).contains("1");
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> {
                    transaction.put(key("b"), key("1"));
                    transaction.get(key("b"));
                  },
                  other -> other.put(key("b"), key("2"))))
          .as("one's own write is no read of the store")
          .isEqualTo(1);
    }
  }

  @Test
  default void writeSkewIsImpossible() {
    try (Store store = open()) {
      put(store, "x", "1");
      put(store, "y", "1");
      Store.Work<Boolean> leaveX = leave("x", "y");
      Store.Work<Boolean> leaveY = leave("y", "x");
      AtomicInteger attempts = new AtomicInteger();
      store.transact(
          transaction -> {
            boolean left = leaveX.run(transaction);
            if (attempts.incrementAndGet() == 1) {
              store.transact(leaveY);
            }
            return left;
          });
      assertThat(get(store, "x")).contains("1");
      assertThat(get(store, "y")).contains("0");
    }
  }

  private static Store.Work<Boolean> leave(String who, String other) {
    return transaction -> {
      boolean mayLeave = text(transaction.get(key(other))).equals("1");
      if (mayLeave) {
        transaction.put(key(who), key("0"));
      }
      return mayLeave;
    };
  }

  @Test
  default void whoIsRefusedTooOftenIsTold() {
    try (Store store = open()) {
      AtomicInteger attempts = new AtomicInteger();
      assertCode(
          ErrorCode.CONFLICT,
          () ->
              store.transact(
                  run(
                      transaction -> {
                        transaction.get(key("a"));
                        put(store, "a", String.valueOf(attempts.incrementAndGet()));
                        transaction.put(key("b"), key("never"));
                      })));
      assertThat(attempts).hasValue(1000);
      assertThat(get(store, "b")).isEmpty();
    }
  }

  @Test
  default void whatIsHandedOutIsTheCallersOwn() {
    try (Store store = open()) {
      put(store, "p", "1");
      store.transact(
          run(
              transaction -> {
                transaction.put(key("a"), key("1"));
                transaction.get(key("a")).orElseThrow()[0] = 'x';
                transaction.getAll(List.of(key("a"))).getFirst().orElseThrow()[0] = 'x';
              }));
      assertThat(get(store, "a")).contains("1");
      KeyRange range = KeyRange.prefix(key("p"));
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> {
                    try (Cursor cursor = transaction.scan(range, Direction.FORWARD)) {
                      cursor.next();
                      cursor.key()[0] = 0;
                    }
                  },
                  other -> other.put(key("p"), key("2"))))
          .as("what was read is remembered, whatever becomes of the array")
          .isEqualTo(2);
    }
  }

  @Test
  default void manyThreadsLoseNoUpdate() throws InterruptedException {
    try (Store store = open()) {
      put(store, "sum", "0");
      int threads = 16;
      long times = 25;
      CountDownLatch ready = new CountDownLatch(threads);
      List<Thread> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(
            Thread.startVirtualThread(
                () -> {
                  ready.countDown();
                  awaitUninterruptibly(ready);
                  for (int j = 0; j < times; j++) {
                    store.transact(
                        run(
                            transaction -> {
                              int sum = Integer.parseInt(text(transaction.get(key("sum"))));
                              transaction.put(key("sum"), key(String.valueOf(sum + 1)));
                              transaction.add(key("sum"), 1);
                            }));
                  }
                }));
      }
      for (Thread thread : running) {
        thread.join();
      }
      assertThat(get(store, "sum")).contains(String.valueOf(threads * times));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.counter(key("sum"))).isEqualTo(threads * times);
      }
      assertThat(store.revision().sequence()).isEqualTo(1L + threads * times);
    }
  }

  @Test
  default void anInterruptedThreadStillLearnsOfItsCommit() throws InterruptedException {
    try (Store store = open()) {
      AtomicInteger seen = new AtomicInteger();
      Thread thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    Thread.currentThread().interrupt();
                    put(store, "a", "1");
                    seen.set(Thread.interrupted() ? 1 : 2);
                  });
      thread.join();
      assertThat(get(store, "a")).contains("1");
      assertThat(seen).as("the interrupt is passed on").hasValue(1);
    }
  }

  @Test
  default void nothingWorksAfterTheTransactionIsOver() {
    try (Store store = open()) {
      put(store, "a", "1");
      List<Transaction> leaked = new ArrayList<>();
      List<Cursor> cursors = new ArrayList<>();
      store.transact(
          run(
              transaction -> {
                leaked.add(transaction);
                cursors.add(transaction.scan(KeyRange.ALL, Direction.FORWARD));
              }));
      assertThatIllegalStateException().isThrownBy(() -> leaked.getFirst().get(key("a")));
      assertThatIllegalStateException().isThrownBy(() -> leaked.getFirst().put(key("a"), key("2")));
      assertThatIllegalStateException().isThrownBy(() -> cursors.getFirst().next());
      assertThat(get(store, "a")).contains("1");
    }
  }
}
