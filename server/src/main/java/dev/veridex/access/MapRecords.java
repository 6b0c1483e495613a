package dev.veridex.access;

import dev.veridex.common.Space;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The records of an index in memory: one that nothing was ever written to.
final class MapRecords implements Records.Mutable {
  private final Map<Space, NavigableMap<byte[], byte[]>> spaces = new EnumMap<>(Space.class);

  @Override
  public Optional<byte[]> get(Space space, byte[] key) {
    return Optional.ofNullable(of(space).get(key));
  }

  @Override
  public List<Optional<byte[]>> getAll(Space space, List<byte[]> keys) {
    return keys.stream().map(key -> get(space, key)).toList();
  }

  @Override
  public void scan(Space space, byte[] prefix, byte[] from, Visitor visitor) {
    for (Map.Entry<byte[], byte[]> entry : of(space).tailMap(from).entrySet()) {
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
  public void put(Space space, byte[] key, byte[] value) {
    spaces.computeIfAbsent(space, _ -> new TreeMap<>(Arrays::compareUnsigned)).put(key, value);
  }

  @Override
  public void delete(Space space, byte[] key) {
    of(space).remove(key);
  }

  /// What was there from the start has no past.
  @Override
  public void remember(Space space, byte[] key, byte[] value) {}

  @Override
  public void append(Space space, byte[] value) {}

  /// Writes all of them elsewhere.
  void copyTo(Mutable other) {
    spaces.forEach(
        (space, records) -> records.forEach((key, value) -> other.put(space, key, value)));
  }

  private NavigableMap<byte[], byte[]> of(Space space) {
    return spaces.getOrDefault(space, new TreeMap<>(Arrays::compareUnsigned));
  }
}
