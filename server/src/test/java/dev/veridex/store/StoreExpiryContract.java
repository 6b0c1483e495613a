package dev.veridex.store;

import static dev.veridex.store.StoreTesting.get;
import static dev.veridex.store.StoreTesting.key;
import static dev.veridex.store.StoreTesting.put;
import static dev.veridex.store.StoreTesting.putExpiring;
import static dev.veridex.store.StoreTesting.run;
import static dev.veridex.store.StoreTesting.scan;
import static dev.veridex.store.StoreTesting.text;
import static dev.veridex.store.StoreTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.Expiry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// When records are gone, and when they are removed.
public interface StoreExpiryContract extends StoreFixture {
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
      assertThat(recordsHeld(store)).isEqualTo(6);
      clock().advance(GRACE.plus(Duration.ofDays(61)));
      collect(store);
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD))
            .containsExactly("later=1", "latest=1", "permanent=1");
      }
      assertThat(recordsHeld(store)).isEqualTo(3);
    }
  }

  @Test
  default void recordsFromBeforeARestartAreCollectedToo() {
    try (Store store = open()) {
      putExpiring(store, "day", "1", Duration.ofMinutes(1));
      putExpiring(store, "long", "1", Duration.ofDays(30));
    }
    try (Store store = open()) {
      clock().advance(GRACE.plus(Duration.ofDays(1)));
      collect(store);
      assertThat(recordsHeld(store)).isEqualTo(1);
    }
    try (Store store = open()) {
      clock().advance(Duration.ofDays(31));
      collect(store);
      assertThat(recordsHeld(store)).isZero();
    }
  }

  @Test
  default void anExpiredRecordIsShownAsSuchForExactlyItsGrace() {
    try (Store store = open()) {
      Instant expiresAt = clock().instant().plusSeconds(60);
      store.transact(run(transaction -> transaction.put(key("e"), key("1"), expiresAt)));
      clock().set(expiresAt.plus(GRACE).minusNanos(1000));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(snapshot.entry(key("e"))).isPresent();
      }
      clock().set(expiresAt.plus(GRACE));
      try (Snapshot snapshot = store.snapshot();
          Cursor cursor = snapshot.scanWithExpired(KeyRange.ALL, Direction.FORWARD)) {
        assertThat(snapshot.entry(key("e"))).as("whether collected or not").isEmpty();
        assertThat(cursor.next()).isFalse();
      }
      assertThat(recordsHeld(store)).isEqualTo(1);
    }
  }

  @Test
  default void collectingLeavesOpenSnapshotsAlone() {
    try (Store store = open()) {
      put(store, "k", "before");
      try (Snapshot snapshot = store.snapshot()) {
        putExpiring(store, "k", "after", Duration.ofMinutes(1));
        clock().advance(GRACE.plusMinutes(2));
        collect(store);
        assertThat(text(snapshot.get(key("k")))).isEqualTo("before");
      }
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
      assertThat(recordsHeld(store)).isZero();
    }
  }
}
