package dev.veridex.store;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A store as a person would write it on paper: two sorted maps, one transaction after the other.
final class HistoryModel {
  /// A record of the model.
  record Value(String text, Optional<Instant> expiresAt) {
    boolean isAlive(Instant now) {
      return expiresAt.isEmpty() || now.isBefore(expiresAt.get());
    }
  }

  private final NavigableMap<byte[], Value> records = new TreeMap<>(Arrays::compareUnsigned);
  private final NavigableMap<byte[], Long> counters = new TreeMap<>(Arrays::compareUnsigned);

  HistoryModel copy() {
    HistoryModel copy = new HistoryModel();
    copy.records.putAll(records);
    copy.counters.putAll(counters);
    return copy;
  }

  void put(byte[] key, String text, Optional<Instant> expiresAt) {
    records.put(key, new Value(text, expiresAt));
  }

  /// Time passes.
  void expire(Instant now) {
    records.values().removeIf(value -> !value.isAlive(now));
  }

  void delete(byte[] key) {
    records.remove(key);
  }

  void deleteRange(KeyRange range) {
    records.keySet().removeIf(range::contains);
    counters.keySet().removeIf(range::contains);
  }

  void add(byte[] key, long delta) {
    counters.merge(key, delta, Long::sum);
  }

  String get(byte[] key, Instant now) {
    Value value = records.get(key);
    return value != null && value.isAlive(now) ? value.text : "-";
  }

  String scan(KeyRange range, Direction direction, int limit, Instant now) {
    NavigableMap<byte[], Value> ordered =
        direction == Direction.FORWARD ? records : records.descendingMap();
    List<Map.Entry<byte[], Value>> found =
        ordered.entrySet().stream()
            .filter(entry -> range.contains(entry.getKey()) && entry.getValue().isAlive(now))
            .limit(limit)
            .toList();
    return found.stream()
        .map(entry -> Arrays.toString(entry.getKey()) + entry.getValue().text)
        .collect(Collectors.joining(" "));
  }

  String counter(byte[] key) {
    return String.valueOf(counters.getOrDefault(key, 0L));
  }

  String counters(KeyRange range) {
    return counters.entrySet().stream()
        .filter(entry -> range.contains(entry.getKey()) && entry.getValue() != 0)
        .map(entry -> Arrays.toString(entry.getKey()) + entry.getValue())
        .collect(Collectors.joining(" "));
  }
}
