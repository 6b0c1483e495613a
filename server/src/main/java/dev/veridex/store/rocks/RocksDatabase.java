package dev.veridex.store.rocks;

import dev.veridex.store.KeyRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Function;
import org.rocksdb.AbstractImmutableNativeReference;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CassandraCompactionFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.UInt64AddOperator;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// An open RocksDB with our families and options; owns every native object that belongs to it.
final class RocksDatabase implements AutoCloseable {
  /// The part of a write buffer that is a filter of its keys.
  private static final double MEMTABLE_BLOOM = 0.05;

  private static final int BLOOM_BITS = 10;
  private static final int FILTER_PART_BYTES = 16 << 10;
  private static final int FIRST_BYTES = 256;
  private static final long SMALL_BUFFER_BYTES = 16L << 20;

  /// How many additions to one counter may wait in memory before they are summed up.
  private static final int MAX_ADDENDS = 64;

  private static final long MAX_WAL_BYTES = 256L << 20;

  /// In the order of their creation; closed backwards.
  private final List<AbstractImmutableNativeReference> natives = new ArrayList<>();

  private final Map<Family, OpenFamily> families = new EnumMap<>(Family.class);
  private final WriteOptions synced;
  private final RocksDB rocks;
  private boolean compacting;

  /// The mode in which a database is opened.
  enum Mode {
    /// It is not there yet.
    CREATE,
    READ_WRITE,
    /// Nothing is written; the log is only replayed into memory.
    READ_ONLY
  }

  /// A family's handle, and the first bytes of the keys it may hold. The first byte of a key says
  /// what kind of record it is, and most kinds either expire or do not: asking the other families
  /// for them would cost every read a call into native code.
  private static final class OpenFamily {
    private final ColumnFamilyHandle handle;
    private final AtomicIntegerArray firstBytes = new AtomicIntegerArray(FIRST_BYTES);

    private OpenFamily(ColumnFamilyHandle handle) {
      this.handle = handle;
    }
  }

  private RocksDatabase(Path folder, Mode mode, RocksSettings settings, boolean compacting)
      throws RocksDBException {
    this.compacting = compacting;
    RocksDB.loadLibrary();
    try {
      Cache cache = own(new LRUCache(settings.blockCacheBytes()));
      List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
      for (Family family : Family.values()) {
        descriptors.add(
            new ColumnFamilyDescriptor(
                family.columnFamily().getBytes(StandardCharsets.UTF_8),
                familyOptions(family, settings, cache).setDisableAutoCompactions(!compacting)));
      }
      List<ColumnFamilyHandle> opened = new ArrayList<>();
      DBOptions options = databaseOptions(mode == Mode.CREATE);
      rocks =
          own(
              mode == Mode.READ_ONLY
                  ? RocksDB.openReadOnly(options, folder.toString(), descriptors, opened)
                  : RocksDB.open(options, folder.toString(), descriptors, opened));
      Iterator<ColumnFamilyHandle> inOrder = opened.iterator();
      for (Family family : Family.values()) {
        families.put(family, new OpenFamily(own(inOrder.next())));
        findFirstBytes(family(family));
      }
      synced = own(new WriteOptions().setSync(true));
    } catch (RocksDBException | RuntimeException | Error e) {
      closeNatives();
      throw e;
    }
  }

  /// @param compacting whether the engine compacts files on its own, from the first moment
  static RocksDatabase open(Path folder, Mode mode, RocksSettings settings, boolean compacting)
      throws RocksDBException {
    return new RocksDatabase(folder, mode, settings, compacting);
  }

  /// Lets the engine compact files on its own, or keeps it from that.
  synchronized void compact(boolean wanted) throws RocksDBException {
    if (wanted == compacting) {
      return;
    }
    for (OpenFamily family : families.values()) {
      rocks.setOptions(
          family.handle,
          MutableColumnFamilyOptions.builder().setDisableAutoCompactions(!wanted).build());
    }
    compacting = wanted;
  }

  RocksDB rocks() {
    return rocks;
  }

  ColumnFamilyHandle handle(Family family) {
    return family(family).handle;
  }

  /// Whether a family may hold a key. A reader whose view shows the key in it hears yes.
  boolean mayHold(Family family, byte[] key) {
    return key.length > 0 && family(family).firstBytes.get(key[0] & 0xFF) == 1;
  }

  /// Whether a family may hold a key of a range.
  boolean mayHold(Family family, KeyRange range) {
    AtomicIntegerArray firstBytes = family(family).firstBytes;
    int last = range.to().map(to -> to[0] & 0xFF).orElse(FIRST_BYTES - 1);
    for (int b = range.from().length == 0 ? 0 : range.from()[0] & 0xFF; b <= last; b++) {
      if (firstBytes.get(b) == 1) {
        return true;
      }
    }
    return false;
  }

  /// To be called before a key is written.
  void willHold(Family family, byte[] key) {
    AtomicIntegerArray firstBytes = family(family).firstBytes;
    if (firstBytes.get(key[0] & 0xFF) == 0) {
      firstBytes.set(key[0] & 0xFF, 1);
    }
  }

  private OpenFamily family(Family family) {
    OpenFamily open = families.get(family);
    if (open == null) {
      throw new IllegalStateException("every family is open");
    }
    return open;
  }

  /// Applies a batch as a whole; it is on disk when this returns.
  void write(WriteBatch batch) throws RocksDBException {
    rocks.write(synced, batch);
  }

