package dev.veridex.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.BucketLocation;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Scope;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Shards, offsets, leases, balancing and cleaning.
final class QueueTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Queue QUEUE =
      new Queue(new BucketLocation(new Scope.Tenant("acme"), 0, "jobs", 0), "main");

  private final MutableClock clock = MutableClock.daysAgo(0);
  private final Store store =
      new MemoryStore(
          new MemoryDisk(new Random(1)), clock, Duration.ofHours(1), Duration.ofDays(7));
  private final ReaderGroup group = new ReaderGroup(QUEUE, "readers");

  @AfterEach
  void stop() {
    store.close();
  }

  private <T> T in(Function<Transaction, T> work) {
    return store.transact(work::apply).result();
  }

  private <T> T at(Function<Reader, T> look) {
    try (Snapshot snapshot = store.snapshot()) {
      return look.apply(snapshot);
    }
  }

  private void append(int shard, int count) {
    in(
        transaction -> {
          for (int i = 0; i < count; i++) {
            QUEUE.append(transaction, shard, new byte[] {(byte) i});
          }
          return true;
        });
  }

  private List<Queue.Element> read(int shard, long after) {
    return at(reader -> QUEUE.read(reader, shard, after, 10_000, Long.MAX_VALUE));
  }

  private Optional<ReaderGroup.Lease> lease(String holder) {
    return in(
        transaction -> {
          group.use(transaction, 2, Optional.empty());
          return group.lease(transaction, 0, holder, LEASE);
        });
  }

  private boolean commit(ReaderGroup.Lease lease, long previous, long offset, int passed) {
    return in(
        transaction ->
            group.commit(transaction, 0, lease.token(), previous, offset, passed, LEASE));
  }

  private Optional<ReaderGroup.Lease> renewed(ReaderGroup.Lease lease) {
    return in(transaction -> group.renew(transaction, 0, lease.token(), LEASE));
  }

  private boolean released(ReaderGroup.Lease lease) {
    return in(transaction -> group.release(transaction, 0, lease.token()));
  }

  @Test
  void oneReaderAtATimeAndWhoLostTheShardCommitsNothing() {
    append(0, 3);
    long end = read(0, 0).getLast().idx();
    ReaderGroup.Lease first = lease("one").orElseThrow();
    assertThat(lease("two")).as("held").isEmpty();
    clock.advance(LEASE);
    ReaderGroup.Lease second = lease("two").orElseThrow();
    assertThat(second.token()).isGreaterThan(first.token());
    assertThat(commit(first, 0, end, 3)).as("it was lost").isFalse();
    assertThat(renewed(first)).isEmpty();
    assertThat(released(first)).isFalse();
    assertThat(commit(second, 7, end, 3)).as("the group is not there").isFalse();
    assertThat(commit(second, 0, end, 3)).isTrue();
    assertThat(commit(second, 0, end, 3)).as("twice").isFalse();
    assertThat(at(reader -> group.lag(reader, 0)).elements()).isZero();
    clock.advance(LEASE.minusSeconds(1));
    assertThat(lease("one")).as("a commit renews").isEmpty();
    assertThat(released(second)).isTrue();
    assertThat(lease("one")).isPresent();
  }

  @Test
  void whoeverIsSetBackReadsAgainAndTheReaderLosesTheShard() {
    append(0, 5);
    List<Queue.Element> all = read(0, 0);
    ReaderGroup.Lease lease = lease("one").orElseThrow();
    assertThat(commit(lease, 0, all.get(3).idx(), 4)).isTrue();
    in(
        transaction -> {
          group.reset(transaction, 0, all.get(0).idx());
          return true;
        });
    assertThat(commit(lease, all.get(3).idx(), all.get(4).idx(), 1)).isFalse();
    ReaderGroup.Lag lag = at(reader -> group.lag(reader, 0));
    assertThat(lag.elements()).isEqualTo(4);
    assertThat(lag.offset()).isEqualTo(all.get(0).idx());
    assertThat(lag.oldest()).contains(all.get(1).enqueuedAt());
  }

  @Test
  void groupsKnowNothingOfEachOther() {
    append(0, 2);
    ReaderGroup other = new ReaderGroup(QUEUE, "others");
    ReaderGroup.Lease lease = lease("one").orElseThrow();
    Optional<ReaderGroup.Lease> theirs =
        in(
            transaction -> {
              other.use(transaction, 2, Optional.empty());
              return other.lease(transaction, 0, "two", LEASE);
            });
    assertThat(theirs).isPresent();
    commit(lease, 0, read(0, 0).getLast().idx(), 2);
    assertThat(at(reader -> other.position(reader, 0)).offset()).isZero();
    assertThat(at(reader -> other.lag(reader, 0)).elements()).isEqualTo(2);
  }

  @Test
  void onlyWhatEverybodyHasReadAndIsOldIsRemoved() {
    QueueCleanup cleanup = new QueueCleanup(store, (_, _) -> true);
    QueueCleanup.Rules rules =
        new QueueCleanup.Rules(
            2, Optional.of(Duration.ofDays(30)), Optional.empty(), Optional.empty());
    append(0, 600);
    clock.advance(Duration.ofHours(2));
    assertThat(cleanup.run(QUEUE, rules)).as("nobody reads, nothing goes").isZero();
    ReaderGroup.Lease lease = lease("one").orElseThrow();
    List<Queue.Element> all = read(0, 0);
    commit(lease, 0, all.get(549).idx(), 550);
    append(0, 10);
    assertThat(cleanup.run(QUEUE, rules)).isEqualTo(550);
    assertThat(read(0, 0).getFirst().idx()).isEqualTo(all.get(550).idx());
    assertThat(at(reader -> group.lag(reader, 0)).elements()).isEqualTo(60);
    ReaderGroup late = new ReaderGroup(QUEUE, "late");
    in(
        transaction -> {
          late.use(transaction, 2, Optional.empty());
          return true;
        });
    assertThat(at(reader -> late.lag(reader, 0)).elements()).isEqualTo(60);
    append(0, 600);
    long end = read(0, 0).getLast().idx();
    in(
        transaction -> {
          group.reset(transaction, 0, end);
          return true;
        });
    assertThat(at(reader -> group.lag(reader, 0)).elements()).isZero();
    clock.advance(Duration.ofHours(2));
    assertThat(cleanup.run(QUEUE, rules)).as("the late ones hold it").isZero();
    clock.advance(Duration.ofDays(31));
    assertThat(cleanup.run(QUEUE, rules)).as("all are unused by now").isZero();
    List<ReaderGroup> left = at(reader -> ReaderGroup.of(reader, QUEUE));
    assertThat(left).isEmpty();
  }

  @Test
  void aGroupThatIsUsedIsKeptAndTokensGrowOverItsEnd() {
    Duration ttl = Duration.ofMinutes(10);
    QueueCleanup cleanup = new QueueCleanup(store, (_, _) -> true);
    QueueCleanup.Rules rules =
        new QueueCleanup.Rules(1, Optional.of(ttl), Optional.empty(), Optional.empty());
    append(0, 3);
    ReaderGroup.Lease lease = taken(ttl);
    assertThat(commit(lease, 0, read(0, 0).get(1).idx(), 2)).isTrue();
    for (int minute = 0; minute < 30; minute++) {
      clock.advance(Duration.ofMinutes(1));
      in(
          transaction -> {
            group.use(transaction, 1, Optional.of(ttl));
            return group.renew(transaction, 0, lease.token(), LEASE);
          });
      cleanup.run(QUEUE, rules);
    }
    assertThat(at(reader -> group.position(reader, 0)).offset()).isPositive();
    clock.advance(Duration.ofMinutes(11));
    cleanup.run(QUEUE, rules);
    assertThat(at(reader -> group.position(reader, 0)).offset()).as("it is unused").isZero();
    ReaderGroup.Lease again = taken(ttl);
    assertThat(again.token()).isGreaterThan(lease.token());
    assertThat(commit(lease, 0, read(0, 0).get(1).idx(), 2)).isFalse();
  }

  private ReaderGroup.Lease taken(Duration ttl) {
    return in(
        transaction -> {
          group.use(transaction, 1, Optional.of(ttl));
          return group.lease(transaction, 0, "one", LEASE).orElseThrow();
        });
  }

  /// A group that comes while somebody cleans loses nothing.
  @Test
  void cleaningLooksAgainBeforeItRemoves() {
    append(0, 20);
    clock.advance(Duration.ofDays(2));
    boolean[] come = {false};
    QueueCleanup cleanup =
        new QueueCleanup(
            store,
            (_, _) -> {
              if (!come[0]) {
                // Between its look and its commit.
                come[0] = true;
                lease("one");
              }
              return true;
            });
    assertThat(
            cleanup.run(
                QUEUE,
                new QueueCleanup.Rules(
                    1, Optional.empty(), Optional.of(Duration.ofDays(1)), Optional.empty())))
        .isZero();
    assertThat(read(0, 0)).hasSize(20);
    assertThat(at(reader -> group.lag(reader, 0)).elements()).isEqualTo(20);
  }

  @Test
  void withoutGroupsElementsLiveAsLongAsTheyAreSaidTo() {
    QueueCleanup cleanup = new QueueCleanup(store, (_, _) -> true);
    QueueCleanup.Rules rules =
        new QueueCleanup.Rules(
            1, Optional.empty(), Optional.of(Duration.ofDays(10)), Optional.empty());
    append(0, 600);
    clock.advance(Duration.ofDays(9));
    assertThat(cleanup.run(QUEUE, rules)).isZero();
    clock.advance(Duration.ofDays(2));
    assertThat(cleanup.run(QUEUE, rules)).isEqualTo(600);
    assertThat(read(0, 0)).isEmpty();
  }

  @Test
  void shardsAreBalancedToWithinOne() {
    List<LiveNodes> nodes = new ArrayList<>();
    for (int count = 1; count <= 5; count++) {
      nodes.add(new LiveNodes(store, "node" + count));
      nodes.forEach(LiveNodes::beat);
      clock.advance(Duration.ofSeconds(6));
      nodes.forEach(LiveNodes::beat);
      assertBalanced(nodes);
    }
    nodes.removeLast().leave();
    // This one is not heard of any more.
    nodes.removeFirst();
    for (int beats = 0; beats < 4; beats++) {
      clock.advance(Duration.ofSeconds(6));
      nodes.forEach(LiveNodes::beat);
    }
    assertBalanced(nodes);
  }

  private static void assertBalanced(List<LiveNodes> nodes) {
    int shards = 16;
    Map<LiveNodes, Integer> owned = new HashMap<>();
    for (int shard = 0; shard < shards; shard++) {
      int number = shard;
      List<LiveNodes> owners = nodes.stream().filter(node -> node.isOwn(QUEUE, number)).toList();
      assertThat(owners).as("shard %d of %d nodes", shard, nodes.size()).hasSize(1);
      owned.merge(owners.getFirst(), 1, Integer::sum);
    }
    assertThat(owned.values())
        .allSatisfy(
            count ->
                assertThat(count)
                    .isBetween(shards / nodes.size(), (shards - 1) / nodes.size() + 1));
  }

  @Test
  void keysStayInTheirShard() {
    assertThat(Queue.shard("offer-1", 7))
        .isEqualTo((int) Long.remainderUnsigned(Long.parseUnsignedLong("17646598144532302484"), 7));
    assertThat(IntStream.range(0, 1000).map(i -> Queue.shard("k" + i, 4)).distinct().count())
        .isEqualTo(4);
  }
}
