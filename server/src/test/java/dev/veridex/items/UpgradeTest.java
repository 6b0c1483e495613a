package dev.veridex.items;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.common.BucketLocation;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.KeyRange;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.ChangeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Upgrades of many items, of long histories, beside writers, and over restarts.
final class UpgradeTest {
  private static final int WRITES = 3000;
  private static final Namespace ACME = new Namespace("acme", Optional.empty());

  private final MutableClock clock = MutableClock.daysAgo(0);
  private final MemoryDisk disk = new MemoryDisk(new Random(1));
  private MemoryStore store;
  private Domain domain;
  private Token root;

  @BeforeEach
  void open() {
    store = new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7));
    Random random = new Random(2);
    domain =
        Domain.on(
            store,
            new Domain.Parts(
                random,
                random,
                ReversedItemStore.asSecondVersion(),
                _ -> false,
                TestAccess.SETTINGS));
    root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Caller caller() {
    return Caller.of(root);
  }

  private void bucket(String name) {
    domain
        .buckets()
        .buckets()
        .put(
            caller(),
            ACME,
            name,
            "items/1",
            Bucket.Definition.PLAIN,
            Optional.empty(),
            Optional.empty());
  }

  private Items.Request request(String bucket, String key) {
    return new Items.Request(new ActingCaller(caller(), Optional.empty()), ACME, bucket, key);
  }

  private void put(String bucket, String key, byte[] value) {
    domain
        .items()
        .items()
        .put(
            request(bucket, key),
            new Items.Content("text/plain", new TreeMap<>(), value, Optional.empty()),
            Items.Conditions.NONE);
  }

  private String get(String bucket, String key) {
    return new String(
        domain
            .items()
            .items()
            .read(request(bucket, key), new Items.Which.Current(), _ -> {})
            .value(),
        UTF_8);
  }

  private void begin(String bucket) {
    assertThat(domain.buckets().upgrades().begin(caller(), ACME, bucket, Optional.empty()))
        .isInstanceOf(ChangeResult.Done.class);
  }

  private ChangeResult<Bucket> finish(String bucket) {
    return domain.items().upgrades().finish(caller(), ACME, bucket);
  }

  @Test
  void manyItemsAreCopiedOverRestarts() {
    bucket("pages");
    for (int i = 0; i < 350; i++) {
      put("pages", "k" + i, ("v" + i).getBytes(UTF_8));
    }
    begin("pages");
    int steps = 0;
    while (domain.jobs().steps().runOnce()) {
      steps++;
      close();
      open();
    }
    assertThat(steps).as("a hundred at a time").isEqualTo(4);
    assertThat(finish("pages")).isInstanceOf(ChangeResult.Done.class);
    domain.jobs().runAll();
    for (int i = 0; i < 350; i++) {
      assertThat(get("pages", "k" + i)).isEqualTo("v" + i);
    }
    assertThat(
            new ContentIntegrity(store, Domain.contents(ReversedItemStore.asSecondVersion()))
                .run(_ -> {})
                .drift())
        .isEmpty();
  }

  @Test
  void aLongHistoryIsCopiedInPartsAndKeepsNobodyWaiting() {
    bucket("large");
    bucket("small");
    for (int i = 0; i < 20; i++) {
      put("large", "k", new byte[2 << 20]);
    }
    put("large", "z", "last".getBytes(UTF_8));
    put("small", "k", "v".getBytes(UTF_8));
    begin("large");
    begin("small");
    assertThat(domain.jobs().steps().runOnce()).isTrue();
    assertThat(domain.jobs().steps().runOnce()).isTrue();
    assertThat(finish("small")).as("its turn came").isInstanceOf(ChangeResult.Done.class);
    assertThat(finish("large")).isInstanceOf(ChangeResult.Refused.class);
    put("large", "k", new byte[2 << 20]);
    domain.jobs().runAll();
    assertThat(finish("large")).isInstanceOf(ChangeResult.Done.class);
    assertThat(get("large", "z")).isEqualTo("last");
    assertThat(
            domain.items().items().revisions(request("large", "k"), Optional.empty(), 100).items())
        .hasSize(21);
  }

  @Test
  void writersGoOnMeanwhile() throws InterruptedException {
    bucket("pages");
    for (int i = 0; i < 300; i++) {
      put("pages", "k" + i, "before".getBytes(UTF_8));
    }
    AtomicBoolean stop = new AtomicBoolean();
    List<Thread> writers = new ArrayList<>();
    for (int writer = 0; writer < 4; writer++) {
      int first = writer;
      writers.add(
          Thread.startVirtualThread(
              () -> {
                // Not without end: on a slow day each write makes what is to be compared longer.
                for (int i = 0; i < WRITES && !stop.get(); i++) {
                  int n = (first + 4 * i) % 400;
                  put("pages", "k" + n, ("during" + n).getBytes(UTF_8));
                }
              }));
    }
    begin("pages");
    domain.jobs().runAll();
    assertThat(finish("pages")).isInstanceOf(ChangeResult.Done.class);
    stop.set(true);
    for (Thread writer : writers) {
      writer.join();
    }
    domain.jobs().runAll();
    assertThat(
            new ContentIntegrity(store, Domain.contents(ReversedItemStore.asSecondVersion()))
                .run(_ -> {})
                .drift())
        .isEmpty();
    assertThat(get("pages", "k299")).isIn("before", "during299");
  }

  @Test
  void sidesThatDifferAreNotFinished() {
    bucket("pages");
    put("pages", "a", "one".getBytes(UTF_8));
    begin("pages");
    domain.jobs().runAll();
    long side = number();
    BucketLocation newSide = new BucketLocation(new Scope.Tenant("acme"), 0, "pages", side);
    store.transact(
        transaction -> {
          transaction.deleteRange(
              KeyRange.prefix(newSide.prefix(RecordKind.ITEM_VALUE).string("a").toKey()));
          return true;
        });
    assertThat(finish("pages"))
        .isInstanceOfSatisfying(
            ChangeResult.Refused.class,
            refused -> {
              Problem problem = refused.problem();
              assertThat(problem.code()).isEqualTo(ErrorCode.UPGRADE_DIFFERS);
              assertThat(problem.values()).containsEntry("key", "a");
            });
    assertThat(get("pages", "a")).as("nothing is lost").isEqualTo("one");
    assertThat(domain.buckets().upgrades().abort(caller(), ACME, "pages"))
        .isInstanceOf(ChangeResult.Done.class);
    begin("pages");
    domain.jobs().runAll();
    assertThat(finish("pages")).isInstanceOf(ChangeResult.Done.class);
  }

  private long number() {
    return domain
        .buckets()
        .buckets()
        .find(caller(), ACME, "pages")
        .bucket()
        .upgrade()
        .orElseThrow()
        .to()
        .number();
  }
}
