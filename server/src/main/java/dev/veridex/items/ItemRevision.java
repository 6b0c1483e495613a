package dev.veridex.items;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// A revision of an item, without its bytes.
///
/// @param id orders the revisions of an item
/// @param time when it was written
/// @param deleted whether it says that the item is gone
/// @param headers kept for whoever wrote it, by name in lower case
/// @param bytes the length of its value
/// @param expiresAt when it is forgotten
/// @param replacedAt when another took its place, or none was left; absent for the current one
public record ItemRevision(
    UUID id,
    Instant time,
    boolean deleted,
    String contentType,
    SortedMap<String, String> headers,
    int bytes,
    Optional<Instant> expiresAt,
    Optional<Instant> replacedAt) {

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
        id, time, deleted, contentType, headers, bytes, expiresAt, Optional.of(at));
  }

  /// The same with another end.
  public ItemRevision until(Instant end) {
    return new ItemRevision(
        id, time, deleted, contentType, headers, bytes, Optional.of(end), replacedAt);
  }
}
