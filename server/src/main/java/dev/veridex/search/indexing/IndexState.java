package dev.veridex.search.indexing;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.index.IndexProgress;
import dev.veridex.index.SearchIndex;
import java.util.Map;
import java.util.Optional;

/// The state of an index.
sealed interface IndexState {
  /// The index, if one is open.
  default Optional<SearchIndex> open() {
    return switch (this) {
      case Closed _ -> Optional.empty();
      case Building building -> Optional.of(building.index);
      case CatchingUp catching -> Optional.of(catching.index);
      case Ready(SearchIndex index) -> Optional.of(index);
    };
  }

  /// Why it cannot be searched yet.
  ///
  /// @param caughtUp how much of what it lacks is applied, from 0 to 1
  default Problem problem(double caughtUp) {
    return switch (this) {
      case Building building ->
          Problem.of(ErrorCode.INDEX_BUILDING, "the search index is being made")
              .with("percent", (int) (100 * building.done()));
      case CatchingUp _ ->
          Problem.of(
                  ErrorCode.INDEX_BUILDING,
                  "the search index catches up with what was accepted before it was opened")
              .with("percent", (int) (100 * caughtUp));
      case Closed(Problem problem) -> problem;
      case Ready _ ->
          Problem.of(ErrorCode.INDEX_BUILDING, "the search index has just been opened")
              .with("percent", 99);
    };
  }

  /// The index is not open.
  record Closed(Problem problem) implements IndexState {}

  /// The index is being rebuilt from the registry.
  ///
  /// @param after the position in the registry up to which it is done
  /// @param begin where the topic was when it began
  /// @param mark what was there when it began
  record Building(
      SearchIndex index, byte[] after, IndexProgress begin, IndexFreshness.Target mark, double done)
      implements IndexState {}

  /// The index lacks documents that were accepted before it was opened: an answer from it would
  /// contradict what was acknowledged.
  ///
  /// @param goal everything accepted up to this sequence has to be there
  /// @param sent everything accepted up to this sequence was in the topic when it was opened
  /// @param begin from where it reads on
  /// @param ends of the topic when it was opened
  record CatchingUp(
      SearchIndex index, long goal, long sent, Map<Integer, Long> begin, Map<Integer, Long> ends)
      implements IndexState {
    /// As long as it is not over, it does not look so.
    private static final double ALMOST = 0.99;

    /// How much of it is done, from 0 to 1: half of it is to publish what was not, if anything.
    ///
    /// @param sentNow everything accepted up to this sequence is in the topic by now
    double done(IndexProgress applied, long sentNow) {
      double published =
          goal <= sent ? 1 : Math.clamp((double) (sentNow - sent) / (goal - sent), 0, 1);
      double done = goal <= sent ? applied(applied) : (applied(applied) + published) / 2;
      return Math.min(done, ALMOST);
    }

    private double applied(IndexProgress applied) {
      return ends.entrySet().stream()
          .mapToDouble(
              end -> {
                long from = begin.getOrDefault(end.getKey(), 0L);
                long all = end.getValue() - from;
                return all <= 0
                    ? 1
                    : Math.min(1, (double) (applied.offset(end.getKey()) - from) / all);
              })
          .average()
          .orElse(1);
    }
  }

  record Ready(SearchIndex index) implements IndexState {}
}