  /// About how many bytes are in memory and the log, and in no sorted file yet. The log's own size
  /// would be no answer: it also holds what other families have sorted long ago.
  long unsortedBytes() {
    try {
      return rocks.getAggregatedLongProperty("rocksdb.cur-size-all-mem-tables");
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    }
  }

  /// How many bytes the sorted files of a family have.
  long sortedBytes(Family family) throws RocksDBException {
    return rocks.getLongProperty(handle(family), "rocksdb.live-sst-files-size");
  }

  /// The sequence of the newest commit, 0 if there is none.
  long lastSequence() {
    return lastCommit(iterator -> ByteBuffer.wrap(iterator.key()).getLong(), 0L);
  }

  /// The time of the newest commit.
  Instant lastTime() {
    return lastCommit(iterator -> CommitRecord.time(iterator.value()), Instant.EPOCH);
  }

  private <T> T lastCommit(Function<RocksIterator, T> read, T absent) {
    try (RocksIterator iterator = rocks.newIterator(handle(Family.LOG))) {
      iterator.seekToLast();
      iterator.status();
      return iterator.isValid() ? read.apply(iterator) : absent;
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    }
  }

  @Override
  public void close() {
    closeNatives();
  }

  /// Jumps from one first byte to the next.
  private void findFirstBytes(OpenFamily family) throws RocksDBException {
    try (RocksIterator iterator = rocks.newIterator(family.handle)) {
      iterator.seekToFirst();
      while (iterator.isValid()) {
        int first = iterator.key()[0] & 0xFF;
        family.firstBytes.set(first, 1);
        if (first == FIRST_BYTES - 1) {
          return;
        }
        iterator.seek(new byte[] {(byte) (first + 1)});
      }
      iterator.status();
    }
  }

  private DBOptions databaseOptions(boolean create) {
    // Not all of RocksDB's options have a Java setter. This one notices a log file that is gone.
    // Not its successor: after a write that failed for want of room, the engine heals itself and
    // notes
    // a size for the log that it never had; with track_and_verify_wals it would refuse to open it.
    Properties properties = new Properties();
    properties.setProperty("track_and_verify_wals_in_manifest", "true");
    DBOptions options = DBOptions.getDBOptionsFromProps(properties);
    if (options == null) {
      throw new IllegalStateException(
          "RocksDB does not know the option track_and_verify_wals_in_manifest");
    }
    return own(options)
        .setCreateIfMissing(create)
        .setCreateMissingColumnFamilies(create)
        .setParanoidChecks(true)
        // A torn last record was never acknowledged; damage anywhere before it refuses to open.
        .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
        .setMaxTotalWalSize(MAX_WAL_BYTES)
        .setMaxBackgroundJobs(Math.max(2, Runtime.getRuntime().availableProcessors()))
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setKeepLogFileNum(4);
  }

  /// Additions are summed up also where what was there before lies in a file, and not in memory:
  /// otherwise nothing is ever summed up once a counter was flushed, and every addition looks at
  /// all that wait. There is no Java setter for it.
  private static ColumnFamilyOptions addingOptions() {
    Properties properties = new Properties();
    properties.setProperty("strict_max_successive_merges", "true");
    ColumnFamilyOptions options = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
    if (options == null) {
      throw new IllegalStateException(
          "RocksDB does not know the option strict_max_successive_merges");
    }
    return options;
  }

  private ColumnFamilyOptions familyOptions(Family family, RocksSettings settings, Cache cache) {
    ColumnFamilyOptions options =
        own(family.adds() ? addingOptions() : new ColumnFamilyOptions())
            .setLevelCompactionDynamicLevelBytes(true)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setBottommostCompressionType(CompressionType.ZSTD_COMPRESSION)
            // Most keys that are looked for before they are written are not there yet.
            .setMemtablePrefixBloomSizeRatio(MEMTABLE_BLOOM)
            .setMemtableWholeKeyFiltering(true)
            .setWriteBufferSize(
                family == Family.PERMANENT
                    ? settings.writeBufferBytes()
                    : Math.min(settings.writeBufferBytes(), SMALL_BUFFER_BYTES))
            .setTableFormatConfig(
                new BlockBasedTableConfig()
                    .setBlockCache(cache)
                    .setFormatVersion(6)
                    .setFilterPolicy(own(new BloomFilter(BLOOM_BITS)))
                    // In parts: the filter of a file with millions of small records would be larger
                    // than a shard of the cache takes, and be read anew with every get.
                    .setIndexType(IndexType.kTwoLevelIndexSearch)
                    .setPartitionFilters(true)
                    .setMetadataBlockSize(FILTER_PART_BYTES)
                    .setCacheIndexAndFilterBlocks(true)
                    .setCacheIndexAndFilterBlocksWithHighPriority(true)
                    .setPinTopLevelIndexAndFilter(true)
                    .setPinL0FilterAndIndexBlocksInCache(true));
    if (family.expires()) {
      options.setCompactionFilter(own(new CassandraCompactionFilter(true, 0)));
    }
    if (family.adds()) {
      options.setMergeOperator(own(new UInt64AddOperator())).setMaxSuccessiveMerges(MAX_ADDENDS);
    }
    return options;
  }

  private <T extends AbstractImmutableNativeReference> T own(T reference) {
    natives.add(reference);
    return reference;
  }

  private void closeNatives() {
    natives.reversed().forEach(AbstractImmutableNativeReference::close);
    natives.clear();
  }
}
