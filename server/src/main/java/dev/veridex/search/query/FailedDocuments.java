package dev.veridex.search.query;

import dev.veridex.access.AccessSnapshot;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Lookup of documents that are missing from an answer because publishing or indexing them failed.
record FailedDocuments(Store store, IndexGenerations generations) {
  private static final int MAX_FAILED = 100;

  /// @param revision of the answer
  SearchAnswer.FailedPart of(
      SearchTargets targets,
      List<PinnedCursors.PinnedView> shown,
      Optional<AccessSnapshot> access,
      Revision revision) {
    Instant until = acceptedBy(revision);
    List<SearchAnswer.FailedDocument> failed = new ArrayList<>();
    boolean more = false;
    try (Snapshot snapshot = store.snapshot()) {
      for (int i = 0; i < shown.size(); i++) {
        SearchTargets.Target target = targets.all().get(i);
        List<String> some =
            generations.failed(
                snapshot,
                target.open().generation(),
                shown.get(i).asOf(),
                until,
                MAX_FAILED + 1,
                pk ->
                    target.reader().isEmpty()
                        || target.mayRead(
                            generations
                                .newest(snapshot, target.found(), target.open(), pk)
                                .resources(),
                            access));
        some.stream()
            .limit(MAX_FAILED)
            .forEach(pk -> failed.add(new SearchAnswer.FailedDocument(target.bucket(), pk)));
        more |= some.size() > MAX_FAILED;
      }
    }
    return new SearchAnswer.FailedPart(failed, more);
  }

  /// When everything up to a revision had been accepted; nobody knows it of one that is forgotten.
  private Instant acceptedBy(Revision revision) {
    try {
      return store.timeOf(revision);
    } catch (VeridexException e) {
      return Instant.MAX;
    }
  }
}
