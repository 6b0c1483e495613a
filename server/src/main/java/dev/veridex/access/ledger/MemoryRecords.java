package dev.veridex.access.ledger;

import dev.veridex.common.RecordKind;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The records of an index in memory: one that nothing was ever written to.
public final class MemoryRecords implements AccessRecords.Mutable {
  private final Map<RecordKind, NavigableMap<byte[], byte[]>> spaces =
      new EnumMap<>(RecordKind.class);

  @Override
  public Optional<byte[]> get(RecordKind kind, byte[] key) {
    return Optional.ofNullable(of(kind).get(key));
  }

  @Override
  public List<Optional<byte[]>> getAll(RecordKind kind, List<byte[]> keys) {
    return keys.stream().map(key -> get(kind, key)).toList();
  }

  @Override
  public void scan(RecordKind kind, byte[] prefix, byte[] from, Visitor visitor) {
    for (Map.Entry<byte[], byte[]> entry : of(kind).tailMap(from).entrySet()) {
      byte[] key = entry.getKey();
      boolean within =
          key.length >= prefix.length
              && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
      if (!within || !visitor.visit(key, entry.getValue())) {
        return;
      }
    }
  }

  @Override
  public int prefixBytes() {
    return 0;
  }

  @Override
  public void put(RecordKind kind, byte[] key, byte[] value) {
    spaces.computeIfAbsent(kind, _ -> new TreeMap<>(Arrays::compareUnsigned)).put(key, value);
  }

  @Override
  public void delete(RecordKind kind, byte[] key) {
    of(kind).remove(key);
  }

  /// What was there from the start has no past.
  @Override
  public void remember(RecordKind kind, byte[] key, byte[] value) {}

  @Override
  public void append(RecordKind kind, byte[] value) {}

  /// Writes all of them elsewhere.
  void copyTo(Mutable other) {
    spaces.forEach((kind, records) -> records.forEach((key, value) -> other.put(kind, key, value)));
  }

  private NavigableMap<byte[], byte[]> of(RecordKind kind) {
    return spaces.getOrDefault(kind, new TreeMap<>(Arrays::compareUnsigned));
  }
}
