package dev.veridex.access;

import dev.veridex.accounts.Administration;
import dev.veridex.accounts.Place;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.Optional;

/// Opens readers of places that are there.
final class PlaceReaders {
  private final Store store;
  private final Administration administration;

  PlaceReaders(Store store, Administration administration) {
    this.store = store;
    this.administration = administration;
  }

  /// A reader of the newest state.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  Snapshot open(Place place) {
    return open(place, Optional.empty());
  }

  /// A reader of a state that is fresh enough.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`, `UNKNOWN_REVISION`
  Snapshot open(Place place, Optional<Revision> atLeast) {
    Snapshot snapshot = atLeast.map(store::snapshot).orElseGet(store::snapshot);
    try {
      VeridexException.throwIf(administration.missing(snapshot, place));
      return snapshot;
    } catch (RuntimeException e) {
      snapshot.close();
      throw e;
    }
  }
}
