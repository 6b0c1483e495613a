package dev.veridex.access.ledger;

import dev.veridex.common.RecordKind;
import java.util.List;
import java.util.Optional;

/// The stored records of one index, by their keys within it.
public interface AccessRecords {
  Optional<byte[]> get(RecordKind kind, byte[] key);

  List<Optional<byte[]>> getAll(RecordKind kind, List<byte[]> keys);

  /// Visits the records whose keys begin with a prefix, in order.
  default void scan(RecordKind kind, byte[] prefix, Visitor visitor) {
    scan(kind, prefix, prefix, visitor);
  }

  /// As above, those with a key from which on.
  void scan(RecordKind kind, byte[] prefix, byte[] from, Visitor visitor);

  /// How many bytes every key has besides its own.
  int prefixBytes();

  /// Sees records.
  @FunctionalInterface
  interface Visitor {
    /// Sees one, and says whether to go on.
    boolean visit(byte[] key, byte[] value);
  }

  /// Records that can be changed.
  interface Mutable extends AccessRecords {
    void put(RecordKind kind, byte[] key, byte[] value);

    void delete(RecordKind kind, byte[] key);

    /// Writes a record that is gone when the past is.
    void remember(RecordKind kind, byte[] key, byte[] value);

    /// Appends an element that is gone when the past is.
    void append(RecordKind kind, byte[] value);
  }
}
