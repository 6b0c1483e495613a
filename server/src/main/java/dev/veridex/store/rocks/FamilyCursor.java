package dev.veridex.store.rocks;

import dev.veridex.store.Direction;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/// A position in a scan of one family.
final class FamilyCursor implements AutoCloseable {
  private final Direction direction;
  private final RocksIterator iterator;
  private boolean started;
  private boolean ended;
  private byte @Nullable [] key;

  /// @param options must outlive it
  FamilyCursor(RocksDatabase database, Family family, ScanOptions options, Direction direction) {
    this.direction = direction;
    this.iterator = database.rocks().newIterator(database.handle(family), options.options());
  }

  boolean next() {
    if (ended) {
      return false;
    }
    if (started) {
      step();
    } else {
      start();
    }
    if (!iterator.isValid()) {
      key = null;
      ended = true;
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
    if (key == null) {
      throw new IllegalStateException("the cursor stands on no record");
    }
    return iterator.value();
  }

  @Override
  public void close() {
    iterator.close();
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
