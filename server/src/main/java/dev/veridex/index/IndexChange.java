package dev.veridex.index;

import dev.veridex.common.VersionTuple;
import dev.veridex.protocol.RawDocument;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A change of an index: the new state of one document.
///
/// @param tuple decides whether this is newer than what the index holds
/// @param entry what is to be found; absent if nothing is
/// @param rememberedUntil how long the tuple is kept when the entry is gone; absent: for ever
public record IndexChange(
    String pk, VersionTuple tuple, Optional<Entry> entry, Optional<Instant> rememberedUntil) {

  /// The searchable content of a document.
  ///
  /// @param document in the terms of the index's schema
  /// @param expiresAt when it is no longer to be found; absent: never
  /// @param resources whose rights decide who may find it
  public record Entry(RawDocument document, Optional<Instant> expiresAt, List<String> resources) {
    public Entry {
      resources = List.copyOf(resources);
    }
  }
}
