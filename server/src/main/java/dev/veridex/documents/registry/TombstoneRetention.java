package dev.veridex.documents.registry;

import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.Expiry;
import dev.veridex.common.Instants;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/// The retention of tombstones: how long the registry and every index remember a document that was
/// deleted or has expired.
public final class TombstoneRetention {
  private TombstoneRetention() {}

  /// When it may be forgotten; absent: never.
  ///
  /// @param now when the row is accepted, or told to an index
  /// @param row the newest one
  /// @param older rows of the same document in earlier epochs: what stands in the way of one of
  ///   them is not forgotten before it has ended, for it would come back
  public static Optional<Instant> until(
      IndexedSettings settings, Instant now, RegistryRow row, Collection<RegistryRow> older) {
    if (settings.tombstoneRetention().isEmpty()
        || (!row.tombstone() && row.expiresAt().isEmpty())) {
      return Optional.empty();
    }
    Instant last =
        Instants.later(
            Instants.later(now, row.tuple().modifiedAt()), row.expiresAt().orElse(Instant.EPOCH));
    for (RegistryRow each : older) {
      if (!each.tombstone()) {
        last = Instants.later(last, each.expiresAt().orElse(Expiry.LATEST));
      }
    }
    Instant end = last.plus(settings.tombstoneRetention().get());
    return end.isBefore(Expiry.LATEST) ? Optional.of(end) : Optional.empty();
  }
}
