package dev.veridex.store;

import java.nio.ByteBuffer;

/// A record that was appended; its number is known once its transaction is committed.
public final class AppendedRecord {
  private static final int INDEX_BITS = 16;
  private final byte[] prefix;
  private final int index;
  private volatile long number;

  /// @param index its position among the appends of its transaction
  public AppendedRecord(byte[] prefix, int index) {
    this.prefix = prefix;
    this.index = index;
  }

  /// Its position in the commit order of everything appended.
  ///
  /// @throws IllegalStateException while its transaction is not committed
  public long number() {
    if (number == 0) {
      throw new IllegalStateException("an append has its number only after the commit");
    }
    return number;
  }

  /// The key under which it stands.
  public byte[] key() {
    return key(prefix, number());
  }

  /// The prefix of its key.
  public byte[] prefix() {
    return prefix;
  }

  /// The key of the record with a number, to scan from or to.
  public static byte[] key(byte[] prefix, long number) {
    return ByteBuffer.allocate(prefix.length + Long.BYTES).put(prefix).putLong(number).array();
  }

  /// The number in the key of an appended record.
  public static long numberOf(byte[] key) {
    return ByteBuffer.wrap(key).getLong(key.length - Long.BYTES);
  }

  /// The least number that the commit with `sequence` could give.
  public static long first(long sequence) {
    return sequence << INDEX_BITS;
  }

  /// The sequence of the commit that gave a number.
  public static long sequence(long number) {
    return number >>> INDEX_BITS;
  }

  /// For engines: the number that the commit with `sequence` gives. No head record, nothing to
  /// conflict on: commit order is number order because sequences are given in commit order.
  public long numberAt(long sequence) {
    return sequence << INDEX_BITS | index;
  }

  /// For engines: fixes the number when the transaction with `sequence` is committed.
  public void committed(long sequence) {
    number = numberAt(sequence);
  }

  /// For engines: the key that the commit with `sequence` gives.
  public byte[] keyAt(long sequence) {
    return key(prefix, numberAt(sequence));
  }
}
