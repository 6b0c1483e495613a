package dev.veridex.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.AbstractImmutableNativeReference;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/// RocksDB as it comes, with the options our store gives it: what we measure ourselves against.
final class RawRocks implements AutoCloseable {
  private final List<AbstractImmutableNativeReference> natives = new ArrayList<>();
  final RocksDB db;
  final WriteOptions synced;

  RawRocks(Path folder) {
    RocksDB.loadLibrary();
    LRUCache cache = own(new LRUCache(256L << 20));
    Options options =
        own(new Options())
            .setCreateIfMissing(true)
            .setLevelCompactionDynamicLevelBytes(true)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setBottommostCompressionType(CompressionType.ZSTD_COMPRESSION)
            .setWriteBufferSize(64L << 20)
            .setMaxTotalWalSize(256L << 20)
            .setMaxBackgroundJobs(2)
            .setTableFormatConfig(
                new BlockBasedTableConfig()
                    .setBlockCache(cache)
                    .setFormatVersion(6)
                    .setFilterPolicy(own(new BloomFilter(10)))
                    .setCacheIndexAndFilterBlocks(true)
                    .setPinL0FilterAndIndexBlocksInCache(true));
    try {
      db = own(RocksDB.open(options, folder.toString()));
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
    synced = own(new WriteOptions().setSync(true));
  }

  void compact() {
    try (CompactRangeOptions all =
        new CompactRangeOptions()
            .setBottommostLevelCompaction(
                CompactRangeOptions.BottommostLevelCompaction.kForceOptimized)) {
      db.compactRange(db.getDefaultColumnFamily(), null, null, all);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  private <T extends AbstractImmutableNativeReference> T own(T reference) {
    natives.add(reference);
    return reference;
  }

  @Override
  public void close() {
    natives.reversed().forEach(AbstractImmutableNativeReference::close);
  }
}
