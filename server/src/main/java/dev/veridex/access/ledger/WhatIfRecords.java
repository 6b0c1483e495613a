package dev.veridex.access.ledger;

import dev.veridex.common.RecordKind;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The records of an index with changes that are not written anywhere.
final class WhatIfRecords implements AccessRecords.Mutable {
  private final AccessRecords records;
  private final Map<RecordKind, NavigableMap<byte[], Optional<byte[]>>> changes =
      new EnumMap<>(RecordKind.class);

  WhatIfRecords(AccessRecords records) {
    this.records = records;
  }

  private NavigableMap<byte[], Optional<byte[]>> of(RecordKind space) {
    return changes.computeIfAbsent(space, _ -> new TreeMap<>(Arrays::compareUnsigned));
  }

  @Override
  public Optional<byte[]> get(RecordKind space, byte[] key) {
    return of(space).getOrDefault(key, Optional.empty()).or(() -> unchanged(space, key));
  }

  private Optional<byte[]> unchanged(RecordKind space, byte[] key) {
    return of(space).containsKey(key) ? Optional.empty() : records.get(space, key);
  }

  @Override
  public List<Optional<byte[]>> getAll(RecordKind space, List<byte[]> keys) {
    return keys.stream().map(key -> get(space, key)).toList();
  }

  @Override
  public void scan(RecordKind space, byte[] prefix, byte[] from, Visitor visitor) {
    NavigableMap<byte[], Optional<byte[]>> found = new TreeMap<>(Arrays::compareUnsigned);
    records.scan(
        space,
        prefix,
        from,
        (key, value) -> {
          found.put(key, Optional.of(value));
          return true;
        });
    of(space)
        .tailMap(from, true)
        .forEach(
            (key, value) -> {
              if (key.length >= prefix.length
                  && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
                found.put(key, value);
              }
            });
    for (Map.Entry<byte[], Optional<byte[]>> each : found.entrySet()) {
      if (each.getValue().isPresent() && !visitor.visit(each.getKey(), each.getValue().get())) {
        return;
      }
    }
  }

  @Override
  public int prefixBytes() {
    return records.prefixBytes();
  }

  @Override
  public void put(RecordKind space, byte[] key, byte[] value) {
    of(space).put(key, Optional.of(value));
  }

  @Override
  public void delete(RecordKind space, byte[] key) {
    of(space).put(key, Optional.empty());
  }

  /// What is only tried has no past.
  @Override
  public void remember(RecordKind space, byte[] key, byte[] value) {}

  @Override
  public void append(RecordKind space, byte[] value) {}
}
