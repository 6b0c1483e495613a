package dev.veridex.store.rocks;

import dev.veridex.store.KeyRange;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/// The native form of a range on a snapshot, shared by the iterators of all families in a scan.
///
/// The bounds are given to the engine, so that it does not read past them through whatever was
/// deleted there.
final class ScanOptions implements AutoCloseable {
  private final @Nullable Slice lower;
  private final @Nullable Slice upper;
  private final ReadOptions options;

  ScanOptions(Snapshot snapshot, KeyRange range) {
    this.lower = range.from().length == 0 ? null : new Slice(range.from());
    this.upper = range.to().map(Slice::new).orElse(null);
    this.options = new ReadOptions().setSnapshot(snapshot);
    if (lower != null) {
      options.setIterateLowerBound(lower);
    }
    if (upper != null) {
      options.setIterateUpperBound(upper);
    }
  }

  ReadOptions options() {
    return options;
  }

  @Override
  public void close() {
    options.close();
    if (lower != null) {
      lower.close();
    }
    if (upper != null) {
      upper.close();
    }
  }
}
