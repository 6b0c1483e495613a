package dev.veridex.access;

import dev.veridex.common.Space;
import java.util.List;
import java.util.Optional;

/// The stored records of one index, by their keys within it.
interface Records {
  Optional<byte[]> get(Space space, byte[] key);

  List<Optional<byte[]>> getAll(Space space, List<byte[]> keys);

  /// Visits the records whose keys begin with a prefix, in order.
  default void scan(Space space, byte[] prefix, Visitor visitor) {
    scan(space, prefix, prefix, visitor);
  }

  /// As above, those with a key from which on.
  void scan(Space space, byte[] prefix, byte[] from, Visitor visitor);

  /// How many bytes every key has besides its own.
  int prefixBytes();

  /// Sees records.
  @FunctionalInterface
  interface Visitor {
    /// Sees one, and says whether to go on.
    boolean visit(byte[] key, byte[] value);
  }

  /// Records that can be changed.
  interface Mutable extends Records {
    void put(Space space, byte[] key, byte[] value);

    void delete(Space space, byte[] key);

    /// Writes a record that is gone when the past is.
    void remember(Space space, byte[] key, byte[] value);

    /// Appends an element that is gone when the past is.
    void append(Space space, byte[] value);
  }
}
