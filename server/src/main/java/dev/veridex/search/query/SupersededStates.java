package dev.veridex.search.query;

import dev.veridex.access.AccessSnapshot;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.documents.publish.IndexGenerations.NewestState;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Decides whether a state of a document may be shown that is not the newest any more: an index
/// lags, and a cursor stands still.
///
/// Old content never meets new rights. A superseded state is shown only to who may read its
/// resources and those of the newest state now, and could read its own while it was the newest: as
/// of the view it was, and no right was changed from then until the newest state was accepted.
/// Otherwise a right that is given after a redaction would open what was redacted, and what is
/// moved away from its readers would stay with them for a while.
record SupersededStates(Store store, IndexGenerations generations, RightsHistory history) {

  /// A state of a document as an index holds it.
  ///
  /// @param asOf a point at which it was the newest
  record State(
      String pk, VersionTuple tuple, List<String> resources, IndexGenerations.Watermark asOf) {}

  /// The hits that may be shown.
  ///
  /// @param views in which they were found, one for each target
  /// @param accessSnapshot the rights by which they were found; what is looked up here is newer
  List<SearchAnswer.Hit> shown(
      SearchTargets targets,
      List<PinnedCursors.PinnedView> views,
      Optional<AccessSnapshot> accessSnapshot,
      List<SearchAnswer.Hit> hits) {
    Map<String, Map<String, NewestState>> superseding = new HashMap<>();
    try (Snapshot snapshot = store.snapshot()) {
      for (SearchTargets.Target target : targets.all()) {
        Map<String, VersionTuple> found = new HashMap<>();
        hits.stream()
            .filter(hit -> hit.bucket().equals(target.bucket()))
            .forEach(hit -> found.put(hit.found().pk(), hit.found().tuple()));
        if (!found.isEmpty()) {
          superseding.put(
              target.bucket(),
              generations.superseding(snapshot, target.found(), target.open(), found));
        }
      }
    }
    if (superseding.values().stream().allMatch(Map::isEmpty)) {
      return hits;
    }
    Map<String, Integer> byName = new HashMap<>();
    for (int i = 0; i < views.size(); i++) {
      byName.put(targets.all().get(i).bucket(), i);
    }
    return hits.stream()
        .filter(
            hit -> {
              NewestState newest =
                  superseding.getOrDefault(hit.bucket(), Map.of()).get(hit.found().pk());
              if (newest == null) {
                return true;
              }
              int number = byName.getOrDefault(hit.bucket(), -1);
              State state =
                  new State(
                      hit.found().pk(),
                      hit.found().tuple(),
                      hit.found().resources(),
                      views.get(number).asOf());
              return isShown(targets, targets.all().get(number), accessSnapshot, state, newest);
            })
        .toList();
  }

  /// The state that takes the place of one that may not be shown; nothing if it may.
  Optional<NewestState> instead(
      SearchTargets targets,
      SearchTargets.Target target,
      Optional<AccessSnapshot> accessSnapshot,
      State state) {
    try (Snapshot snapshot = store.snapshot()) {
      return Optional.ofNullable(
              generations
                  .superseding(
                      snapshot, target.found(), target.open(), Map.of(state.pk, state.tuple))
                  .get(state.pk))
          .filter(newest -> !isShown(targets, target, accessSnapshot, state, newest));
    }
  }

  private boolean isShown(
      SearchTargets targets,
      SearchTargets.Target target,
      Optional<AccessSnapshot> accessSnapshot,
      State state,
      NewestState newest) {
    if (target.always()) {
      return true;
    }
    Revision then = new Revision(targets.revision().storeId(), state.asOf.sequence());
    return history.isUnchanged(targets, accessSnapshot, state.asOf)
        // What could not be indexed is newer than what is shown for longer.
        && isAfter(newest, then)
        && target.mayRead(newest.resources(), accessSnapshot)
        && target.mayRead(state.resources, accessSnapshot);
  }

  /// Whether a state was accepted after a revision; of one that is forgotten nobody knows.
  private boolean isAfter(NewestState newest, Revision then) {
    try {
      return newest.acceptedAt().isAfter(store.timeOf(then));
    } catch (VeridexException e) {
      return false;
    }
  }
}
