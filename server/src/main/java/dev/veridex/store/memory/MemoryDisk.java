package dev.veridex.store.memory;

import dev.veridex.common.RevisionSeal;
import dev.veridex.store.Commit;
import dev.veridex.store.optimistic.StoredValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// The durable part of a [MemoryStore]: hand it to the next one to simulate a restart.
///
/// All of it is guarded by itself, except that the maps may be read freely.
public final class MemoryDisk {
  final long storeId;
  final RevisionSeal seal;
  final VersionedMap<StoredValue> records = new VersionedMap<>();
  final VersionedMap<Long> counters = new VersionedMap<>();
  final List<Commit> log = new ArrayList<>();
  volatile long sequence;
  Instant time = Instant.MIN;
  boolean inUse;

  public MemoryDisk(RandomGenerator random) {
    this.storeId = random.nextLong();
    byte[] key = new byte[RevisionSeal.KEY_BYTES];
    random.nextBytes(key);
    this.seal = new RevisionSeal(storeId, key);
  }
}
