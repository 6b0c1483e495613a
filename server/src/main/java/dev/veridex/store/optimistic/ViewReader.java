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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Looks at a [View] at one instant: hides what has expired by then.
///
/// It counts who is using it, and lets go of the view when it is closed and nobody is: closing it
/// under a reader in another thread must not pull native memory from under that reader's feet.
public final class ViewReader implements Snapshot {
  private final View view;
  private final Revision revision;
  private final Instant now;
  private final long nowMicros;
  private final Runnable onRelease;
  private final AtomicBoolean closed = new AtomicBoolean();

  /// Its owner until closed, each read under way, each open cursor.
  private final AtomicInteger uses = new AtomicInteger(1);

  /// @param onRelease lets go of the view
  public ViewReader(View view, long storeId, Instant now, Runnable onRelease) {
    this.view = view;
    this.revision = new Revision(storeId, view.sequence());
    this.now = now;
    this.nowMicros = Expiry.micros(now);
    this.onRelease = onRelease;
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
    use();
    try {
      return live(view.get(key));
    } finally {
      unuse();
    }
  }

  @Override
  public List<Optional<byte[]>> getAll(List<byte[]> keys) {
    use();
    try {
      return view.getAll(keys).stream().map(this::live).toList();
    } finally {
      unuse();
    }
  }

  @Override
  public Optional<Entry> entry(byte[] key) {
    use();
    try {
      StoredValue stored = view.get(key);
      return stored == null || isGone(stored.goneAt())
          ? Optional.empty()
          : Optional.of(entry(key, stored.value(), stored.expiresAt()));
    } finally {
      unuse();
    }
  }

  @Override
  public Cursor scan(KeyRange range, Direction direction) {
    return new LiveCursor(range, direction, false);
  }

  @Override
  public Cursor scanWithExpired(KeyRange range, Direction direction) {
    return new LiveCursor(range, direction, true);
  }

  @Override
  public long counter(byte[] key) {
    use();
    try {
      return view.counter(key);
    } finally {
      unuse();
    }
  }

  @Override
  public List<Counter> counters(KeyRange range) {
    use();
    try {
      return view.counters(range);
    } finally {
      unuse();
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      unuse();
    }
  }

  void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the snapshot or transaction is over");
    }
  }

  private void use() {
    checkOpen();
    int before;
    do {
      before = uses.get();
      if (before == 0) {
        throw new IllegalStateException("the snapshot or transaction is over");
      }
    } while (!uses.compareAndSet(before, before + 1));
  }

  private void unuse() {
    if (uses.decrementAndGet() == 0) {
      onRelease.run();
    }
  }

  private Optional<byte[]> live(@Nullable StoredValue stored) {
    return stored == null || Expiry.isExpired(stored.expiresAt(), nowMicros)
        ? Optional.empty()
        : Optional.of(stored.value());
  }

  /// Whether a record's grace is over, too. By the clock, not by whether the engine still has it:
  /// removal is later, and no answer may hang on when it happens.
  private boolean isGone(long goneAt) {
    return Expiry.isExpired(goneAt, nowMicros);
  }

  private Entry entry(byte[] key, byte[] value, long expiresAt) {
    Optional<Instant> end =
        expiresAt == Expiry.NEVER ? Optional.empty() : Optional.of(Expiry.instant(expiresAt));
    return new Entry(key, value, end, Expiry.isExpired(expiresAt, nowMicros));
  }

  private final class LiveCursor implements Cursor {
    private final StoredCursor stored;
    private final boolean withExpired;
    private boolean cursorClosed;

    LiveCursor(KeyRange range, Direction direction, boolean withExpired) {
      use();
      try {
        this.stored = view.scan(range, direction);
      } catch (RuntimeException | Error e) {
        unuse();
        throw e;
      }
      this.withExpired = withExpired;
    }

    @Override
    public boolean next() {
      checkCursor();
      while (stored.next()) {
        boolean hidden =
            withExpired ? isGone(stored.goneAt()) : Expiry.isExpired(stored.expiresAt(), nowMicros);
        if (!hidden) {
          return true;
        }
      }
      return false;
    }

    @Override
    public byte[] key() {
      checkCursor();
      return stored.key();
    }

    @Override
    public byte[] value() {
      checkCursor();
      return stored.value();
    }

    @Override
    public Entry entry() {
      checkCursor();
      return ViewReader.this.entry(stored.key(), stored.value(), stored.expiresAt());
    }

    @Override
    public void close() {
      if (!cursorClosed) {
        cursorClosed = true;
        stored.close();
        unuse();
      }
    }

    private void checkCursor() {
      if (cursorClosed) {
        throw new IllegalStateException("the cursor is closed");
      }
    }
  }
}
