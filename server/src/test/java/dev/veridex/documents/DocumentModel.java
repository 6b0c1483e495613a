package dev.veridex.documents;

import dev.veridex.common.VersionTuple;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The slow and obvious registry: a map of all rows, compared one by one.
final class DocumentModel {
  /// A document as the simulation makes it.
  ///
  /// @param n what it says
  /// @param odd whether it says something that only its own epoch has room for
  record Doc(
      String pk,
      VersionTuple tuple,
      boolean delete,
      long n,
      boolean odd,
      Optional<Long> ttlSeconds) {
    Optional<Instant> expiresAt() {
      return ttlSeconds.map(seconds -> tuple.modifiedAt().plusSeconds(seconds));
    }

    boolean isAlive(Instant now) {
      return !delete && expiresAt().filter(end -> !end.isAfter(now)).isEmpty();
    }

    boolean saysAs(Doc other) {
      return delete == other.delete
          && (delete || (n == other.n && odd == other.odd && ttlSeconds.equals(other.ttlSeconds)));
    }
  }

  private final Map<String, TreeMap<Long, Doc>> rows = new HashMap<>();

  /// What the receiver must answer, and what is known afterwards.
  String receive(Doc doc) {
    TreeMap<Long, Doc> known = rows.computeIfAbsent(doc.pk, _ -> new TreeMap<>());
    Optional<Doc> newest = newest(doc.pk);
    if (newest.isPresent()) {
      int order = doc.tuple.compareTo(newest.get().tuple);
      if (order < 0) {
        return "STALE_DOCUMENT";
      }
      if (order == 0) {
        return doc.saysAs(newest.get()) ? "ACK_DUPLICATE" : "CONFLICT";
      }
    }
    known.put(doc.tuple.epoch(), doc);
    if (doc.delete) {
      known.replaceAll(
          (_, row) -> new Doc(row.pk, row.tuple, true, row.n, row.odd, Optional.empty()));
    }
    return "ACK";
  }

  Optional<Doc> newest(String pk) {
    return rows.getOrDefault(pk, new TreeMap<>()).values().stream()
        .max((one, other) -> one.tuple.compareTo(other.tuple));
  }

  /// What the index of a generation has to hold.
  Map<String, Long> generation(long epoch, Instant now) {
    Map<String, Long> expected = new HashMap<>();
    for (String pk : rows.keySet()) {
      Optional<Doc> newest = newest(pk);
      if (newest.isPresent() && newest.get().isAlive(now)) {
        rows.get(pk).descendingMap().values().stream()
            .filter(row -> row.isAlive(now) && row.tuple.epoch() >= epoch)
            .filter(row -> row.tuple.epoch() == epoch || !row.odd)
            .findFirst()
            .ifPresent(row -> expected.put(pk, row.n));
      }
    }
    return expected;
  }
}
