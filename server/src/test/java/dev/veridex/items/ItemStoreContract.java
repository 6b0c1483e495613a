package dev.veridex.items;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Scope;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// What every [ItemStore] must do.
public interface ItemStoreContract {
  BucketLocation PLACE = new BucketLocation(new Scope.Tenant("acme"), 0, "pages", 0);

  ItemStore items();

  MutableClock clock();

  /// The store of the transactions, opened anew with what was in it.
  Store open();

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private ItemRevision revision(long number, Optional<Duration> life) {
    Instant now = clock().instant();
    return new ItemRevision(
        new UUID(number, -number),
        now,
        false,
        "text/plain",
        new TreeMap<>(Map.of("x-store-a", "b")),
        5,
        life.map(now::plus),
        Optional.empty());
  }

  private static ItemRevision deleted(ItemRevision revision) {
    return new ItemRevision(
        revision.id(),
        revision.time(),
        true,
        "",
        new TreeMap<>(),
        0,
        revision.expiresAt(),
        Optional.empty());
  }

  private static void in(Store store, Consumer<Transaction> work) {
    store.transact(
        transaction -> {
          work.accept(transaction);
          return true;
        });
  }

  private static <T> T at(Store store, Function<Snapshot, T> look) {
    try (Snapshot snapshot = store.snapshot()) {
      return look.apply(snapshot);
    }
  }

  private Optional<ItemRevision> current(Store store, String key) {
    return at(store, snapshot -> items().current(snapshot, PLACE, key));
  }

  private Optional<byte[]> value(Store store, String key, UUID id) {
    return at(store, snapshot -> items().value(snapshot, PLACE, key, id));
  }

  private Optional<ItemRevision> revision(Store store, String key, UUID id) {
    return at(store, snapshot -> items().revision(snapshot, PLACE, key, id));
  }

  private List<String> keys(Store store, int limit) {
    return at(store, snapshot -> items().keys(snapshot, PLACE, Optional.empty(), limit));
  }

  /// Writes a revision as the rules do: the one before it becomes a past one.
  private void write(Store store, String key, ItemRevision next, String value) {
    in(
        store,
        transaction -> {
          items()
              .current(transaction, PLACE, key)
              .ifPresent(
                  before ->
                      items()
                          .putPast(
                              transaction,
                              PLACE,
                              key,
                              before.replaced(next.time()),
                              Optional.empty()));
          items()
              .putCurrent(
                  transaction,
                  PLACE,
                  key,
                  next,
                  next.deleted() ? Optional.empty() : Optional.of(bytes(value)));
        });
  }

  @Test
  default void whatIsWrittenIsReadAlsoAfterARestart() {
    ItemRevision first = revision(1, Optional.empty());
    try (Store store = open()) {
      assertThat(current(store, "a")).isEmpty();
      write(store, "a", first, "hello");
    }
    try (Store store = open()) {
      assertThat(current(store, "a")).contains(first);
      assertThat(value(store, "a", first.id()))
          .hasValueSatisfying(value -> assertThat(value).isEqualTo(bytes("hello")));
      assertThat(revision(store, "a", first.id())).contains(first);
      UUID other = new UUID(9, 9);
      assertThat(revision(store, "a", other)).isEmpty();
      assertThat(value(store, "a", other)).isEmpty();
    }
  }

  @Test
  default void revisionsComeNewestFirst() {
    try (Store store = open()) {
      // The sign bit must not matter: ids are unsigned.
      List<Long> numbers = List.of(1L, 2L, Long.MAX_VALUE, Long.MIN_VALUE, -1L);
      for (long number : numbers) {
        write(store, "a", revision(number, Optional.empty()), "v" + number);
        clock().advance(Duration.ofSeconds(1));
      }
      List<Long> newestFirst = numbers.reversed();
      assertThat(revisions(store, Optional.empty(), 10)).containsExactlyElementsOf(newestFirst);
      assertThat(revisions(store, Optional.empty(), 2))
          .containsExactlyElementsOf(newestFirst.subList(0, 2));
      UUID second = new UUID(Long.MIN_VALUE, Long.MIN_VALUE);
      assertThat(revisions(store, Optional.of(second), 10))
          .containsExactlyElementsOf(newestFirst.subList(2, 5));
    }
  }

