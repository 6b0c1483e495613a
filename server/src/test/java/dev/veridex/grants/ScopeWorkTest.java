package dev.veridex.grants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.grants.GrantRequest.WantedLife;
import dev.veridex.identity.Token;
import dev.veridex.jobs.Job;
import dev.veridex.store.CrashingStore;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Deletion and migration of scopes in many steps, with the process dying at each of them, and with
/// others who write in between.
final class ScopeWorkTest {
  private static final int MANY = 1300;
  private static final Scope GLOBAL = new Scope.Global();
  private static final Scope ACME = new Scope.Tenant("acme");

  private final MutableClock clock = MutableClock.daysAgo(0);
  private final Store store =
      new MemoryStore(
          new MemoryDisk(new Random(1)), clock, Duration.ofHours(1), Duration.ofDays(7));
  private int left = -1;
  private Domain domain = start();
  private final Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");

  private Domain start() {
    return TestDomain.on(
            new CrashingStore(
                store,
                () -> {
                  return left >= 0 && left-- == 0;
                }),
            TestAccess.SETTINGS)
        .domain();
  }

  private void give(Scope scope, String who, boolean unscoped) {
    give(scope, who, unscoped, Duration.ofDays(1));
  }

  private void give(Scope scope, String who, boolean unscoped, Duration life) {
    boolean _ =
        domain
            .grants()
            .writer()
            .give(
                root,
                new GrantRequest(
                    scope,
                    unscoped,
                    GrantKey.approval(who, "r", "read"),
                    Optional.empty(),
                    new WantedLife(Optional.of(life), Optional.empty()),
                    Map.of(),
                    Optional.empty()))
            .created();
  }

  private long count(Scope scope) {
    return domain
        .grants()
        .reader()
        .count(root, GrantSelection.all(GrantKind.APPROVAL, GrantScopes.exactly(scope)))
        .value();
  }

  private boolean has(Scope scope, String who) {
    return domain
        .grants()
        .reader()
        .find(root, scope, List.of(GrantKey.approval(who, "r", "read")))
        .value()
        .getFirst()
        .isPresent();
  }

  private Job finish(Job job) {
    for (int dying = 0; dying < 8; dying++) {
      left = dying;
      try {
        domain.jobs().runAll();
      } catch (CrashingStore.Crash e) {
        left = -1;
        domain = start();
      }
    }
    left = -1;
    domain.jobs().runAll();
    return domain.tenancy().jobs().find(root, job.id());
  }

  @Test
  void aDeletionGoesOnWhereverItWasKilled() {
    for (int i = 0; i < MANY; i++) {
      give(ACME, "who-" + i, false);
    }
    Job job = domain.grants().scopes().delete(root, GrantScopes.exactly(ACME)).result();
    Job done = finish(job);
    assertThat(done.state()).isEqualTo(Job.State.DONE);
    assertThat(done.work().result().get("deleted").asLong()).isEqualTo(MANY);
    assertThat(count(ACME)).isZero();
  }

  @Test
  void aMigrationGoesOnWhereverItWasKilled() {
    for (int i = 0; i < MANY; i++) {
      give(GLOBAL, "who-" + i, i % 2 == 0);
    }
    give(ACME, "who-0", false, Duration.ofDays(2));
    Job job = domain.grants().scopes().migrate(root, ACME).result();
    assertThat(job.scope()).as("a tenant hears nothing of Global").isEqualTo(GLOBAL);
    Job done = finish(job);
    assertThat(done.state()).isEqualTo(Job.State.DONE);
    assertThat(done.work().result().get("migrated").asLong()).isEqualTo(MANY / 2 - 1);
    assertThat(done.work().result().get("conflicts").asLong()).isOne();
    assertThat(count(GLOBAL)).isEqualTo(MANY / 2 + 1);
    assertThat(count(ACME)).isEqualTo(MANY / 2);
  }

  @Test
  void whatIsGivenMeanwhileStaysAndWhatIsExtendedGoes() {
    for (int i = 0; i < MANY; i++) {
      give(ACME, "who-%04d".formatted(i), false);
    }
    domain.grants().scopes().delete(root, GrantScopes.exactly(ACME));
    clock.advance(Duration.ofSeconds(1));
    // Both lie where the deletion has not been yet.
    give(ACME, "who-1299-new", false);
    give(ACME, "who-1299", false, Duration.ofDays(3));
    domain.jobs().runAll();
    assertThat(has(ACME, "who-1299-new")).isTrue();
    assertThat(has(ACME, "who-1299")).as("it was there at the start").isFalse();
    assertThat(count(ACME)).isOne();
  }

  @Test
  void theSameIsNotStartedTwice() {
    give(ACME, "alice", false);
    Job job = domain.grants().scopes().delete(root, GrantScopes.exactly(ACME)).result();
    try {
      domain.grants().scopes().delete(root, GrantScopes.exactly(ACME));
      throw new AssertionError("started twice");
    } catch (VeridexException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      assertThat(e.problem().values()).containsEntry("job", job.id());
    }
  }

  @Test
  void aMigrationIntoWhatIsDeletedMeanwhileFails() {
    give(GLOBAL, "alice", true);
    Job job = domain.grants().scopes().migrate(root, ACME).result();
    domain.tenancy().accounts().delete(root, "acme", Optional.empty());
    domain.jobs().runAll();
    Job failed = domain.tenancy().jobs().find(root, job.id());
    assertThat(failed.state()).isEqualTo(Job.State.FAILED);
    assertThat(failed.problem().orElseThrow().code()).isEqualTo(ErrorCode.GONE);
    assertThat(has(GLOBAL, "alice")).isTrue();
  }
}
