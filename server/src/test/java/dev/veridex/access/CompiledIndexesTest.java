package dev.veridex.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestDomain;
import dev.veridex.access.IndexLoadStatus.State;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.ledger.AccessIndexVersion;
import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.access.statement.RecordId;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Scope;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.tenancy.Account;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Indexes come into memory, follow commits, make room for each other, and whatever becomes of them
/// no answer changes.
final class CompiledIndexesTest {
  private final MutableClock clock = MutableClock.daysAgo(0);
  private final Deque<Runnable> loads = new ArrayDeque<>();
  private Store store = open();
  private Domain domain = domain(1 << 20);
  private Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");

  private Store open() {
    return new MemoryStore(
        new MemoryDisk(new Random(1)), clock, Duration.ofHours(1), Duration.ofDays(8));
  }

  private Domain domain(long budget) {
    Random random = new Random(1);
    return Domain.on(
        store,
        new Domain.Parts(
            random,
            random,
            Domain.itemVersions(),
            _ -> false,
            new AccessSettings(budget, AccessSettings.PAST_RETENTION, loads::add)));
  }

  @BeforeEach
  void arrange() {
    for (String account : List.of("a", "b")) {
      domain
          .tenancy()
          .accounts()
          .put(root, account, Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static Namespace namespace(String account) {
    return new Namespace(account, Optional.empty());
  }

  private void grant(String account, int from, int to) {
    List<MessageInput> inputs = new ArrayList<>();
    for (int n = from; n < to; n++) {
      inputs.add(MessageInput.of(statement(n)));
    }
    domain.access().index().put(root, namespace(account), inputs);
  }

  private static ObjectNode statement(int n) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("@id", "p" + n)
        .put("rdf:type", "v-s:PermissionStatement")
        .put("v-s:permissionObject", "d" + n)
        .put("v-s:permissionSubject", "u")
        .put("v-s:canRead", true);
  }

  private boolean reads(String account, int n) {
    CheckRequest question = CheckRequest.of("u", "d" + n, Optional.empty(), Optional.empty());
    return domain
            .access()
            .checker()
            .check(
                Caller.of(root),
                namespace(account),
                List.of(new RightsChecker.Query(question, false)),
                AsOf.now())
            .value()
            .getFirst()
            .rights()
        == Rights.READ;
  }

  private State state(String account) {
    return domain.access().compiled().status(namespace(account).scope()).state();
  }

  private void load() {
    while (!loads.isEmpty()) {
      loads.remove().run();
    }
  }

  @Test
  void anIndexIsReadWhenSomebodyAsksAndFollowsCommits() {
    grant("a", 0, 10);
    assertThat(state("a")).isEqualTo(State.ABSENT);
    assertThat(reads("a", 3)).isTrue();
    assertThat(state("a")).isEqualTo(State.LOADING);
    assertThat(loads).hasSize(1);
    assertThat(reads("a", 3)).isTrue();
    assertThat(loads).as("once is enough").hasSize(1);
    load();
    assertThat(state("a")).isEqualTo(State.LOADED);
    assertThat(domain.access().compiled().status(namespace("a").scope()).records()).isEqualTo(11);
    grant("a", 10, 12);
    assertThat(reads("a", 11)).isTrue();
    assertThat(reads("a", 12)).isFalse();
    assertThat(loads).as("by its difference").isEmpty();
    assertThat(domain.access().compiled().status(namespace("a").scope()).records()).isEqualTo(13);
  }

  @Test
  void whatIsCommittedWhileItIsReadIsNotMissed() {
    grant("a", 0, 10);
    assertThat(reads("a", 3)).isTrue();
    grant("a", 10, 11);
    assertThat(reads("a", 10)).isTrue();
    load();
    assertThat(state("a")).isEqualTo(State.LOADED);
    grant("a", 11, 12);
    assertThat(reads("a", 11)).isTrue();
    assertThat(loads).isEmpty();
  }

  @Test
  void aRebuiltIndexIsReadAnew() {
    grant("a", 0, 10);
    assertThat(reads("a", 3)).isTrue();
    load();
    TestDomain.rebuild(domain, root, namespace("a"));
    assertThat(reads("a", 3)).isTrue();
    assertThat(state("a")).isEqualTo(State.LOADING);
    load();
    assertThat(reads("a", 3)).isTrue();
    assertThat(loads).isEmpty();
  }

  @Test
  void whatIsUnusedMakesRoomAndWhatIsUsedDoesNot() {
    domain = domain(40_000);
    grant("a", 0, 200);
    grant("b", 0, 200);
    assertThat(reads("a", 3)).isTrue();
    load();
    assertThat(state("a")).isEqualTo(State.LOADED);
    assertThat(reads("b", 3)).isTrue();
    load();
    assertThat(state("b")).as("the other one was just used").isEqualTo(State.TOO_LARGE);
    assertThat(reads("b", 3)).isTrue();
    assertThat(loads).as("not again at once").isEmpty();
    clock.advance(Duration.ofMinutes(2));
    assertThat(reads("b", 3)).isTrue();
    load();
    assertThat(state("b")).isEqualTo(State.LOADED);
    assertThat(state("a")).isEqualTo(State.ABSENT);
    assertThat(reads("a", 199)).isTrue();
    assertThat(domain.access().compiled().bytes()).isLessThan(40_000);
  }

  @Test
  void whatGrowsTooLargeIsLetGo() {
    domain = domain(100_000);
    grant("a", 0, 200);
    assertThat(reads("a", 3)).isTrue();
    load();
    assertThat(state("a")).isEqualTo(State.LOADED);
    for (int n = 200; n < 20_000; n += 500) {
      grant("a", n, n + 500);
    }
    assertThat(state("a")).isNotEqualTo(State.LOADED);
    assertThat(reads("a", 19_999)).isTrue();
  }

  /// A state in memory may be a little older than what a reader sees, while somebody commits, but
  /// never newer: what changed since, the reader would not find in its log.
  @Test
  void nobodyIsAnsweredFromAStateAfterWhatItSees() {
    domain = domain(1L << 30);
    grant("a", 0, 3);
    assertThat(reads("a", 1)).isTrue();
    load();
    CompiledIndexes compiled = domain.access().compiled();
    Scope scope = namespace("a").scope();
    try (Snapshot before = store.snapshot()) {
      grant("a", 3, 4);
      try (CompiledIndexes.IndexUpdate update = compiled.begin(scope);
          Snapshot now = store.snapshot()) {
        assertThat(compiled.stateBeforeCommit(now, scope)).isPresent();
        assertThat(compiled.stateBeforeCommit(before, scope)).isEmpty();
        update.unchanged();
      }
    }
  }

  /// Whoever makes room waits for those who are changed, and those who have grown for room: never
  /// for each other.
  @Test
  void aCommitThatMakesAnIndexGrowDoesNotMeetAnEviction() throws InterruptedException {
    domain = domain(140_000);
    grant("a", 0, 300);
    grant("b", 0, 400);
    assertThat(reads("a", 3)).isTrue();
    load();
    CompiledIndexes compiled = domain.access().compiled();
    Scope scope = namespace("a").scope();
    AccessIndexVersion version;
    try (Snapshot snapshot = store.snapshot()) {
      version = compiled.find(snapshot, scope).orElseThrow().version();
    }
    clock.advance(Duration.ofMinutes(2));
    CountDownLatch applying = new CountDownLatch(1);
    CountDownLatch loading = new CountDownLatch(1);
    Map<RecordId, AclRecord> slow =
        new HashMap<>() {
          @Override
          public void forEach(BiConsumer<? super RecordId, ? super AclRecord> visitor) {
            applying.countDown();
            try {
              // Until the other one wants our room; it cannot say when it waits for it.
              boolean _ = loading.await(200, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        };
    Thread writer =
        Thread.ofPlatform()
            .daemon()
            .start(
                () ->
                    compiled
                        .begin(scope)
                        .committed(
                            new RecordChanges(
                                version,
                                version.withChanges(version.changes() + 1),
                                slow,
                                Map.of(),
                                clock.instant()),
                            store.revision()));
    applying.await();
    assertThat(reads("b", 3)).isTrue();
    Thread loader = Thread.ofPlatform().daemon().start(this::load);
    writer.join(Duration.ofSeconds(20));
    loader.join(Duration.ofSeconds(20));
    assertThat(writer.isAlive() || loader.isAlive()).as("waiting for each other").isFalse();
  }

  @Test
  void whatIsTriedStaysNowhere() {
    grant("a", 0, 10);
    assertThat(reads("a", 3)).isTrue();
    load();
    long before = domain.access().compiled().bytes();
    for (int i = 0; i < 5; i++) {
      ObjectNode tried = statement(i);
      ArrayNode subjects = tried.putArray("v-s:permissionSubject");
      for (int n = 0; n < 100; n++) {
        subjects.add("somebody %d %d".formatted(i, n));
      }
      WhatIf.Outcome outcome =
          domain
              .access()
              .whatIf()
              .tried(
                  namespace("a"),
                  List.of(MessageInput.of(tried)),
                  Optional.empty(),
                  new AsOf.Now(Optional.empty()))
              .value();
      assertThat(outcome.differences().appear()).containsExactly(0L, 100L, 0L, 0L);
    }
    assertThat(domain.access().compiled().bytes()).isEqualTo(before);
  }

  @Test
  void aDeletedIndexIsNotThatOfTheNextOne() {
    grant("a", 0, 10);
    assertThat(reads("a", 3)).isTrue();
    load();
    domain.tenancy().accounts().delete(root, "a", Optional.empty());
    domain.jobs().runAll();
    domain
        .tenancy()
        .accounts()
        .put(root, "a", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    assertThat(reads("a", 3)).isFalse();
    grant("a", 0, 2);
    assertThat(reads("a", 3)).isFalse();
    assertThat(reads("a", 1)).isTrue();
    load();
    assertThat(state("a")).isEqualTo(State.LOADED);
    assertThat(reads("a", 3)).isFalse();
    assertThat(reads("a", 1)).isTrue();
  }
}
