package dev.veridex.store.memory;

import dev.veridex.common.MutableClock;
import dev.veridex.store.Store;
import dev.veridex.store.StoreContract;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;

final class MemoryStoreTest implements StoreContract {
  private final MutableClock clock = MutableClock.daysAgo(70);
  private final MemoryDisk disk = new MemoryDisk(new Random(1));

  @Override
  public MutableClock clock() {
    return clock;
  }

  @Override
  public Store open() {
    return new MemoryStore(disk, clock, GRACE, CHANGE_RETENTION);
  }

  @Override
  public Store open(Path folder) {
    throw new UnsupportedOperationException("lacks BACKUP");
  }

  @Override
  public long recordsHeld(Store store) {
    return ((MemoryStore) store).recordsHeld();
  }

  @Override
  public void collect(Store store) {
    ((MemoryStore) store).collector().runOnce();
  }

  @Override
  public Set<Capability> lacks() {
    return Set.of(Capability.BACKUP);
  }
}
