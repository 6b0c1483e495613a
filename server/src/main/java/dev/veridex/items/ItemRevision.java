package dev.veridex.items;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// A revision of an item, without its bytes.
///
/// More than eight components: its components are the stored members of a revision.
///
/// @param id orders the revisions of an item
/// @param time when it was written
/// @param deleted whether it says that the item is gone
/// @param headers kept for whoever wrote it, by name in lower case
/// @param bytes the length of its value
/// @param expiresAt when it is forgotten
/// @param ttl by how much reading prolongs its life; absent until that happened
/// @param replacedAt when another took its place, or none was left; absent for the current one
public record ItemRevision(
    UUID id,
    Instant time,
    boolean deleted,
    String contentType,
    SortedMap<String, String> headers,
    int bytes,
    Optional<Instant> expiresAt,
    Optional<Duration> ttl,
    Optional<Instant> replacedAt) {

  /// A revision whose life was never prolonged.
  public ItemRevision(
      UUID id,
      Instant time,
      boolean deleted,
      String contentType,
      SortedMap<String, String> headers,
      int bytes,
      Optional<Instant> expiresAt,
      Optional<Instant> replacedAt) {
    this(id, time, deleted, contentType, headers, bytes, expiresAt, Optional.empty(), replacedAt);
  }

  public ItemRevision {
    headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
  }

  /// The bytes that it is counted for: its value and the headers that are kept with it.
  public long held() {
    long held = bytes;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      held += header.getKey().length() + header.getValue().length();
    }
    return held;
  }

  /// The same after another took its place.
  public ItemRevision replaced(Instant at) {
    return new ItemRevision(
        id, time, deleted, contentType, headers, bytes, expiresAt, ttl, Optional.of(at));
  }

  /// The same with another end.
  public ItemRevision until(Instant end) {
    return new ItemRevision(
        id, time, deleted, contentType, headers, bytes, Optional.of(end), ttl, replacedAt);
  }

  /// The same after a read prolonged its life.
  ItemRevision refreshed(Instant end, Duration by) {
    return new ItemRevision(
        id,
        time,
        deleted,
        contentType,
        headers,
        bytes,
        Optional.of(end),
        Optional.of(by),
        replacedAt);
  }

  /// By how much reading prolongs its life: by as much as was asked for when it was written.
  Optional<Duration> refreshTtl() {
    return ttl.or(() -> expiresAt.map(end -> Duration.between(time, end)));
  }
}
