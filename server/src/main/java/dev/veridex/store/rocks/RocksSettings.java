package dev.veridex.store.rocks;

import java.time.Duration;

/// Settings of the embedded store.
///
/// @param grace how long an expired record can still be read as such before the engine drops it
/// @param changeRetention how long commits stay in the change log
/// @param compactionInterval how often records of the shortest-lived class are collected; longer
///   classes in proportion
/// @param blockCacheBytes memory for blocks read from disk
/// @param writeBufferBytes memory for permanent records not yet in a sorted file
public record RocksSettings(
    Duration grace,
    Duration changeRetention,
    Duration compactionInterval,
    long blockCacheBytes,
    long writeBufferBytes) {

  private static final Duration LONGEST = Duration.ofDays(3650);

  /// The default: an hour of grace, a week of changes, 256 MiB of cache, 64 MiB of buffer.
  public static final RocksSettings DEFAULT =
      new RocksSettings(
          Duration.ofHours(1), Duration.ofDays(7), Duration.ofHours(1), 256L << 20, 64L << 20);

  public RocksSettings {
    if (grace.isNegative() || grace.compareTo(LONGEST) > 0 || grace.toNanosPart() != 0) {
      throw new IllegalArgumentException("the grace is a number of seconds, at most ten years");
    }
    if (changeRetention.isNegative() || changeRetention.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("changes are kept for at most ten years");
    }
    if (!compactionInterval.isPositive()) {
      throw new IllegalArgumentException("the interval of compactions is positive");
    }
    if (blockCacheBytes <= 0 || writeBufferBytes <= 0) {
      throw new IllegalArgumentException("cache and buffer have a size");
    }
  }

  public RocksSettings withGrace(Duration grace) {
    return new RocksSettings(
        grace, changeRetention, compactionInterval, blockCacheBytes, writeBufferBytes);
  }

  public RocksSettings withChangeRetention(Duration changeRetention) {
    return new RocksSettings(
        grace, changeRetention, compactionInterval, blockCacheBytes, writeBufferBytes);
  }

  public RocksSettings withCompactionInterval(Duration compactionInterval) {
    return new RocksSettings(
        grace, changeRetention, compactionInterval, blockCacheBytes, writeBufferBytes);
  }

  public RocksSettings withWriteBufferBytes(long writeBufferBytes) {
    return new RocksSettings(
        grace, changeRetention, compactionInterval, blockCacheBytes, writeBufferBytes);
  }
}