  private List<Long> revisions(Store store, Optional<UUID> before, int limit) {
    return at(
        store,
        snapshot ->
            items().revisions(snapshot, PLACE, "a", before, limit).stream()
                .map(revision -> revision.id().getMostSignificantBits())
                .toList());
  }

  @Test
  default void theCurrentOneOfATimeIsFound() {
    try (Store store = open()) {
      Instant start = clock().instant();
      write(store, "a", revision(1, Optional.empty()), "one");
      clock().advance(Duration.ofSeconds(10));
      write(store, "a", revision(2, Optional.of(Duration.ofSeconds(5))), "two");
      assertThat(found(store, start.minusNanos(1000))).isEmpty();
      assertThat(found(store, start)).contains(1L);
      assertThat(found(store, start.plusSeconds(10).minusNanos(1000))).contains(1L);
      assertThat(found(store, start.plusSeconds(10))).contains(2L);
      assertThat(found(store, start.plusSeconds(1000))).contains(2L);
      clock().advance(Duration.ofSeconds(5));
      assertThat(found(store, start.plusSeconds(12)))
          .as("what was current then is forgotten, and nothing takes its place")
          .isEmpty();
      assertThat(found(store, start.plusSeconds(100))).isEmpty();
      assertThat(found(store, start.plusSeconds(9))).contains(1L);
      clock().advance(Duration.ofSeconds(5));
      write(store, "a", revision(3, Optional.empty()), "three");
      assertThat(found(store, start.plusSeconds(12))).isEmpty();
      assertThat(found(store, start.plusSeconds(20))).contains(3L);
    }
  }

  private Optional<Long> found(Store store, Instant time) {
    return at(store, snapshot -> items().at(snapshot, PLACE, "a", time))
        .map(revision -> revision.id().getMostSignificantBits());
  }

  @Test
  default void whatExpiresIsGoneAtTheVeryInstant() {
    try (Store store = open()) {
      ItemRevision brief = revision(1, Optional.of(Duration.ofMinutes(1)));
      write(store, "a", brief, "brief");
      clock().advance(Duration.ofMinutes(1).minusNanos(1000));
      assertThat(current(store, "a")).contains(brief);
      clock().advance(Duration.ofNanos(1000));
      assertThat(current(store, "a")).isEmpty();
      assertThat(value(store, "a", brief.id())).isEmpty();
      assertThat(revision(store, "a", brief.id())).isEmpty();
      assertThat(list(store, "", Optional.empty(), 10)).isEmpty();
      assertThat(keys(store, 10)).isEmpty();
    }
  }

  @Test
  default void aPastOneDoesNotTakeThePlaceOfOneThatExpired() {
    try (Store store = open()) {
      write(store, "a", revision(1, Optional.empty()), "old");
      write(store, "a", revision(2, Optional.of(Duration.ofMinutes(1))), "new");
      clock().advance(Duration.ofMinutes(1));
      assertThat(current(store, "a")).isEmpty();
      assertThat(revisions(store, Optional.empty(), 10)).containsExactly(1L);
      assertThat(keys(store, 10)).as("it still has a past").containsExactly("a");
      write(store, "a", revision(3, Optional.empty()), "newest");
      assertThat(revisions(store, Optional.empty(), 10)).containsExactly(3L, 1L);
    }
  }

  @Test
  default void deletedOnesAreListedAsSuch() {
    try (Store store = open()) {
      write(store, "a", revision(1, Optional.empty()), "one");
      write(store, "a", deleted(revision(2, Optional.empty())), "");
      assertThat(current(store, "a"))
          .hasValueSatisfying(current -> assertThat(current.deleted()).isTrue());
      assertThat(value(store, "a", new UUID(2, -2))).isEmpty();
      assertThat(value(store, "a", new UUID(1, -1))).isPresent();
      assertThat(list(store, "", Optional.empty(), 10)).containsExactly("a");
    }
  }

