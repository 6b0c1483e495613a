package dev.veridex.store.rocks;

import dev.veridex.common.MutableClock;
import dev.veridex.store.Store;
import dev.veridex.store.StoreHistoryContract;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;

final class RocksStoreHistoryTest implements StoreHistoryContract {
  private final MutableClock clock = MutableClock.daysAgo(0);
  private final Random random = new Random(1);

  @TempDir private Path parent;

  @Override
  public MutableClock clock() {
    return clock;
  }

  @Override
  public Store open() {
    return RocksStore.open(parent.resolve("store"), RocksSettings.DEFAULT, clock, clock, random);
  }
}
