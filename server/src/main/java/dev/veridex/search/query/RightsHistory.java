package dev.veridex.search.query;

import dev.veridex.access.AccessSnapshot;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Instant;
import java.util.Optional;

/// The history of what a caller may read, as far as it decides about old content: whether anything
/// of it was changed since a point. What is not known any more counts as changed.
record RightsHistory(Store store, AccessSnapshots accessSnapshots) {

  /// Whether the caller may read exactly what it could read at a point.
  ///
  /// @param accessSnapshot the state of rights, if anything is trimmed
  boolean isUnchanged(
      SearchTargets targets,
      Optional<AccessSnapshot> accessSnapshot,
      IndexGenerations.Watermark asOf) {
    Revision then = new Revision(targets.revision().storeId(), asOf.sequence());
    return asOf.certain()
        // No ACL was changed.
        && asOf.arrangement() == targets.arrangement()
        && isOlder(targets.callerSince(), then)
        && accessSnapshot
            .map(now -> now.isUnchangedSince(then))
            .orElseGet(() -> areStatementsUnchanged(targets, then));
  }

  /// Whether a caller is who it was at a revision: a token that was minted later may bring other
  /// groups.
  private boolean isOlder(Optional<Instant> callerSince, Revision then) {
    try (Snapshot snapshot = store.snapshot()) {
      return callerSince
          .filter(since -> since.isAfter(store.currentUntil(snapshot, then)))
          .isEmpty();
    } catch (VeridexException e) {
      return false;
    }
  }

  /// Statements also say who is in the groups that an ACL names.
  private boolean areStatementsUnchanged(SearchTargets targets, Revision then) {
    try (AccessSnapshot access =
        accessSnapshots.open(targets.namespace(), Optional.empty(), false)) {
      return access.isUnchangedSince(then);
    } catch (VeridexException e) {
      return false;
    }
  }
}
