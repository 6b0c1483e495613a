package dev.veridex.store.rocks;

import dev.veridex.store.optimistic.StoredValue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;

/// The form of an expiring record's value on disk: a row of Apache Cassandra with one expiring
/// column.
///
/// RocksDB ships a compaction filter for such rows in native code. It drops a row when its
/// timestamp plus its TTL is past; the timestamp here is the record's expiry and the TTL is the
/// grace, so the filter drops exactly what is past its grace, and reading a row needs no
/// arithmetic.
///
/// ```text
/// int 0x7fffffff, long min   the row itself is not deleted
/// byte 2, byte 0             an expiring column, its index
/// long                       the record's expiry in microseconds
/// int, bytes                 the value
/// int                        the grace in seconds
/// ```
///
/// All numbers are big-endian.
final class ExpiryFrame {
  private static final int NOT_DELETED = 0x7fffffff;
  private static final byte EXPIRING_COLUMN = 2;
  private static final int EXPIRY_AT = 14;
  private static final int VALUE_AT = 26;
  private static final int OVERHEAD = VALUE_AT + Integer.BYTES;

  private static final long MICROS = 1_000_000;

  private final int graceSeconds;

  ExpiryFrame(Duration grace) {
    this.graceSeconds = Math.toIntExact(grace.toSeconds());
  }

  /// When a record that is written now, to expire then, will be gone.
  long goneAt(long expiresAtMicros) {
    return expiresAtMicros + graceSeconds * MICROS;
  }

  byte[] encode(byte[] value, long expiresAtMicros) {
    return ByteBuffer.allocate(OVERHEAD + value.length)
        .putInt(NOT_DELETED)
        .putLong(Long.MIN_VALUE)
        .put(EXPIRING_COLUMN)
        .put((byte) 0)
        .putLong(expiresAtMicros)
        .putInt(value.length)
        .put(value)
        .putInt(graceSeconds)
        .array();
  }

  static StoredValue decode(byte[] frame) {
    return new StoredValue(value(frame), expiresAt(frame), goneAt(frame));
  }

  static long goneAt(byte[] frame) {
    int grace = ByteBuffer.wrap(frame).getInt(frame.length - Integer.BYTES);
    return expiresAt(frame) + grace * MICROS;
  }

  static long expiresAt(byte[] frame) {
    return ByteBuffer.wrap(frame).getLong(EXPIRY_AT);
  }

  static byte[] value(byte[] frame) {
    return Arrays.copyOfRange(frame, VALUE_AT, frame.length - Integer.BYTES);
  }
}
