package dev.veridex.access;

import dev.veridex.accounts.Administration;
import dev.veridex.accounts.Place;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// Opens readers of places that are there.
final class PlaceReaders {
  private static final int MAX_PLACES = 10_000;

  private final Store store;
  private final Administration administration;

  /// The places that were there, each at an arrangement of its account.
  private final ConcurrentMap<Place, Long> there = new ConcurrentHashMap<>();

  PlaceReaders(Store store, Administration administration) {
    this.store = store;
    this.administration = administration;
  }

  private void check(Snapshot snapshot, Place place) {
    long arrangement = administration.arrangement(snapshot, place.account());
    if (there.getOrDefault(place, -1L) != arrangement) {
      VeridexException.throwIf(administration.missing(snapshot, place));
      if (there.size() >= MAX_PLACES) {
        there.clear();
      }
      there.put(place, arrangement);
    }
  }

  /// Until when a revision was the newest: the commit after it took its place.
  ///
  /// @throws VeridexException `REVISION_TOO_OLD` if that is longer ago than the store keeps changes
  static Instant currentUntil(Store store, Snapshot snapshot, Revision revision) {
    return revision.sequence() >= snapshot.revision().sequence()
        ? snapshot.now()
        : store.timeOf(new Revision(revision.storeId(), revision.sequence() + 1));
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
      check(snapshot, place);
      return snapshot;
    } catch (RuntimeException e) {
      snapshot.close();
      throw e;
    }
  }
}
