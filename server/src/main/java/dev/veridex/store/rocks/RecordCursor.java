package dev.veridex.store.rocks;

import dev.veridex.common.Expiry;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.optimistic.StoredCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Snapshot;

/// A position in a scan of all records, merged from the families that hold some.
final class RecordCursor implements StoredCursor {
  private final Direction direction;
  private final List<Source> sources = new ArrayList<>(Family.RECORDS.size());
  private final ScanOptions options;
  private boolean started;
  private @Nullable Source current;
  private @Nullable Source runnerUp;

  RecordCursor(RocksDatabase database, Snapshot snapshot, KeyRange range, Direction direction) {
    this.direction = direction;
    this.options = new ScanOptions(snapshot, range);
    if (range.isEmpty()) {
      return;
    }
    for (Family family : Family.RECORDS) {
      if (database.mayHold(family, range)) {
        sources.add(new Source(family, new FamilyCursor(database, family, options, direction)));
      }
    }
  }

  @Override
  public boolean next() {
    if (!started) {
      started = true;
      sources.removeIf(source -> !source.advance());
      select();
    } else if (current != null) {
      boolean more = current.advance();
      if (!more) {
        sources.remove(current);
      }
      if (!more || (runnerUp != null && isBefore(runnerUp.cursor.key(), current.cursor.key()))) {
        select();
      }
    }
    return current != null;
  }

  /// Finds the source whose key comes next, and the one after it: as long as the first stays before
  /// the second, no others need to be compared. No two have the same key, for a key stands in one
  /// family only.
  private void select() {
    current = null;
    runnerUp = null;
    for (Source source : sources) {
      if (current == null || isBefore(source.cursor.key(), current.cursor.key())) {
        runnerUp = current;
        current = source;
      } else if (runnerUp == null || isBefore(source.cursor.key(), runnerUp.cursor.key())) {
        runnerUp = source;
      }
    }
  }

  private boolean isBefore(byte[] key, byte[] other) {
    int order = Arrays.compareUnsigned(key, other);
    return direction == Direction.FORWARD ? order < 0 : order > 0;
  }

  @Override
  public byte[] key() {
    return current().cursor.key();
  }

  @Override
  public byte[] value() {
    return current().value();
  }

  @Override
  public long expiresAt() {
    return current().expiresAt();
  }

  @Override
  public long goneAt() {
    return current().goneAt();
  }

  @Override
  public void close() {
    sources.forEach(source -> source.cursor.close());
    sources.clear();
    current = null;
    runnerUp = null;
    options.close();
  }

  private Source current() {
    if (current == null) {
      throw new IllegalStateException("the cursor stands on no record");
    }
    return current;
  }

  /// The cursor of one family in the merge.
  private static final class Source {
    private final Family family;
    private final FamilyCursor cursor;
    private byte @Nullable [] frame;

    Source(Family family, FamilyCursor cursor) {
      this.family = family;
      this.cursor = cursor;
    }

    boolean advance() {
      frame = null;
      if (cursor.next()) {
        return true;
      }
      cursor.close();
      return false;
    }

    byte[] value() {
      return family.expires() ? ExpiryFrame.value(frame()) : cursor.value();
    }

    long expiresAt() {
      return family.expires() ? ExpiryFrame.expiresAt(frame()) : Expiry.NEVER;
    }

    long goneAt() {
      return family.expires() ? ExpiryFrame.goneAt(frame()) : Expiry.NEVER;
    }

    private byte[] frame() {
      if (frame == null) {
        frame = cursor.value();
      }
      return frame;
    }
  }
}
