package dev.veridex.store.rocks;

import dev.veridex.common.MutableClock;
import dev.veridex.store.Store;
import dev.veridex.store.StoreContract;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;

final class RocksStoreTest implements StoreContract {
  private final MutableClock clock = MutableClock.daysAgo(70);

  private final Random random = new Random(1);

  @TempDir private Path parent;

  @Override
  public MutableClock clock() {
    return clock;
  }

  @Override
  public Store open() {
    return open(parent.resolve("store"));
  }

  @Override
  public Store open(Path folder) {
    RocksSettings settings =
        RocksSettings.DEFAULT.withGrace(GRACE).withChangeRetention(CHANGE_RETENTION);
    return RocksStore.open(folder, settings, clock, clock, random);
  }

  @Override
  public long recordsHeld(Store store) {
    return ((RocksStore) store).recordsHeld();
  }

  @Override
  public void collect(Store store) {
    ((RocksStore) store).collector().runOnce();
  }
}
