package dev.veridex.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestDomain;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.Store;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.Account;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Checks while commits stream in. Commit k lets somebody read exactly those documents whose bits
/// are set in k, so that the answers about all of them tell which state they come from.
final class AccessRaceTest {
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final int BITS = 12;
  private static final int READERS = 3;

  @TempDir private Path folder;

  @Test
  @Tag("campaign")
  void everyAnswerIsOneStateBetweenBeforeAndAfter() throws Exception {
    int commits = Math.min((1 << BITS) - 1, Campaign.ACCESS_RACE.size());
    MutableClock clock = MutableClock.daysAgo(0);
    try (ExecutorService loader = Executors.newSingleThreadExecutor();
        Store store =
            RocksStore.open(
                folder.resolve("store"), RocksSettings.DEFAULT, clock, clock, new Random(1))) {
      Random random = new Random(1);
      Domain domain =
          Domain.on(
              store,
              new Domain.Parts(
                  random,
                  random,
                  Domain.itemVersions(),
                  _ -> false,
                  new AccessSettings(1L << 30, AccessSettings.PAST_RETENTION, loader)));
      Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
      domain
          .tenancy()
          .accounts()
          .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
      new Race(domain, store, root, commits).run();
    }
  }

  private static final class Race {
    private final Domain domain;
    private final Store store;
    private final Token root;
    private final int commits;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicReferenceArray<Revision> revisions;
    private final AtomicLong fromMemory = new AtomicLong();
    private final List<RightsChecker.Query> asked = new ArrayList<>();

    private Race(Domain domain, Store store, Token root, int commits) {
      this.domain = domain;
      this.store = store;
      this.root = root;
      this.commits = commits;
      this.revisions = new AtomicReferenceArray<>(commits + 1);
      revisions.set(0, store.revision());
      for (int bit = 0; bit < BITS; bit++) {
        asked.add(
            new RightsChecker.Query(
                CheckRequest.of("u", "d" + bit, Optional.empty(), Optional.empty()), false));
      }
    }

    private void run() throws InterruptedException, ExecutionException {
      try (ExecutorService threads = Executors.newFixedThreadPool(READERS + 1)) {
        List<Future<?>> all = new ArrayList<>();
        for (int reader = 0; reader < READERS; reader++) {
          int seed = reader;
          all.add(threads.submit(called(() -> read(new Random(seed)))));
        }
        all.add(threads.submit(called(this::write)));
        for (Future<?> each : all) {
          each.get();
        }
      }
      assertThat(fromMemory.get()).as("answers while it was in memory").isPositive();
    }

    private static Callable<Boolean> called(Runnable work) {
      return () -> {
        work.run();
        return true;
      };
    }

    private void write() {
      Random random = new Random(7);
      for (int k = 1; k <= commits; k++) {
        List<MessageInput> inputs = new ArrayList<>();
        for (int bit = 0; bit < BITS; bit++) {
          if ((k >> bit & 1) != ((k - 1) >> bit & 1)) {
            inputs.add(MessageInput.of(statement(bit, (k >> bit & 1) == 1)));
          }
        }
        begun.set(k);
        revisions.set(k, domain.access().index().put(root, ACME, inputs).revision());
        acknowledged.set(k);
        if (random.nextInt(200) == 0) {
          TestDomain.rebuild(domain, root, ACME);
        }
      }
    }

    private static ObjectNode statement(int bit, boolean reads) {
      return JsonNodeFactory.instance
          .objectNode()
          .put("@id", "p" + bit)
          .put("rdf:type", "v-s:PermissionStatement")
          .put("v-s:permissionObject", "d" + bit)
          .put("v-s:permissionSubject", "u")
          .put("v-s:canRead", reads);
    }

    private void read(Random random) {
      while (acknowledged.get() < commits) {
        int before = acknowledged.get();
        Optional<Revision> atLeast =
            switch (random.nextInt(3)) {
              case 0 -> Optional.of(revisions.get(before));
              // Of a commit, perhaps, that nobody was told of yet.
              case 1 -> Optional.of(store.revision());
              default -> Optional.empty();
            };
        AtRevision<List<RightsChecker.Answer>> checked =
            domain.access().checker().check(Caller.of(root), ACME, asked, new AsOf.Now(atLeast));
        int after = begun.get();
        int k = 0;
        for (int bit = 0; bit < BITS; bit++) {
          k |= checked.value().get(bit).rights() == Rights.READ ? 1 << bit : 0;
        }
        assertThat(k).isBetween(before, after);
        isOf(checked.revision(), k);
        atLeast.ifPresent(
            revision ->
                assertThat(checked.revision().sequence())
                    .as("as fresh as was asked for")
                    .isGreaterThanOrEqualTo(revision.sequence()));
        if (domain.access().compiled().status(ACME.scope()).state()
            == IndexLoadStatus.State.LOADED) {
          fromMemory.incrementAndGet();
        }
      }
    }

    /// A revision shows the last commit that it is not before.
    private void isOf(Revision revision, int k) {
      Revision own = revisions.get(k);
      if (own != null) {
        assertThat(revision.sequence()).as("state %s", k).isGreaterThanOrEqualTo(own.sequence());
      }
      Revision next = k < commits ? revisions.get(k + 1) : null;
      if (next != null) {
        assertThat(revision.sequence()).as("state %s", k).isLessThan(next.sequence());
      }
    }
  }
}
