package dev.veridex.store.rocks;

import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/// A position in a scan of one family.
///
/// The bounds are set natively, so that the engine does not read past them through whatever was
/// deleted there.
final class FamilyCursor implements AutoCloseable {
  private final Direction direction;
  private final @Nullable Slice lower;
  private final @Nullable Slice upper;
  private final ReadOptions options;
  private final RocksIterator iterator;
  private boolean started;
  private byte @Nullable [] key;

  FamilyCursor(
      RocksDatabase database,
      Family family,
      Snapshot snapshot,
      KeyRange range,
      Direction direction) {
    this.direction = direction;
    this.lower = range.from().length == 0 ? null : new Slice(range.from());
    this.upper = range.to().map(Slice::new).orElse(null);
    this.options = new ReadOptions().setSnapshot(snapshot);
    if (lower != null) {
      options.setIterateLowerBound(lower);
    }
    if (upper != null) {
      options.setIterateUpperBound(upper);
    }
    this.iterator = database.rocks().newIterator(database.handle(family), options);
  }

  boolean next() {
    if (started) {
      step();
    } else {
      start();
    }
    if (!iterator.isValid()) {
      key = null;
      checkStatus();
      return false;
    }
    key = iterator.key();
    return true;
  }

  byte[] key() {
    if (key == null) {
      throw new IllegalStateException("the cursor stands on no record");
    }
    return key;
  }

  byte[] value() {
    return iterator.value();
  }

  @Override
  public void close() {
    iterator.close();
    options.close();
    if (lower != null) {
      lower.close();
    }
    if (upper != null) {
      upper.close();
    }
  }

  private void start() {
    started = true;
    switch (direction) {
      case FORWARD -> iterator.seekToFirst();
      case REVERSE -> iterator.seekToLast();
    }
  }

  private void step() {
    switch (direction) {
      case FORWARD -> iterator.next();
      case REVERSE -> iterator.prev();
    }
  }

  /// An iterator that met a damaged block looks just like one at its end until it is asked.
  private void checkStatus() {
    try {
      iterator.status();
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    }
  }
}
