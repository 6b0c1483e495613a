package dev.veridex.search.query;

import dev.veridex.access.check.Trace;
import dev.veridex.common.Revision;
import dev.veridex.index.IndexResult;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/// The answer of a search.
///
/// @param failed only if the asker wanted the answer to be fresh
/// @param cursor where to go on; absent at the end
public record SearchAnswer(
    List<Hit> hits,
    long total,
    SortedMap<String, List<IndexResult.Count>> facets,
    boolean complete,
    Optional<Boolean> exact,
    FailedPart failed,
    Optional<String> cursor,
    Revision revision) {
  /// A document that was found.
  ///
  /// @param why it is shown, for each of its resources; only if the asker wants to know
  public record Hit(String bucket, IndexResult.Hit found, List<Trace> why) {
    Hit(String bucket, IndexResult.Hit found) {
      this(bucket, found, List.of());
    }
  }

  /// The part of an answer about documents that were accepted and could not be indexed yet.
  ///
  /// @param documents the first of them
  /// @param more whether there are others
  public record FailedPart(List<FailedDocument> documents, boolean more) {
    static final FailedPart NONE = new FailedPart(List.of(), false);
  }

  /// A document that was accepted and could not be indexed yet.
  public record FailedDocument(String bucket, String pk) {}
}
