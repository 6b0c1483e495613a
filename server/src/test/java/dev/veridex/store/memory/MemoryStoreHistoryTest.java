package dev.veridex.store.memory;

import dev.veridex.common.MutableClock;
import dev.veridex.store.Store;
import dev.veridex.store.StoreContract;
import dev.veridex.store.StoreHistoryContract;
import java.util.Random;

final class MemoryStoreHistoryTest implements StoreHistoryContract {
  private final MutableClock clock = MutableClock.daysAgo(0);
  private final MemoryDisk disk = new MemoryDisk(new Random(1));

  @Override
  public MutableClock clock() {
    return clock;
  }

  @Override
  public Store open() {
    return new MemoryStore(disk, clock, StoreContract.GRACE, StoreContract.CHANGE_RETENTION);
  }
}
