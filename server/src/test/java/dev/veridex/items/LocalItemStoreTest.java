package dev.veridex.items;

import dev.veridex.common.MutableClock;
import dev.veridex.items.local.LocalItemStore;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/// The items in the store, on every store that there is.
final class LocalItemStoreTest {
  @Nested
  final class InMemory implements ItemStoreContract {
    private final MutableClock clock = MutableClock.daysAgo(1);
    private final MemoryDisk disk = new MemoryDisk(new Random(1));

    @Override
    public ItemStore items() {
      return new LocalItemStore();
    }

    @Override
    public MutableClock clock() {
      return clock;
    }

    @Override
    public Store open() {
      return new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7));
    }
  }

  @Nested
  final class OnRocks implements ItemStoreContract {
    private final MutableClock clock = MutableClock.daysAgo(0);
    @TempDir private Path folder;

    @Override
    public ItemStore items() {
      return new LocalItemStore();
    }

    @Override
    public MutableClock clock() {
      return clock;
    }

    @Override
    public Store open() {
      return RocksStore.open(
          folder.resolve("store"), RocksSettings.DEFAULT, clock, clock, new Random(1));
    }
  }

  @Nested
  final class Reversed implements ItemStoreContract {
    private final InMemory below = new InMemory();

    @Override
    public ItemStore items() {
      return new ReversedItemStore();
    }

    @Override
    public MutableClock clock() {
      return below.clock();
    }

    @Override
    public Store open() {
      return below.open();
    }
  }
}
