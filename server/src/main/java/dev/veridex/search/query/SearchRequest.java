package dev.veridex.search.query;

import dev.veridex.common.KeyWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// A search as it was asked, its parts not looked at yet.
///
/// More than eight components: one component for each member of the request.
///
/// @param buckets where to search; absent: in all of the namespace
/// @param all whether all words must be found, where the query does not say
/// @param as the subject on whose behalf; absent: the asker's own
/// @param explain whether each hit says why it is shown
/// @param atLeast a revision that the answer must be as fresh as
/// @param patience how long to wait for that
public record SearchRequest(
    Optional<List<String>> buckets,
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
    Optional<String> as,
    boolean explain,
    Optional<String> atLeast,
    Duration patience,
    Duration timeout) {

  /// The part that two pages of the same list have in common.
  byte[] identity() {
    KeyWriter writer = new KeyWriter().string(query.orElse("")).unsigned(all ? 1 : 0);
    for (List<String> names : List.of(fields, sort, highlight)) {
      writer.unsigned(names.size());
      names.forEach(writer::string);
    }
    for (Optional<JsonNode> node : List.of(filter, knn, facets)) {
      writer.string(node.map(JsonNode::toString).orElse(""));
    }
    return writer.toKey();
  }
}
