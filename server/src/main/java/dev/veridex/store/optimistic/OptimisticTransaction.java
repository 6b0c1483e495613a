package dev.veridex.store.optimistic;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.Entry;
import dev.veridex.store.KeyRange;
import dev.veridex.store.StoreException;
import dev.veridex.store.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A run of a transaction's work: it reads through its own writes and keeps both for the commit.
final class OptimisticTransaction implements Transaction {
  private final ReadSet reads = new ReadSet();
  private final WriteSet writes = new WriteSet();
  private final Overlay overlay;
  private final ViewReader reader;
  private final int attempt;

  private final List<Cursor> cursors = new ArrayList<>();

  /// @param attempt how often its work was run before
  OptimisticTransaction(View view, long storeId, Instant now, int attempt) {
    this.attempt = attempt;
    this.overlay = new Overlay(view, writes, reads, Expiry.micros(now));
    this.reader = new ViewReader(overlay, storeId, now, () -> {});
  }

  ReadSet reads() {
    return reads;
  }

  WriteSet writes() {
    return writes;
  }

  /// The work is over: nothing may be read or written any more.
  void finish() {
    cursors.forEach(Cursor::close);
    reader.close();
  }

  @Override
  public Instant now() {
    return reader.now();
  }

  @Override
  public Revision revision() {
    return reader.revision();
  }

  @Override
  public void holdsUntil(Instant end) {
    reads.alive(Expiry.micros(end));
  }

  @Override
  public Optional<byte[]> get(byte[] key) {
    return reader.get(key);
  }

  @Override
  public List<Optional<byte[]>> getAll(List<byte[]> keys) {
    return reader.getAll(keys);
  }

  @Override
  public Optional<Entry> entry(byte[] key) {
    return reader.entry(key);
  }

  @Override
  public Cursor scan(KeyRange range, Direction direction) {
    return untilTheEnd(reader.scan(range, direction));
  }

  @Override
  public Cursor scanWithExpired(KeyRange range, Direction direction) {
    return untilTheEnd(reader.scanWithExpired(range, direction));
  }

  @Override
  public long counter(byte[] key) {
    return reader.counter(key);
  }

  @Override
  public List<Counter> counters(KeyRange range) {
    return reader.counters(range);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    open().put(key, value, Expiry.NEVER);
  }

  @Override
  public void put(byte[] key, byte[] value, Instant expiresAt) {
    open().put(key, value, expiry(expiresAt));
  }

  private long expiry(Instant expiresAt) {
    if (!expiresAt.isAfter(now())
        || expiresAt.isAfter(Expiry.LATEST)
        || Expiry.micros(expiresAt) <= Expiry.micros(now())) {
      throw new StoreException(
          Problem.of(
                  ErrorCode.INVALID_TTL,
                  "a record expires after it is written and by the year 2200")
              .with("expiresAt", expiresAt)
              .with("now", now()));
    }
    return Expiry.micros(expiresAt);
  }

  @Override
  public void delete(byte[] key) {
    open().delete(key);
  }

  @Override
  public void deleteRange(KeyRange range) {
    open().deleteRange(range);
  }

  @Override
  public AppendedRecord append(byte[] prefix, byte[] value) {
    return open().append(prefix, value, Expiry.NEVER);
  }

  @Override
  public AppendedRecord append(byte[] prefix, byte[] value, Instant expiresAt) {
    return open().append(prefix, value, expiry(expiresAt));
  }

  @Override
  public void add(byte[] key, long delta) {
    open().add(key, delta);
  }

  @Override
  public boolean isAtMost(byte[] counter, long max) {
    reader.checkOpen();
    return overlay.isAtMost(counter, max, attempt == 0);
  }

  /// A cursor that is closed with the transaction, if its user forgets.
  private Cursor untilTheEnd(Cursor cursor) {
    cursors.add(cursor);
    return cursor;
  }

  private WriteSet open() {
    reader.checkOpen();
    return writes;
  }
}