  @Test
  default void pastOnesGetAnotherEndOrGo() {
    try (Store store = open()) {
      write(store, "a", revision(1, Optional.empty()), "one");
      write(store, "a", revision(2, Optional.empty()), "two");
      write(store, "a", revision(3, Optional.empty()), "three");
      in(
          store,
          transaction -> {
            ItemRevision first =
                items().revision(transaction, PLACE, "a", new UUID(1, -1)).orElseThrow();
            items()
                .putPast(
                    transaction,
                    PLACE,
                    "a",
                    first.until(clock().instant().plusSeconds(60)),
                    items().value(transaction, PLACE, "a", first.id()));
            items().removePast(transaction, PLACE, "a", new UUID(2, -2));
          });
      assertThat(revisions(store, Optional.empty(), 10)).containsExactly(3L, 1L);
      assertThat(value(store, "a", new UUID(2, -2))).isEmpty();
      assertThat(value(store, "a", new UUID(1, -1)))
          .hasValueSatisfying(value -> assertThat(value).isEqualTo(bytes("one")));
      clock().advance(Duration.ofSeconds(60));
      assertThat(revisions(store, Optional.empty(), 10)).containsExactly(3L);
      assertThat(value(store, "a", new UUID(1, -1))).isEmpty();
    }
  }

  @Test
  default void keysAreListedByTheirBytes() {
    try (Store store = open()) {
      List<String> ordered =
          List.of("\0", "\0\0", "a", "a\0", "a\0b", "a/b", "aa", "ab", "b", "é", "\uFFFD", "😀");
      for (String key : ordered.reversed()) {
        write(store, key, revision(1, Optional.empty()), key);
      }
      assertThat(list(store, "", Optional.empty(), 100)).containsExactlyElementsOf(ordered);
      assertThat(keys(store, 100)).containsExactlyElementsOf(ordered);
      assertThat(list(store, "", Optional.empty(), 3)).containsExactly("\0", "\0\0", "a");
      assertThat(list(store, "", Optional.of("a"), 2)).containsExactly("a\0", "a\0b");
      assertThat(list(store, "a", Optional.empty(), 100))
          .containsExactly("a", "a\0", "a\0b", "a/b", "aa", "ab");
      assertThat(list(store, "a\0", Optional.empty(), 100)).containsExactly("a\0", "a\0b");
      assertThat(list(store, "a", Optional.of("\0"), 1))
          .as("before the prefix")
          .containsExactly("a");
      assertThat(list(store, "a", Optional.of("b"), 100)).as("after the prefix").isEmpty();
      assertThat(list(store, "zz", Optional.empty(), 100)).isEmpty();
    }
  }

  private List<String> list(Store store, String prefix, Optional<String> after, int limit) {
    return at(
        store,
        snapshot ->
            items().list(snapshot, PLACE, prefix, after, limit).stream()
                .map(ItemStore.KeyedRevision::key)
                .toList());
  }

  @Test
  default void placesAreApart() {
    try (Store store = open()) {
      write(store, "a", revision(1, Optional.empty()), "mine");
      for (BucketLocation other :
          List.of(
              new BucketLocation(new Scope.Tenant("acme"), 1, "pages", 0),
              new BucketLocation(new Scope.Tenant("acme"), 0, "pages", 1),
              new BucketLocation(new Scope.Tenant("acme"), 0, "page", 0),
              new BucketLocation(new Scope.Tenant("acm"), 0, "pages", 0),
              new BucketLocation(new Scope.TenantEnvironment("acme", "dev"), 0, "pages", 0))) {
        try (Snapshot snapshot = store.snapshot()) {
          assertThat(items().current(snapshot, other, "a")).isEmpty();
          assertThat(items().list(snapshot, other, "", Optional.empty(), 9)).isEmpty();
          assertThat(items().keys(snapshot, other, Optional.empty(), 9)).isEmpty();
          assertThat(items().revisions(snapshot, other, "a", Optional.empty(), 9)).isEmpty();
          assertThat(items().value(snapshot, other, "a", new UUID(1, -1))).isEmpty();
        }
      }
    }
  }

  @Test
  default void aTransactionThatFailsLeavesNothing() {
    try (Store store = open()) {
      try {
        in(
            store,
            transaction -> {
              items()
                  .putCurrent(
                      transaction,
                      PLACE,
                      "a",
                      revision(1, Optional.empty()),
                      Optional.of(bytes("x")));
              throw new IllegalStateException("on purpose");
            });
      } catch (IllegalStateException e) {
        assertThat(e).hasMessage("on purpose");
      }
      assertThat(list(store, "", Optional.empty(), 9)).isEmpty();
      assertThat(value(store, "a", new UUID(1, -1))).isEmpty();
    }
  }
}
