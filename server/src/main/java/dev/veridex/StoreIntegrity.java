package dev.veridex;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.IntegrityScan;
import dev.veridex.store.StoreException;
import dev.veridex.store.rocks.RocksStore;
import java.util.List;
import java.util.function.LongConsumer;

/// Reads every block of the store's files and compares it with its checksum.
public record StoreIntegrity(RocksStore store) implements IntegrityScan {
  @Override
  public String name() {
    return "store";
  }

  @Override
  public Outcome run(LongConsumer progress) {
    try {
      return new Outcome(store.verify(progress), List.of());
    } catch (StoreException e) {
      if (e.code() == ErrorCode.CORRUPT_STORE) {
        return new Outcome(0, List.of(e.problem().toString()));
      }
      throw e;
    }
  }
}
