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
    RocksSettings settings = RocksSettings.DEFAULT.withWriteBufferBytes(64 << 10);
    return RocksStore.open(parent.resolve("store"), settings, clock, clock, random);
  }

  @Override
  public void stir(Store store, long seed) {
    if (seed % 25 == 7) {
      ((RocksStore) store).compact();
    }
    if (seed % 10 == 3) {
      ((RocksStore) store).collector().runOnce();
    }
  }
}
