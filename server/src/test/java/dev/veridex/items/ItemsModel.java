package dev.veridex.items;

import dev.veridex.buckets.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Items as they should be, slow and obvious: every revision that was ever written, with the time
/// at which it is forgotten.
final class ItemsModel {
  private final Retention retention;
  private final Map<String, List<Kept>> items = new TreeMap<>();

  ItemsModel(Retention retention) {
    this.retention = retention;
  }

  /// One revision.
  static final class Kept {
    final String id;
    final Instant time;
    final Optional<String> value;
    Instant end;

    Kept(String id, Instant time, Optional<String> value, Instant end) {
      this.id = id;
      this.time = time;
      this.value = value;
      this.end = end;
    }
  }

  void write(
      String key, String id, Instant now, Optional<String> value, Optional<Instant> expiresAt) {
    Instant own = expiresAt.orElse(Instant.MAX);
    Instant end = value.isEmpty() ? deletionRememberedUntil(now) : own;
    List<Kept> all = items.computeIfAbsent(key, _ -> new ArrayList<>());
    List<Kept> past = all.stream().filter(kept -> kept.end.isAfter(now)).toList().reversed();
    all.add(new Kept(id, now, value, end));
    List<Kept> surplus =
        switch (retention) {
          case Retention.All() -> List.of();
          case Retention.Latest(int count, _) -> past.stream().skip(count - 1L).toList();
          case Retention.Interval(Duration interval, int count, _) ->
              past.stream()
                  .filter(kept -> stretch(kept.time, interval) == stretch(now, interval))
                  .skip(count - 1L)
                  .toList();
          case Retention.Ttl _ -> past;
        };
    for (Kept kept : surplus) {
      Instant last =
          switch (retention) {
            case Retention.All() -> Instant.MAX;
            case Retention.Latest(_, Duration grace) -> now.plus(grace);
            case Retention.Interval(_, _, Duration grace) -> now.plus(grace);
            case Retention.Ttl(Duration ttl) -> kept.time.plus(ttl);
          };
      kept.end = last.isBefore(kept.end) ? last : kept.end;
    }
  }

  private Instant deletionRememberedUntil(Instant now) {
    Duration minute = Duration.ofMinutes(1);
    return switch (retention) {
      case Retention.All() -> Instant.MAX;
      case Retention.Ttl(Duration ttl) -> now.plus(ttl);
      case Retention.Latest(_, Duration grace) ->
          now.plus(grace.compareTo(minute) > 0 ? grace : minute);
      case Retention.Interval(_, _, Duration grace) ->
          now.plus(grace.compareTo(minute) > 0 ? grace : minute);
    };
  }

  private static long stretch(Instant time, Duration interval) {
    return Math.floorDiv(time.getEpochSecond(), interval.toSeconds());
  }

  /// The last revision, unless it is forgotten.
  Optional<Kept> current(String key, Instant now) {
    return all(key).reduce((_, last) -> last).filter(kept -> kept.end.isAfter(now));
  }

  Optional<String> value(String key, Instant now) {
    return current(key, now).flatMap(kept -> kept.value);
  }

  Optional<String> withId(String key, String id, Instant now) {
    return all(key)
        .filter(kept -> kept.id.equals(id) && kept.end.isAfter(now))
        .findFirst()
        .flatMap(kept -> kept.value);
  }

  Optional<String> at(String key, Instant time, Instant now) {
    return all(key)
        .filter(kept -> !kept.time.isAfter(time))
        .reduce((_, last) -> last)
        .filter(kept -> kept.end.isAfter(now))
        .flatMap(kept -> kept.value);
  }

  List<String> revisions(String key, Instant now) {
    return all(key).filter(kept -> kept.end.isAfter(now)).map(kept -> kept.id).toList().reversed();
  }

  List<String> keys(String prefix, Instant now) {
    return items.keySet().stream()
        .filter(key -> key.startsWith(prefix) && value(key, now).isPresent())
        .toList();
  }

  long count(Instant now) {
    return keys("", now).size();
  }

  long bytes(Instant now) {
    return items.values().stream()
        .flatMap(List::stream)
        .filter(kept -> kept.end.isAfter(now))
        .mapToLong(kept -> kept.value.map(String::length).orElse(0))
        .sum();
  }

  private Stream<Kept> all(String key) {
    return items.getOrDefault(key, List.of()).stream();
  }
}
