package dev.veridex.store.optimistic;

import dev.veridex.common.Expiry;
import dev.veridex.common.Revision;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.Entry;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Looks at a [View] at one instant: hides what has expired by then.
public final class ViewReader implements Snapshot {
  private final View view;
  private final Revision revision;
  private final Instant now;
  private final long nowMicros;
  private final Runnable onClose;
  private final Set<LiveCursor> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  /// @param onClose lets go of the view
  public ViewReader(View view, long storeId, Instant now, Runnable onClose) {
    this.view = view;
    this.revision = new Revision(storeId, view.sequence());
    this.now = now;
    this.nowMicros = Expiry.micros(now);
    this.onClose = onClose;
  }

  @Override
  public Instant now() {
    return now;
  }

  @Override
  public Revision revision() {
    return revision;
  }

  @Override
  public Optional<byte[]> get(byte[] key) {
    checkOpen();
    return live(view.get(key));
  }

  @Override
  public List<Optional<byte[]>> getAll(List<byte[]> keys) {
    checkOpen();
    return view.getAll(keys).stream().map(this::live).toList();
  }

  @Override
  public Optional<Entry> entry(byte[] key) {
    checkOpen();
    Stored stored = view.get(key);
    return stored == null
        ? Optional.empty()
        : Optional.of(entry(key, stored.value(), stored.expiresAt()));
  }

  @Override
  public Cursor scan(KeyRange range, Direction direction) {
    return cursor(range, direction, false);
  }

  @Override
  public Cursor scanWithExpired(KeyRange range, Direction direction) {
    return cursor(range, direction, true);
  }

  @Override
  public long counter(byte[] key) {
    checkOpen();
    return view.counter(key);
  }

  @Override
  public List<Counter> counters(KeyRange range) {
    checkOpen();
    return view.counters(range);
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      open.forEach(LiveCursor::close);
      onClose.run();
    }
  }

  private Cursor cursor(KeyRange range, Direction direction, boolean withExpired) {
    checkOpen();
    LiveCursor cursor = new LiveCursor(view.scan(range, direction), withExpired);
    open.add(cursor);
    return cursor;
  }

  private Optional<byte[]> live(@Nullable Stored stored) {
    return stored == null || Expiry.isExpired(stored.expiresAt(), nowMicros)
        ? Optional.empty()
        : Optional.of(stored.value());
  }

  private Entry entry(byte[] key, byte[] value, long expiresAt) {
    Optional<Instant> end =
        expiresAt == Expiry.NEVER ? Optional.empty() : Optional.of(Expiry.instant(expiresAt));
    return new Entry(key, value, end, Expiry.isExpired(expiresAt, nowMicros));
  }

  void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the snapshot or transaction is over");
    }
  }

  private final class LiveCursor implements Cursor {
    private final StoredCursor stored;
    private final boolean withExpired;
    private boolean cursorClosed;

    LiveCursor(StoredCursor stored, boolean withExpired) {
      this.stored = stored;
      this.withExpired = withExpired;
    }

    @Override
    public boolean next() {
      if (cursorClosed) {
        throw new IllegalStateException("the cursor is closed");
      }
      while (stored.next()) {
        if (withExpired || !Expiry.isExpired(stored.expiresAt(), nowMicros)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public byte[] key() {
      return stored.key();
    }

    @Override
    public byte[] value() {
      return stored.value();
    }

    @Override
    public Entry entry() {
      return ViewReader.this.entry(stored.key(), stored.value(), stored.expiresAt());
    }

    @Override
    public void close() {
      if (!cursorClosed) {
        cursorClosed = true;
        open.remove(this);
        stored.close();
      }
    }
  }
}
