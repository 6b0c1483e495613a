package dev.veridex.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Revision;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What every [Store] must do. An engine's test implements it and says how to open one.
public interface StoreContract {
  /// Something an engine may not have.
  enum Capability {
    BACKUP
  }

  Duration GRACE = Duration.ofHours(1);
  Duration CHANGE_RETENTION = Duration.ofDays(7);

  /// The clock of the stores that [#open] gives. It starts 70 days ago: engines drop records by the
  /// machine's clock, so what a test lets expire early is past for them, and what it lets expire
  /// late is not.
  MutableClock clock();

  /// Opens the test's store, the same one each time, with [#GRACE] and [#CHANGE_RETENTION].
  Store open();

  /// Opens the store of a backup.
  Store open(Path folder);

  /// Has the engine collect what is due.
  void collect(Store store);

  default Set<Capability> lacks() {
    return Set.of();
  }

  // Plain reading and writing.

  @Test
  default void readsWhatWasWritten() {
    try (Store store = open()) {
      put(store, "a", "1");
      assertThat(get(store, "a")).contains("1");
      assertThat(get(store, "b")).isEmpty();
      put(store, "a", "2");
      assertThat(get(store, "a")).contains("2");
      store.transact(run(transaction -> transaction.delete(key("a"))));
      assertThat(get(store, "a")).isEmpty();
    }
  }

  @Test
  default void anEmptyValueIsAValue() {
    try (Store store = open()) {
      put(store, "a", "");
      assertThat(get(store, "a")).contains("");
    }
  }

