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

  private NavigableMap<byte[], Optional<byte[]>> of(RecordKind kind) {
    return changes.computeIfAbsent(kind, _ -> new TreeMap<>(Arrays::compareUnsigned));
  }

  @Override
  public Optional<byte[]> get(RecordKind kind, byte[] key) {
    return of(kind).getOrDefault(key, Optional.empty()).or(() -> unchanged(kind, key));
  }

  private Optional<byte[]> unchanged(RecordKind kind, byte[] key) {
    return of(kind).containsKey(key) ? Optional.empty() : records.get(kind, key);
  }

  @Override
  public List<Optional<byte[]>> getAll(RecordKind kind, List<byte[]> keys) {
    return keys.stream().map(key -> get(kind, key)).toList();
  }

  @Override
  public void scan(RecordKind kind, byte[] prefix, byte[] from, Visitor visitor) {
    NavigableMap<byte[], Optional<byte[]>> found = new TreeMap<>(Arrays::compareUnsigned);
    records.scan(
        kind,
        prefix,
        from,
        (key, value) -> {
          found.put(key, Optional.of(value));
          return true;
        });
    of(kind)
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
  public void put(RecordKind kind, byte[] key, byte[] value) {
    of(kind).put(key, Optional.of(value));
  }

  @Override
  public void delete(RecordKind kind, byte[] key) {
    of(kind).put(key, Optional.empty());
  }

  /// What is only tried has no past.
  @Override
  public void remember(RecordKind kind, byte[] key, byte[] value) {}

  @Override
  public void append(RecordKind kind, byte[] value) {}
}
