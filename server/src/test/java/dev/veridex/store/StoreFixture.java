package dev.veridex.store;

import dev.veridex.common.MutableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/// How the tests of an engine open its stores.
public interface StoreFixture {
  /// Something an engine may not have.
  enum Capability {
    BACKUP
  }

  Duration GRACE = Duration.ofHours(1);
  Duration CHANGE_RETENTION = Duration.ofDays(7);

  /// The clock of the stores that [#open] gives. It starts 70 days ago: engines drop records by the
  /// machine's clock, so what a test lets expire early is past for them, and what it lets expire
  /// late is not.
  MutableClock clock();

  /// Opens the test's store, the same one each time, with [#GRACE] and [#CHANGE_RETENTION].
  Store open();

  /// Opens the store of a backup.
  Store open(Path folder);

  /// How many records the engine holds, expired ones that it has not yet dropped among them.
  long recordsHeld(Store store);

  /// Has the engine collect what is due.
  void collect(Store store);

  default Set<Capability> lacks() {
    return Set.of();
  }
}