  @Test
  default void keysAreOrderedAsUnsignedBytes() {
    try (Store store = open()) {
      List<String> keys =
          List.of("00", "0000", "0001", "01", "7f", "80", "8000", "ff", "ff00", "ffff");
      store.transact(
          run(
              transaction ->
                  keys.reversed()
                      .forEach(key -> transaction.put(HexFormat.of().parseHex(key), key("x")))));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(hexKeys(snapshot, KeyRange.ALL, Direction.FORWARD)).isEqualTo(keys);
        assertThat(hexKeys(snapshot, KeyRange.ALL, Direction.REVERSE)).isEqualTo(keys.reversed());
        KeyRange prefix = KeyRange.prefix(new byte[] {(byte) 0xFF});
        assertThat(hexKeys(snapshot, prefix, Direction.FORWARD))
            .containsExactly("ff", "ff00", "ffff");
      }
    }
  }

  @Test
  default void scansIncludeTheirStartAndExcludeTheirEnd() {
    try (Store store = open()) {
      List.of("a", "b", "c", "d").forEach(key -> put(store, key, key));
      try (Snapshot snapshot = store.snapshot()) {
        KeyRange middle = KeyRange.between(key("b"), key("d"));
        assertThat(scan(snapshot, middle, Direction.FORWARD)).containsExactly("b=b", "c=c");
        assertThat(scan(snapshot, middle, Direction.REVERSE)).containsExactly("c=c", "b=b");
        KeyRange none = KeyRange.between(key("d"), key("b"));
        assertThat(scan(snapshot, none, Direction.FORWARD)).isEmpty();
        assertThat(scan(snapshot, none, Direction.REVERSE)).isEmpty();
        assertThat(scan(snapshot, KeyRange.prefix(key("c")), Direction.FORWARD))
            .containsExactly("c=c");
        assertThat(scan(snapshot, KeyRange.from(key("c")), Direction.REVERSE))
            .containsExactly("d=d", "c=c");
      }
    }
  }

  @Test
  default void manyKeysAreAnsweredInTheirOrder() {
    try (Store store = open()) {
      put(store, "a", "1");
      putExpiring(store, "b", "2", Duration.ofMinutes(5));
      putExpiring(store, "c", "3", Duration.ofDays(3));
      putExpiring(store, "d", "4", Duration.ofDays(300));
      List<byte[]> keys =
          List.of(key("d"), key("x"), key("a"), key("b"), key("a"), key("c"), key("y"));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(texts(snapshot.getAll(keys))).containsExactly("4", "-", "1", "2", "1", "3", "-");
        assertThat(snapshot.getAll(List.of())).isEmpty();
      }
      store.transact(
          run(
              transaction -> {
                transaction.delete(key("a"));
                transaction.put(key("x"), key("own"));
                assertThat(texts(transaction.getAll(keys)))
                    .containsExactly("4", "own", "-", "2", "-", "3", "-");
              }));
    }
  }

  @Test
  default void aValueHandedOutIsTheCallersOwn() {
    try (Store store = open()) {
      put(store, "a", "1");
      try (Snapshot snapshot = store.snapshot()) {
        snapshot.get(key("a")).orElseThrow()[0] = 'x';
        assertThat(get(store, "a")).contains("1");
      }
    }
  }

  // Transactions.

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
      Committed<Optional<byte[]>> read = store.transact(transaction -> transaction.get(key("a")));
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

  // Appends.

  @Test
  default void appendedNumbersRiseInCommitOrderAndAreNeverReused() {
    try (Store store = open()) {
      List<Long> numbers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        List<Appended> appended =
            store
                .transact(
                    transaction ->
                        List.of(
                            transaction.append(key("q/"), key("x")),
                            transaction.append(key("r/"), key("y")),
                            transaction.append(key("q/"), key("z"))))
                .result();
        assertThat(get(store, appended.getLast().key())).contains("z");
        assertThat(Appended.numberOf(appended.getLast().key()))
            .isEqualTo(appended.getLast().number());
        numbers.add(appended.getFirst().number());
        numbers.add(appended.getLast().number());
        store.transact(run(transaction -> transaction.deleteRange(KeyRange.ALL)));
      }
      assertThat(numbers).isSorted().doesNotHaveDuplicates().allMatch(number -> number > 0);
    }
    try (Store store = open()) {
      Appended later = store.transact(t -> t.append(key("q/"), key("x"))).result();
      assertThat(later.number()).isGreaterThan(3L << 16);
    }
  }

  @Test
  default void anAppendIsSeenAfterItsCommitOnly() {
    try (Store store = open()) {
      KeyRange queue = KeyRange.prefix(key("q/"));
      Appended appended =
          store
              .transact(
                  transaction -> {
                    Appended element = transaction.append(key("q/"), key("x"));
                    assertThat(scan(transaction, queue, Direction.FORWARD)).isEmpty();
                    assertThatIllegalStateException().isThrownBy(element::number);
                    return element;
                  })
              .result();
      assertThat(get(store, appended.key())).contains("x");
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> scan(transaction, queue, Direction.FORWARD),
                  other -> other.append(key("q/"), key("y"))))
          .as("an append is a phantom for whoever scanned its prefix")
          .isEqualTo(2);
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> transaction.append(key("q/"), key("mine")),
                  other -> other.append(key("q/"), key("theirs"))))
          .as("appends to one prefix do not conflict")
          .isEqualTo(1);
    }
  }

  // Counters.

  @Test
  default void countersAddUp() {
    try (Store store = open()) {
      put(store, "n", "a record with the key of a counter");
      store.transact(
          run(
              transaction -> {
                transaction.add(key("n"), 5);
                transaction.add(key("n"), -7);
                transaction.add(key("m"), Long.MAX_VALUE);
                assertThat(transaction.counter(key("n"))).isEqualTo(-2);
              }));
      store.transact(run(transaction -> transaction.add(key("n"), 3)));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.counter(key("n"))).isEqualTo(1);
        assertThat(snapshot.counter(key("none"))).isZero();
        assertThat(counters(snapshot)).containsExactly("m=" + Long.MAX_VALUE, "n=1");
      }
      assertThat(get(store, "n")).isPresent();
    }
  }

  @Test
  default void additionsConflictWithReadersOnly() {
    try (Store store = open()) {
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> transaction.add(key("n"), 1),
                  other -> other.add(key("n"), 1)))
          .isEqualTo(1);
      assertThat(
              attemptsAgainst(
                  store,
                  transaction -> transaction.counter(key("n")),
                  other -> other.add(key("n"), 1)))
          .isEqualTo(2);
      assertThat(
              attemptsAgainst(
                  store, StoreContract::counters, other -> other.add(key("another"), 1)))
          .isEqualTo(2);
      assertThat(
              attemptsAgainst(
                  store, transaction -> transaction.get(key("n")), other -> other.add(key("n"), 1)))
          .as("a record is not a counter")
          .isEqualTo(1);
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.counter(key("n"))).isEqualTo(4);
      }
    }
  }

  // Range deletion.

  @Test
  default void aRangeIsDeletedWithItsCounters() {
    try (Store store = open()) {
      byte[] longest = new byte[Transaction.MAX_KEY_BYTES];
      java.util.Arrays.fill(longest, (byte) 0xFF);
      store.transact(
          run(
              transaction -> {
                List.of("a", "b", "c").forEach(key -> transaction.put(key(key), key("1")));
                transaction.put(longest, key("1"));
                List.of("a", "b", "c").forEach(key -> transaction.add(key(key), 1));
              }));
      putExpiring(store, "bb", "1", Duration.ofHours(3));
      putExpiring(store, "bc", "1", Duration.ofDays(100));
      store.transact(
          run(
              transaction -> {
                transaction.add(key("b"), 10);
                transaction.deleteRange(KeyRange.between(key("b"), key("c")));
                transaction.add(key("bz"), 4);
                assertThat(counters(transaction)).containsExactly("a=1", "bz=4", "c=1");
              }));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(keys(snapshot)).hasSize(3).contains("a", "c");
        assertThat(counters(snapshot)).containsExactly("a=1", "bz=4", "c=1");
      }
      store.transact(run(transaction -> transaction.deleteRange(KeyRange.from(key("b")))));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(keys(snapshot)).containsExactly("a");
        assertThat(counters(snapshot)).containsExactly("a=1");
      }
      store.transact(
          run(transaction -> transaction.deleteRange(KeyRange.between(key("z"), key("a")))));
      assertThat(get(store, "a")).isPresent();
    }
  }

  // Expiry.

  @Test
  default void aRecordIsGoneFromTheInstantOfItsExpiry() {
    for (Duration life : List.of(Duration.ofMinutes(1), Duration.ofDays(3), Duration.ofDays(90))) {
      try (Store store = open()) {
        Instant expiresAt = clock().instant().plus(life);
        store.transact(run(transaction -> transaction.put(key("e"), key("1"), expiresAt)));
        put(store, "p", "2");
        clock().set(expiresAt.minusNanos(1000));
        assertThat(get(store, "e")).contains("1");
        clock().set(expiresAt);
        try (Snapshot snapshot = store.snapshot()) {
          assertThat(snapshot.get(key("e"))).isEmpty();
          assertThat(texts(snapshot.getAll(List.of(key("e"), key("p"))))).containsExactly("-", "2");
          assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD)).containsExactly("p=2");
          assertThat(scan(snapshot, KeyRange.ALL, Direction.REVERSE)).containsExactly("p=2");
          Entry expired = snapshot.entry(key("e")).orElseThrow();
          assertThat(expired.expired()).isTrue();
          assertThat(expired.expiresAt()).contains(expiresAt);
          assertThat(text(Optional.of(expired.value()))).isEqualTo("1");
          try (Cursor all = snapshot.scanWithExpired(KeyRange.ALL, Direction.FORWARD)) {
            assertThat(all.next()).isTrue();
            assertThat(all.entry().expired()).isTrue();
            assertThat(all.next()).isTrue();
            assertThat(all.entry().expired()).isFalse();
            assertThat(all.entry().expiresAt()).isEmpty();
            assertThat(all.next()).isFalse();
          }
        }
        store.transact(run(transaction -> transaction.deleteRange(KeyRange.ALL)));
      }
    }
  }

  @Test
  default void aSnapshotKeepsItsTime() {
    try (Store store = open()) {
      putExpiring(store, "e", "1", Duration.ofMinutes(1));
      try (Snapshot snapshot = store.snapshot()) {
        clock().advance(Duration.ofMinutes(2));
        assertThat(snapshot.get(key("e"))).isPresent();
        assertThat(get(store, "e")).isEmpty();
      }
    }
  }

  @Test
  default void aRecordMayChangeHowLongItLives() {
    List<Optional<Duration>> lives =
        List.of(
            Optional.of(Duration.ofMinutes(1)),
            Optional.empty(),
            Optional.of(Duration.ofDays(200)),
            Optional.of(Duration.ofDays(5)),
            Optional.empty(),
            Optional.of(Duration.ofDays(5)),
            Optional.of(Duration.ofMinutes(1)));
    try (Store store = open()) {
      for (int i = 0; i < lives.size(); i++) {
        String value = String.valueOf(i);
        lives
            .get(i)
            .ifPresentOrElse(
                life -> putExpiring(store, "k", value, life), () -> put(store, "k", value));
        try (Snapshot snapshot = store.snapshot()) {
          assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD)).containsExactly("k=" + value);
          Entry entry = snapshot.entry(key("k")).orElseThrow();
          assertThat(entry.expiresAt()).isEqualTo(lives.get(i).map(clock().instant()::plus));
        }
      }
      store.transact(run(transaction -> transaction.delete(key("k"))));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.entry(key("k"))).isEmpty();
      }
    }
  }

  @Test
  default void aRecordThatExpiresBeforeTheCommitWasNotSeenAlive() {
    try (Store store = open()) {
      putExpiring(store, "leave", "given", Duration.ofMinutes(1));
      AtomicInteger attempts = new AtomicInteger();
      store.transact(
          run(
              transaction -> {
                boolean allowed = transaction.get(key("leave")).isPresent();
                if (attempts.incrementAndGet() == 1) {
                  clock().advance(Duration.ofMinutes(1));
                }
                transaction.put(key("done"), key(String.valueOf(allowed)));
              }));
      assertThat(get(store, "done")).contains("false");
      assertThat(attempts).hasValue(2);
    }
  }

  @Test
  default void expiredRecordsAreCollectedAfterTheirGrace() {
    try (Store store = open()) {
      putExpiring(store, "day", "1", Duration.ofMinutes(1));
      putExpiring(store, "week", "1", Duration.ofDays(2));
      putExpiring(store, "long", "1", Duration.ofDays(60));
      putExpiring(store, "later", "1", Duration.ofDays(100));
      store.transact(run(t -> t.put(key("latest"), key("1"), Expiry.LATEST)));
      put(store, "permanent", "1");
      clock().advance(Duration.ofMinutes(1));
      collect(store);
      assertThat(physical(store))
          .containsExactly("day", "later", "latest", "long", "permanent", "week");
      clock().advance(GRACE.plus(Duration.ofDays(61)));
      collect(store);
      assertThat(physical(store)).containsExactly("later", "latest", "permanent");
      assertThat(get(store, "later")).isPresent();
    }
  }

  @Test
  default void collectingDoesNotRevealAnOlderValue() {
    try (Store store = open()) {
      put(store, "k", "permanent");
      putExpiring(store, "k", "first", Duration.ofDays(30));
      putExpiring(store, "k", "second", Duration.ofMinutes(1));
      clock().advance(GRACE.plusMinutes(1).plusDays(2));
      collect(store);
      assertThat(get(store, "k")).isEmpty();
      assertThat(physical(store)).isEmpty();
    }
  }

  // History.

  @Test
  default void everyCommitHasTheNextRevision() {
    try (Store store = open()) {
      assertThat(store.revision().sequence()).isZero();
      Revision first = store.transact(run(t -> t.put(key("a"), key("1")))).revision();
      Revision second = store.transact(run(t -> t.put(key("a"), key("2")))).revision();
      assertThat(first.sequence()).isEqualTo(1);
      assertThat(second.sequence()).isEqualTo(2);
      assertThat(store.revision()).isEqualTo(second);
      assertThat(store.seal().open(store.seal().seal(second))).isEqualTo(second);
      store.snapshot(second).close();
      Revision future = new Revision(second.storeId(), 3);
      assertCode(ErrorCode.UNKNOWN_REVISION, () -> store.snapshot(future).close());
      Revision foreign = new Revision(second.storeId() + 1, 1);
      assertCode(ErrorCode.UNKNOWN_REVISION, () -> store.snapshot(foreign).close());
      assertCode(ErrorCode.UNKNOWN_REVISION, () -> store.changesSince(future, 1));
      assertCode(ErrorCode.UNKNOWN_REVISION, () -> store.changesSince(foreign, 1));
    }
  }

  @Test
  default void changesAreListedInCommitOrder() {
    try (Store store = open()) {
      Revision start = store.revision();
      Instant time = clock().instant();
      put(store, "a", "1");
      clock().advance(Duration.ofSeconds(1));
      Committed<Appended> second =
          store.transact(
              transaction -> {
                transaction.put(key("b"), key("gone with the range"));
                transaction.deleteRange(KeyRange.between(key("a"), key("c")));
                transaction.deleteRange(KeyRange.from(key("x")));
                transaction.delete(key("e"));
                transaction.put(key("d"), key("1"), transaction.now().plusSeconds(90));
                transaction.add(key("n"), -3);
                return transaction.append(key("q"), key("x"));
              });
      put(store, "z", "1");
      List<Commit> commits = store.changesSince(start, 10);
      assertThat(commits)
          .extracting(commit -> commit.revision().sequence())
          .containsExactly(1L, 2L, 3L);
      assertThat(commits)
          .extracting(Commit::time)
          .containsExactly(time, time.plusSeconds(1), time.plusSeconds(1));
      String appended = HexFormat.of().formatHex(second.result().key());
      assertThat(commits.get(1).changes().stream().map(StoreContract::describe))
          .containsExactly(
              "deleteRange 61 63",
              "deleteRange 78 -",
              "put 64",
              "delete 65",
              "put " + appended,
              "add 6e -3");
      assertThat(store.changesSince(commits.getFirst().revision(), 1)).hasSize(1);
      assertThat(store.changesSince(store.revision(), 10)).isEmpty();
    }
  }

  @Test
  default void changesAreKeptForTheirRetention() {
    try (Store store = open()) {
      Revision start = store.revision();
      put(store, "a", "1");
      Revision first = store.revision();
      clock().advance(Duration.ofDays(1));
      put(store, "a", "2");
      Revision second = store.revision();
      clock().advance(CHANGE_RETENTION.minusDays(1));
      collect(store);
      assertThat(store.changesSince(start, 10)).hasSize(2);
      clock().advance(Duration.ofNanos(1000));
      assertCode(ErrorCode.REVISION_TOO_OLD, () -> store.changesSince(start, 10));
      assertThat(store.changesSince(first, 10)).hasSize(1);
      collect(store);
      assertCode(ErrorCode.REVISION_TOO_OLD, () -> store.changesSince(start, 10));
      assertThat(store.changesSince(first, 10)).hasSize(1);
      clock().advance(CHANGE_RETENTION);
      collect(store);
      assertCode(ErrorCode.REVISION_TOO_OLD, () -> store.changesSince(first, 10));
      assertThat(store.changesSince(second, 10)).isEmpty();
    }
    try (Store store = open()) {
      assertThat(store.revision().sequence()).isEqualTo(2);
      put(store, "a", "3");
      assertThat(store.revision().sequence()).isEqualTo(3);
    }
  }

  // Closing, opening, copying.

  @Test
  default void everythingIsThereAfterReopening() {
    Revision revision;
    String sealed;
    try (Store store = open()) {
      put(store, "p", "1");
      putExpiring(store, "e", "2", Duration.ofHours(3));
      store.transact(run(transaction -> transaction.add(key("n"), 7)));
      revision = store.revision();
      sealed = store.seal().seal(revision);
    }
    try (Store store = open()) {
      assertThat(store.revision()).isEqualTo(revision);
      assertThat(store.seal().open(sealed)).isEqualTo(revision);
      assertThat(store.changesSince(new Revision(revision.storeId(), 0), 10)).hasSize(3);
      try (Snapshot snapshot = store.snapshot(revision)) {
        assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD)).containsExactly("e=2", "p=1");
        assertThat(snapshot.counter(key("n"))).isEqualTo(7);
        assertThat(snapshot.entry(key("e")).orElseThrow().expiresAt())
            .contains(clock().instant().plus(Duration.ofHours(3)));
      }
    }
  }

  @Test
  default void theClockDoesNotRunBackOverARestart() {
    Instant late = clock().instant().plus(Duration.ofMinutes(30));
    Instant expiresAt = clock().instant().plus(Duration.ofMinutes(10));
    try (Store store = open()) {
      store.transact(run(transaction -> transaction.put(key("e"), key("1"), expiresAt)));
      clock().set(late);
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.now()).isEqualTo(late);
        assertThat(snapshot.get(key("e"))).isEmpty();
      }
    }
    clock().set(late.minus(Duration.ofMinutes(25)));
    try (Store store = open();
        Snapshot snapshot = store.snapshot()) {
      assertThat(snapshot.now()).isEqualTo(late);
      assertThat(snapshot.get(key("e"))).isEmpty();
    }
  }

  @Test
  default void aClosedStoreSaysSo() {
    Store store = open();
    store.close();
    store.close();
    assertCode(ErrorCode.CLOSED, () -> put(store, "a", "1"));
    assertCode(ErrorCode.CLOSED, () -> store.snapshot().close());
  }

  @Test
  default void onlyOneStoreOwnsAPlace() {
    try (Store store = open()) {
      assertCode(ErrorCode.STORE_LOCKED, () -> open().close());
      put(store, "a", "still works");
    }
    open().close();
  }

  @Test
  default void aBackupIsAnotherStoreWithTheSameContent(@TempDir Path parent) {
    assumeFalse(lacks().contains(Capability.BACKUP), "this engine has no backups");
    Path folder = parent.resolve("backups").resolve("one");
    try (Store store = open()) {
      put(store, "p", "1");
      putExpiring(store, "e", "2", Duration.ofHours(3));
      store.transact(run(transaction -> transaction.add(key("n"), 7)));
      Revision revision = store.revision();
      store.backup(folder);
      put(store, "p", "after the backup");
      assertCode(ErrorCode.BAD_REQUEST, () -> store.backup(folder));
      try (Store restored = open(folder);
          Snapshot snapshot = restored.snapshot()) {
        assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD)).containsExactly("e=2", "p=1");
        assertThat(snapshot.counter(key("n"))).isEqualTo(7);
        assertThat(restored.revision().sequence()).isEqualTo(revision.sequence());
        assertCode(ErrorCode.UNKNOWN_REVISION, () -> restored.snapshot(revision).close());
        String sealed = store.seal().seal(revision);
        assertThatThrownBy(() -> restored.seal().open(sealed))
            .hasMessageContaining("UNKNOWN_REVISION");
      }
      try (Store again = open(folder)) {
        put(again, "p", "a store of its own");
      }
      assertThat(get(store, "p")).contains("after the backup");
    }
  }

  // Bad input.

  @Test
  default void badInputIsRefusedAndChangesNothing() {
    try (Store store = open()) {
      put(store, "a", "1");
      Revision before = store.revision();
      byte[] empty = new byte[0];
      byte[] tooLong = new byte[Transaction.MAX_KEY_BYTES + 1];
      byte[] tooLarge = new byte[Transaction.MAX_VALUE_BYTES + 1];
      refuses(store, ErrorCode.INVALID_KEY, t -> t.put(empty, key("1")));
      refuses(store, ErrorCode.INVALID_KEY, t -> t.put(tooLong, key("1")));
      refuses(store, ErrorCode.INVALID_KEY, t -> t.delete(empty));
      refuses(store, ErrorCode.INVALID_KEY, t -> t.delete(tooLong));
      refuses(store, ErrorCode.INVALID_KEY, t -> t.add(empty, 1));
      refuses(store, ErrorCode.INVALID_KEY, t -> t.append(empty, key("1")));
      refuses(
          store,
          ErrorCode.INVALID_KEY,
          t -> t.append(new byte[Transaction.MAX_KEY_BYTES - 7], key("1")));
      refuses(store, ErrorCode.VALUE_TOO_LARGE, t -> t.put(key("a"), tooLarge));
      refuses(store, ErrorCode.VALUE_TOO_LARGE, t -> t.append(key("a"), tooLarge));
      refuses(store, ErrorCode.INVALID_TTL, t -> t.put(key("a"), key("2"), t.now()));
      refuses(
          store, ErrorCode.INVALID_TTL, t -> t.put(key("a"), key("2"), t.now().minusSeconds(1)));
      refuses(store, ErrorCode.INVALID_TTL, t -> t.put(key("a"), key("2"), Instant.MAX));
      refuses(
          store, ErrorCode.INVALID_TTL, t -> t.put(key("a"), key("2"), Expiry.LATEST.plusNanos(1)));
      refuses(store, ErrorCode.INVALID_TTL, t -> t.put(key("a"), key("2"), Instant.MIN));
      byte[] half = new byte[Transaction.MAX_TRANSACTION_BYTES / 2];
      refuses(
          store,
          ErrorCode.TRANSACTION_TOO_LARGE,
          t -> {
            t.put(key("a"), half);
            t.put(key("b"), half);
          });
      refuses(
          store,
          ErrorCode.TRANSACTION_TOO_LARGE,
          t -> {
            for (int i = 0; i <= Transaction.MAX_APPENDS; i++) {
              t.append(key("q"), empty);
            }
          });
      assertThat(store.revision()).isEqualTo(before);
      assertThat(get(store, "a")).contains("1");
    }
  }

  @Test
  default void theLongestKeyAndAnEmptyValueAreAccepted() {
    try (Store store = open()) {
      byte[] longest = new byte[Transaction.MAX_KEY_BYTES];
      store.transact(run(transaction -> transaction.put(longest, new byte[0])));
      assertThat(get(store, longest)).contains("");
    }
  }

  // Helpers.

  /// A transaction's work without a result.
  static Store.Work<Boolean> run(java.util.function.Consumer<Transaction> work) {
    return transaction -> {
      work.accept(transaction);
      return true;
    };
  }

  static byte[] key(String text) {
    return text.getBytes(UTF_8);
  }

  static String text(Optional<byte[]> value) {
    return value.map(bytes -> new String(bytes, UTF_8)).orElse("-");
  }

  static List<String> texts(List<Optional<byte[]>> values) {
    return values.stream().map(StoreContract::text).toList();
  }

  static void put(Store store, String key, String value) {
    store.transact(run(transaction -> transaction.put(key(key), key(value))));
  }

  static void putExpiring(Store store, String key, String value, Duration life) {
    store.transact(
        run(transaction -> transaction.put(key(key), key(value), transaction.now().plus(life))));
  }

  static Optional<String> get(Store store, String key) {
    return get(store, key(key));
  }

  static Optional<String> get(Store store, byte[] key) {
    try (Snapshot snapshot = store.snapshot()) {
      return snapshot.get(key).map(bytes -> new String(bytes, UTF_8));
    }
  }

  static List<String> scan(Reader reader, KeyRange range, Direction direction) {
    List<String> found = new ArrayList<>();
    try (Cursor cursor = reader.scan(range, direction)) {
      while (cursor.next()) {
        found.add(new String(cursor.key(), UTF_8) + "=" + new String(cursor.value(), UTF_8));
      }
    }
    return found;
  }

  private static Optional<byte[]> first(Reader reader, KeyRange range, Direction direction) {
    try (Cursor cursor = reader.scan(range, direction)) {
      return cursor.next() ? Optional.of(cursor.key()) : Optional.empty();
    }
  }

  private static List<String> keys(Reader reader) {
    List<String> found = new ArrayList<>();
    try (Cursor cursor = reader.scan(KeyRange.ALL, Direction.FORWARD)) {
      while (cursor.next()) {
        found.add(new String(cursor.key(), UTF_8));
      }
    }
    return found;
  }

  private static List<String> hexKeys(Reader reader, KeyRange range, Direction direction) {
    List<String> found = new ArrayList<>();
    try (Cursor cursor = reader.scan(range, direction)) {
      while (cursor.next()) {
        found.add(HexFormat.of().formatHex(cursor.key()));
      }
    }
    return found;
  }

  private static List<String> physical(Store store) {
    List<String> found = new ArrayList<>();
    try (Snapshot snapshot = store.snapshot();
        Cursor cursor = snapshot.scanWithExpired(KeyRange.ALL, Direction.FORWARD)) {
      while (cursor.next()) {
        found.add(new String(cursor.key(), UTF_8));
      }
    }
    return found;
  }

  private static List<String> counters(Reader reader) {
    return reader.counters(KeyRange.ALL).stream()
        .map(counter -> new String(counter.key(), UTF_8) + "=" + counter.sum())
        .toList();
  }

  private static String describe(Change change) {
    HexFormat hex = HexFormat.of();
    return switch (change) {
      case Change.Put(byte[] key) -> "put " + hex.formatHex(key);
      case Change.Delete(byte[] key) -> "delete " + hex.formatHex(key);
      case Change.DeleteRange(KeyRange(byte[] from, Optional<byte[]> to)) ->
          "deleteRange " + hex.formatHex(from) + " " + to.map(hex::formatHex).orElse("-");
      case Change.Add(byte[] key, long delta) -> "add " + hex.formatHex(key) + " " + delta;
    };
  }

  /// How often a transaction has to run if another one commits after its reads.
  private static int attemptsAgainst(
      Store store,
      java.util.function.Consumer<Transaction> reads,
      java.util.function.Consumer<Transaction> other) {
    AtomicInteger attempts = new AtomicInteger();
    store.transact(
        run(
            transaction -> {
              reads.accept(transaction);
              if (attempts.incrementAndGet() == 1) {
                store.transact(run(other));
              }
              transaction.put(key("unrelated"), key("x"));
            }));
    return attempts.get();
  }

  private static void refuses(
      Store store, ErrorCode code, java.util.function.Consumer<Transaction> work) {
    assertCode(code, () -> store.transact(run(work)));
  }

  static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.code()).isEqualTo(code));
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
