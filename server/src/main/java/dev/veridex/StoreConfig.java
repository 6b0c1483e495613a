package dev.veridex;

import dev.veridex.settings.Settings;
import dev.veridex.store.rocks.RocksSettings;
import java.time.Duration;

/// The settings of the embedded store.
final class StoreConfig {
  private static final Duration LONGEST = Duration.ofDays(3650);

  private StoreConfig() {}

  static RocksSettings read(Settings store) {
    RocksSettings usual = RocksSettings.DEFAULT;
    return new RocksSettings(
        store.duration("grace", usual.grace(), Duration.ZERO, LONGEST),
        store.duration("changeRetention", usual.changeRetention(), Duration.ZERO, LONGEST),
        store.duration(
            "compactionInterval", usual.compactionInterval(), Duration.ofSeconds(1), LONGEST),
        store.bytes("blockCache", "256MiB", 1 << 20, 1L << 50),
        store.bytes("writeBuffer", "64MiB", 1 << 16, 1L << 40));
  }
}
