package dev.veridex.store;

import static dev.veridex.store.StoreTesting.assertCode;
import static dev.veridex.store.StoreTesting.attemptsAgainst;
import static dev.veridex.store.StoreTesting.counters;
import static dev.veridex.store.StoreTesting.get;
import static dev.veridex.store.StoreTesting.hexKeys;
import static dev.veridex.store.StoreTesting.key;
import static dev.veridex.store.StoreTesting.keys;
import static dev.veridex.store.StoreTesting.put;
import static dev.veridex.store.StoreTesting.putExpiring;
import static dev.veridex.store.StoreTesting.refuses;
import static dev.veridex.store.StoreTesting.run;
import static dev.veridex.store.StoreTesting.scan;
import static dev.veridex.store.StoreTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Revision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What a store does with records, counters and appended elements, one transaction at a time.
public interface StoreRecordsContract extends StoreFixture {
  @Test
  default void readsWhatWasWritten() {
    try (Store store = open()) {
      put(store, "a", "1");
      assertThat(get(store, "a")).contains("1");
      assertThat(get(store, "b")).isEmpty();
      assertThat(get(store, "")).as("no record has an empty key").isEmpty();
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

  @Test
  default void appendedElementsMayExpire() {
    try (Store store = open()) {
      AppendedRecord appended =
          store.transact(t -> t.append(key("q/"), key("x"), t.now().plusSeconds(90))).result();
      assertThat(get(store, appended.key())).contains("x");
      clock().advance(Duration.ofSeconds(90));
      assertThat(get(store, appended.key())).isEmpty();
      assertCode(
          ErrorCode.INVALID_TTL, () -> store.transact(t -> t.append(key("q/"), key("x"), t.now())));
    }
  }

  @Test
  default void appendedNumbersRiseInCommitOrderAndAreNeverReused() {
    try (Store store = open()) {
      List<Long> numbers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        List<AppendedRecord> appended =
            store
                .transact(
                    transaction ->
                        List.of(
                            transaction.append(key("q/"), key("x")),
                            transaction.append(key("r/"), key("y")),
                            transaction.append(key("q/"), key("z"))))
                .result();
        assertThat(get(store, appended.getLast().key())).contains("z");
        assertThat(AppendedRecord.numberOf(appended.getLast().key()))
            .isEqualTo(appended.getLast().number());
        numbers.add(appended.getFirst().number());
        numbers.add(appended.getLast().number());
        store.transact(run(transaction -> transaction.deleteRange(KeyRange.ALL)));
      }
      assertThat(numbers).isSorted().doesNotHaveDuplicates().allMatch(number -> number > 0);
    }
    try (Store store = open()) {
      AppendedRecord later = store.transact(t -> t.append(key("q/"), key("x"))).result();
      assertThat(later.number()).isGreaterThan(3L << 16);
    }
  }

  @Test
  default void anAppendIsSeenAfterItsCommitOnly() {
    try (Store store = open()) {
      KeyRange queue = KeyRange.prefix(key("q/"));
      AppendedRecord appended =
          store
              .transact(
                  transaction -> {
                    AppendedRecord element = transaction.append(key("q/"), key("x"));
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
              attemptsAgainst(store, StoreTesting::counters, other -> other.add(key("another"), 1)))
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

  @Test
  default void aRangeIsDeletedWithItsCounters() {
    try (Store store = open()) {
      byte[] longest = new byte[Transaction.MAX_KEY_BYTES];
      Arrays.fill(longest, (byte) 0xFF);
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
      byte[] farTooLong = new byte[Transaction.MAX_KEY_BYTES + 2];
      Arrays.fill(farTooLong, (byte) 0xFF);
      refuses(store, ErrorCode.INVALID_KEY, t -> t.deleteRange(KeyRange.from(farTooLong)));
      refuses(
          store, ErrorCode.INVALID_KEY, t -> t.deleteRange(KeyRange.between(key("a"), farTooLong)));
      byte[] large = new byte[Transaction.MAX_VALUE_BYTES];
      refuses(
          store,
          ErrorCode.TRANSACTION_TOO_LARGE,
          t -> {
            for (int i = 0; i < Transaction.MAX_TRANSACTION_BYTES / large.length; i++) {
              t.put(key("a" + i), large);
            }
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
      Arrays.fill(longest, (byte) 0xFF);
      store.transact(run(transaction -> transaction.put(longest, new byte[0])));
      KeyRange behind = KeyRange.from(KeyRange.successor(longest));
      store.transact(run(transaction -> transaction.deleteRange(behind)));
      assertThat(get(store, longest)).contains("");
    }
  }
}
