package dev.veridex.grants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.access.AccessSettings;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Scope;
import dev.veridex.grants.GrantRequest.WantedLife;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.tenancy.IncarnationRecords;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What has expired is removed by the engine's own compaction, with its records in the reverse
/// index, and nothing else is.
final class GrantRemovalTest {
  private static final int GRANTS = 300;

  @TempDir private Path folder;

  @Test
  void expiredGrantsAreGoneFromTheStoreAfterTheCompactionInterval() {
    MutableClock past = MutableClock.daysAgo(30);
    try (RocksStore store =
            RocksStore.open(folder, RocksSettings.DEFAULT, past, past, new Random(1));
        TestDomain world = TestDomain.on(store, TestAccess.SETTINGS)) {
      give(world, "short", Optional.of(Duration.ofSeconds(60)));
      give(world, "for ever", Optional.empty());
      long before = store.recordsHeld();
      past.advance(Duration.ofSeconds(60));
      assertThat(store.collector().runOnce()).as("within its grace").isFalse();
      past.advance(RocksSettings.DEFAULT.grace());
      past.advance(RocksSettings.DEFAULT.compactionInterval().multipliedBy(2));
      assertThat(store.collector().runOnce()).isTrue();
      assertThat(before - store.recordsHeld())
          .as("each approval and relationship, and its record in the reverse index")
          .isEqualTo(4L * GRANTS);
      GrantIntegrity integrity =
          new GrantIntegrity(store, new IncarnationRecords(), world.domain().access().grants());
      assertThat(integrity.run(_ -> {}).examined())
          .as("those that last are there, and what all approvals gave")
          .isEqualTo(6L * GRANTS);
      past.advance(AccessSettings.PAST_RETENTION.plus(Duration.ofDays(3)));
      assertThat(store.collector().runOnce()).isTrue();
      assertThat(integrity.run(_ -> {}).examined())
          .as("what is too long ago to be asked for is gone, too")
          .isEqualTo(5L * GRANTS);
    }
  }

  private static void give(TestDomain world, String whose, Optional<Duration> ttl) {
    for (int i = 0; i < GRANTS; i++) {
      for (GrantKey key :
          Set.of(
              GrantKey.approval(whose, "resource-" + i, "read"),
              GrantKey.relationship(whose, "in", "group-" + i))) {
        world
            .domain()
            .grants()
            .writer()
            .give(
                world.root(),
                new GrantRequest(
                    new Scope.Tenant("acme"),
                    false,
                    key,
                    Optional.empty(),
                    new WantedLife(ttl, Optional.empty()),
                    Map.of(),
                    Optional.empty()));
      }
    }
  }
}
