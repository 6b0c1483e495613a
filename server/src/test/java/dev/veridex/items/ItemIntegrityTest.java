package dev.veridex.items;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Transaction;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.tenancy.Account;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ItemIntegrityTest {
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final BucketLocation PAGES =
      new BucketLocation(new Scope.Tenant("acme"), 0, "pages", 0);

  private final MemoryStore store =
      new MemoryStore(
          new MemoryDisk(new Random(1)),
          MutableClock.daysAgo(0),
          Duration.ofHours(1),
          Duration.ofDays(7));

  @BeforeEach
  void fill() {
    Random random = new Random(1);
    Domain domain =
        Domain.on(
            store,
            new Domain.Parts(
                random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
    Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
    Caller caller = Caller.of(root);
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    domain
        .buckets()
        .buckets()
        .put(
            caller,
            ACME,
            "pages",
            "items",
            Bucket.Definition.PLAIN,
            Optional.empty(),
            Optional.empty());
    for (String key : List.of("a", "b", "a")) {
      domain
          .items()
          .items()
          .put(
              new Items.Request(new ActingCaller(caller, Optional.empty()), ACME, "pages", key),
              new Items.Content(
                  "text/plain", new TreeMap<>(), "hello".getBytes(UTF_8), Optional.empty()),
              Items.Conditions.NONE);
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  private List<String> driftAfter(Consumer<Transaction> damage) {
    store.transact(
        transaction -> {
          damage.accept(transaction);
          return true;
        });
    return new ContentIntegrity(store, Domain.contents(Domain.itemVersions())).run(_ -> {}).drift();
  }

  @Test
  void whatAgreesIsNoDrift() {
    assertThat(driftAfter(_ -> {})).isEmpty();
  }

  @Test
  void missingBytesAreFound() {
    assertThat(
            driftAfter(
                transaction ->
                    transaction.deleteRange(
                        KeyRange.prefix(PAGES.prefix(RecordKind.ITEM_VALUE).string("b").toKey()))))
        .singleElement()
        .asString()
        .contains("-1 bytes instead of 5");
  }

  @Test
  void wrongCountsAreFound() {
    byte[] counter;
    try (Snapshot snapshot = store.snapshot()) {
      counter =
          snapshot.counters(KeyRange.ALL).stream()
              .filter(each -> each.sum() == 15)
              .map(Reader.Counter::key)
              .findFirst()
              .orElseThrow();
    }
    assertThat(driftAfter(transaction -> transaction.add(counter, -1)))
        .singleElement()
        .asString()
        .contains("14 bytes are counted, 15 are there");
  }

  @Test
  void anItemThatIsNotCountedIsFound() {
    assertThat(
            driftAfter(
                transaction ->
                    transaction.deleteRange(
                        KeyRange.prefix(PAGES.prefix(RecordKind.ITEM).string("b").toKey()))))
        .as("in the bucket and in the account, items and bytes")
        .hasSize(4);
  }
}
