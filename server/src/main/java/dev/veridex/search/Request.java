package dev.veridex.search;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// A search as it was asked, its parts not looked at yet.
///
/// @param all whether all words must be found, where the query does not say
/// @param atLeast a revision that the answer must be as fresh as
/// @param patience how long to wait for that
public record Request(
    Optional<String> query,
    boolean all,
    List<String> fields,
    Optional<JsonNode> filter,
    Optional<JsonNode> knn,
    List<String> sort,
    Optional<JsonNode> facets,
    List<String> highlight,
    int limit,
    Optional<String> cursor,
    Optional<String> atLeast,
    Duration patience,
    Duration timeout) {

  /// What two pages of the same list have in common.
  String identity() {
    return new Request(
            query,
            all,
            fields,
            filter,
            knn,
            sort,
            facets,
            highlight,
            0,
            Optional.empty(),
            Optional.empty(),
            Duration.ZERO,
            Duration.ZERO)
        .toString();
  }
}
