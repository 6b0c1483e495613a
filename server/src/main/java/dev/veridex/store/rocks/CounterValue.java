package dev.veridex.store.rocks;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The form of a counter on disk: eight bytes, little-endian, as RocksDB's native addition wants
/// it. That addition is unsigned and wraps, so it adds signed numbers correctly, too.
final class CounterValue {
  private CounterValue() {}

  static byte[] encode(long value) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  static long decode(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }
}
