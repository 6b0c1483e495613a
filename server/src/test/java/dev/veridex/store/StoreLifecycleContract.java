package dev.veridex.store;

import static dev.veridex.store.StoreTesting.assertCode;
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
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Revision;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Revisions, changes, and what outlives a store's closing.
public interface StoreLifecycleContract extends StoreFixture {
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
      CommitResult<AppendedRecord> second =
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
      assertThat(commits.get(1).changes().stream().map(StoreTesting::describe))
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
  default void aTimeHasItsRevision() {
    try (Store store = open()) {
      Instant start = clock().instant();
      put(store, "a", "1");
      Revision first = store.revision();
      clock().advance(Duration.ofSeconds(2));
      put(store, "a", "2");
      put(store, "a", "3");
      Revision third = store.revision();
      assertCode(ErrorCode.BAD_REQUEST, () -> store.revisionAt(clock().instant()));
      clock().advance(Duration.ofSeconds(1));
      put(store, "a", "4");
      clock().advance(Duration.ofSeconds(1));
      assertThat(store.timeOf(third)).isEqualTo(start.plusSeconds(2));
      assertThat(store.revisionAt(start.minusNanos(1000)).sequence()).isZero();
      assertThat(store.revisionAt(start)).isEqualTo(first);
      assertThat(store.revisionAt(start.plusMillis(1999))).isEqualTo(first);
      assertThat(store.revisionAt(start.plusSeconds(2))).isEqualTo(third);
      assertThat(store.revisionAt(start.plusMillis(3500))).isEqualTo(store.revision());
      assertCode(ErrorCode.BAD_REQUEST, () -> store.revisionAt(start.plusSeconds(60)));
      assertCode(
          ErrorCode.UNKNOWN_REVISION,
          () -> store.timeOf(new Revision(first.storeId(), store.revision().sequence() + 1)));
      clock().advance(CHANGE_RETENTION.minusSeconds(3));
      collect(store);
      assertCode(ErrorCode.REVISION_TOO_OLD, () -> store.timeOf(first));
      assertCode(ErrorCode.REVISION_TOO_OLD, () -> store.revisionAt(start));
      assertThat(store.revisionAt(start.plusSeconds(2))).isEqualTo(third);
    }
  }

  /// Also while commits are made: what a time's revision was once it is for ever.
  @Test
  default void theRevisionOfATimeStaysTheSame() throws InterruptedException {
    try (Store store = open()) {
      put(store, "a", "0");
      clock().advance(Duration.ofMillis(1));
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 300; i++) {
                      put(store, "a", "1");
                    }
                  });
      Map<Instant, Revision> said = new HashMap<>();
      while (writer.isAlive()) {
        Instant time = clock().instant();
        clock().advance(Duration.ofNanos(1000));
        said.put(time, store.revisionAt(time));
      }
      writer.join();
      clock().advance(Duration.ofMillis(1));
      said.forEach((time, revision) -> assertThat(store.revisionAt(time)).isEqualTo(revision));
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
    assertCode(ErrorCode.CLOSED, () -> store.changesSince(store.revision(), 1));
  }

  @Test
  default void closingWaitsForThoseWhoRead() throws InterruptedException {
    Store store = open();
    put(store, "a", "1");
    Snapshot snapshot = store.snapshot();
    Cursor cursor = snapshot.scan(KeyRange.ALL, Direction.FORWARD);
    Thread closing = Thread.ofPlatform().start(store::close);
    while (true) {
      try {
        store.snapshot().close();
      } catch (StoreException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CLOSED);
        break;
      }
    }
    snapshot.close();
    assertThatIllegalStateException().isThrownBy(() -> snapshot.get(key("a")));
    assertThat(cursor.next()).as("a cursor lives until it is closed").isTrue();
    assertThat(cursor.value()).isEqualTo(key("1"));
    assertThat(closing.isAlive()).isTrue();
    cursor.close();
    closing.join();
    open().close();
  }

  @Test
  default void aTransactionUnderWayWhenTheStoreIsClosedEndsWell() throws InterruptedException {
    Store store = open();
    Thread[] closing = new Thread[1];
    store.transact(
        run(
            transaction -> {
              closing[0] = Thread.ofPlatform().start(store::close);
              transaction.put(key("a"), key("1"));
            }));
    closing[0].join();
    try (Store again = open()) {
      assertThat(get(again, "a")).contains("1");
    }
  }

  @Test
  default void aBackupUnderWritersIsOneState(@TempDir Path parent) throws InterruptedException {
    assumeFalse(lacks().contains(Capability.BACKUP), "this engine has no backups");
    AtomicBoolean stop = new AtomicBoolean();
    List<Thread> writers = new ArrayList<>();
    try (Store store = open()) {
      for (int i = 0; i < 4; i++) {
        String own = "writer-" + i;
        writers.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (int n = 1; !stop.get(); n++) {
                        String number = String.valueOf(n);
                        store.transact(
                            run(
                                transaction -> {
                                  transaction.put(key(own + "/a"), key(number));
                                  transaction.put(
                                      key(own + "/b"),
                                      key(number),
                                      transaction.now().plusSeconds(90));
                                  transaction.add(key("commits"), 1);
                                }));
                      }
                    }));
      }
      for (int i = 0; i < 5; i++) {
        long atLeast = store.revision().sequence();
        Path folder = parent.resolve("backup-" + i);
        store.backup(folder);
        try (Store backup = open(folder);
            Snapshot snapshot = backup.snapshot()) {
          assertThat(backup.revision().sequence()).isGreaterThanOrEqualTo(atLeast);
          assertThat(snapshot.counter(key("commits"))).isEqualTo(backup.revision().sequence());
          for (int w = 0; w < 4; w++) {
            assertThat(text(snapshot.get(key("writer-" + w + "/a"))))
                .isEqualTo(text(snapshot.get(key("writer-" + w + "/b"))));
          }
        }
      }
      stop.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
    }
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
}
