package dev.veridex.store;

import java.util.Arrays;
import java.util.Optional;

/// The keys from `from` (inclusive) to `to` (exclusive) in unsigned byte order.
///
/// @param to absent: up to the last key there is
public record KeyRange(byte[] from, Optional<byte[]> to) {
  /// Every key.
  public static final KeyRange ALL = new KeyRange(new byte[0], Optional.empty());

  public static KeyRange between(byte[] from, byte[] to) {
    return new KeyRange(from, Optional.of(to));
  }

  public static KeyRange from(byte[] from) {
    return new KeyRange(from, Optional.empty());
  }

  /// All keys that begin with `prefix`.
  public static KeyRange prefix(byte[] prefix) {
    for (int i = prefix.length - 1; i >= 0; i--) {
      if (prefix[i] != (byte) 0xFF) {
        byte[] end = Arrays.copyOf(prefix, i + 1);
        end[i]++;
        return between(prefix, end);
      }
    }
    return from(prefix);
  }

  /// The smallest key after `key`.
  public static byte[] successor(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  public boolean contains(byte[] key) {
    return Arrays.compareUnsigned(from, key) <= 0
        && (to.isEmpty() || Arrays.compareUnsigned(key, to.get()) < 0);
  }

  public boolean isEmpty() {
    return to.isPresent() && Arrays.compareUnsigned(from, to.get()) >= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyRange(byte[] otherFrom, Optional<byte[]> otherTo)
        && Arrays.equals(from, otherFrom)
        && to.isPresent() == otherTo.isPresent()
        && (to.isEmpty() || Arrays.equals(to.get(), otherTo.orElseThrow()));
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(from) + to.map(Arrays::hashCode).orElse(0);
  }
}
