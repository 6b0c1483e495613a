package dev.veridex.accounts;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.common.MutableClock;
import dev.veridex.common.Scope;
import dev.veridex.common.Space;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/// An account with one of everything is deleted; the clean-up is stopped after any number of steps
/// and goes on after a restart. In the end nothing of it is left in the raw store.
///
/// Whatever can be put into an account adds itself to [#EVERYTHING].
final class DeletionTest {
  private static final String SECRET = "the root secret";

  /// What fills a scope of an account, given the scope.
  private static final List<BiConsumer<World, Scope>> EVERYTHING =
      List.of(
          (world, scope) -> {
            for (int i = 0; i < 600; i++) {
              world.tokens.mint(world.root, TokenRequest.plain(scope));
            }
          });

  private final MutableClock clock = MutableClock.daysAgo(0);

  private static final class World {
    private final MemoryStore store;
    private final Tokens tokens;
    private final Accounts accounts;
    private final Environments environments;
    private final Cleaner cleaner;
    private final Token root;

    private World(MemoryDisk disk, MutableClock clock) {
      store = new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7));
      StoredIncarnations incarnations = new StoredIncarnations();
      AuditLog audit = new AuditLog(incarnations);
      tokens = new Tokens(store, audit, incarnations, new Random(2));
      accounts = new Accounts(store, audit, incarnations);
      environments =
          new Environments(store, new Administration(store, audit, incarnations), incarnations);
      cleaner = new Cleaner(store, incarnations);
      root = tokens.adoptRoot(SECRET);
    }
  }

  @Test
  void nothingIsLeftWhereverTheCleanUpWasStopped() {
    for (int stoppedAfter = 0; stoppedAfter < 8; stoppedAfter++) {
      MemoryDisk disk = new MemoryDisk(new Random(1));
      World before = new World(disk, clock);
      fill(before, "acme");
      fill(before, "acme-corp");
      long neighbours = records(before, "acme-corp");
      assertThat(before.accounts.delete(before.root, "acme", Optional.empty()))
          .isInstanceOf(Change.Deleted.class);
      assertThat(before.accounts.missing("acme").code().name()).isEqualTo("GONE");
      for (int step = 0; step < stoppedAfter; step++) {
        before.cleaner.runOnce();
      }
      before.store.close();

      World after = new World(disk, clock);
      after.cleaner.runAll();
      assertThat(after.accounts.missing("acme").code().name()).isEqualTo("NOT_FOUND");
      assertThat(left(after)).as("stopped after %s steps", stoppedAfter).isEmpty();
      assertThat(records(after, "acme-corp")).as("the neighbour").isEqualTo(neighbours);
      assertThat(after.cleaner.runOnce()).as("nothing more to do").isFalse();
      after.store.close();
    }
  }

  @Test
  void anEnvironmentLeavesNothingEither() {
    World world = new World(new MemoryDisk(new Random(1)), clock);
    fill(world, "acme");
    Scope dev = new Scope.TenantEnvironment("acme", "dev");
    Scope prod = new Scope.TenantEnvironment("acme", "prod");
    assertThat(world.environments.delete(world.root, "acme", "dev"))
        .isInstanceOf(Change.Deleted.class);
    world.tokens.mint(world.root, TokenRequest.plain(dev));
    world.cleaner.runAll();
    assertThat(world.tokens.list(world.root, dev, Optional.empty(), 1000).items()).hasSize(1);
    assertThat(world.tokens.list(world.root, prod, Optional.empty(), 1000).items()).hasSize(600);
    assertThat(new TokenCheck(world.store).run(_ -> {}).drift()).isEmpty();
    assertThat(new TokenCheck(world.store).run(_ -> {}).examined()).isEqualTo(1 + 600 + 600 + 1);
    world.accounts.delete(world.root, "acme", Optional.empty());
    world.cleaner.runAll();
    assertThat(left(world)).isEmpty();
    world.store.close();
  }

  @Test
  void whatIsMadeAgainIsNotCleanedUp() {
    World world = new World(new MemoryDisk(new Random(1)), clock);
    fill(world, "acme");
    world.accounts.delete(world.root, "acme", Optional.empty());
    fill(world, "acme");
    world.cleaner.runAll();
    assertThat(world.tokens.list(world.root, new Scope.Tenant("acme"), Optional.empty(), 1000))
        .satisfies(page -> assertThat(page.items()).hasSize(600));
    world.store.close();
  }

  private static void fill(World world, String account) {
    world.accounts.put(world.root, account, Account.Wanted.PLAIN, Optional.empty());
    world.environments.put(world.root, account, "dev");
    for (Scope scope :
        List.of(
            new Scope.Tenant(account),
            new Scope.TenantEnvironment(account, "dev"),
            new Scope.TenantEnvironment(account, "prod"))) {
      EVERYTHING.forEach(filling -> filling.accept(world, scope));
    }
  }

  /// Every record that names the account `acme`, but for the number that must never be used again,
  /// and what the log of Global tells.
  private static List<String> left(World world) {
    List<String> left = new ArrayList<>();
    try (Snapshot snapshot = world.store.snapshot();
        Cursor all = snapshot.scan(KeyRange.ALL, Direction.FORWARD)) {
      while (all.next()) {
        int space = all.key()[0];
        String text = new String(all.key(), ISO_8859_1) + new String(all.value(), ISO_8859_1);
        boolean named = text.replace("acme-corp", "").contains("acme");
        boolean meant =
            space == Space.ACCOUNT_INCARNATION.code()
                || (space == Space.AUDIT.code() && text.contains("account.delete"));
        if (named && !meant) {
          left.add(space + " " + text);
        }
      }
    }
    return left;
  }

  private static long records(World world, String account) {
    long count = 0;
    try (Snapshot snapshot = world.store.snapshot();
        Cursor all = snapshot.scan(KeyRange.ALL, Direction.FORWARD)) {
      while (all.next()) {
        count += new String(all.key(), ISO_8859_1).contains(account) ? 1 : 0;
      }
    }
    return count;
  }
}
