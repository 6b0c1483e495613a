package dev.veridex.search.query;

import dev.veridex.access.AccessSnapshot;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.IndexGenerations;
import dev.veridex.index.IndexSuggest;
import dev.veridex.index.IndexView;
import dev.veridex.search.indexing.FreshView;
import dev.veridex.search.indexing.IndexerPool;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Suggests words of a bucket's documents, out of what the asker may see.
public final class Suggestions {
  /// Nobody waits longer for a suggestion.
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final SearchTargets.Finder finder;
  private final AccessSnapshots accessSnapshots;
  private final RightsHistory history;
  private final IndexerPool indexers;
  private final SearchThreads threads;

  Suggestions(
      SearchTargets.Finder finder,
      AccessSnapshots accessSnapshots,
      RightsHistory history,
      IndexerPool indexers,
      SearchThreads threads) {
    this.finder = finder;
    this.accessSnapshots = accessSnapshots;
    this.history = history;
    this.indexers = indexers;
    this.threads = threads;
  }

  /// The suggested words and the revision that they are as of.
  public record SuggestAnswer(IndexSuggest.SuggestResult words, Revision revision) {}

  /// Suggests how a word may go on.
  ///
  /// @param fields where words are from; none: all that have words or are keywords
  public SuggestAnswer suggest(
      ActingCaller actor,
      Namespace namespace,
      String bucket,
      String prefix,
      List<String> fields,
      int limit) {
    Optional<List<String>> named = Optional.of(List.of(bucket));
    SearchTargets targets = finder.find(actor, namespace, named);
    IndexGenerations.OpenGeneration open = targets.all().getFirst().open();
    List<String> from = SearchRequestParser.suggesting(open.schema(), fields);
    Suggested asked = new Suggested(targets, open, from, prefix, limit);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Optional<SuggestAnswer> answer = ask(actor, namespace, asked);
    while (answer.isEmpty() && System.nanoTime() < deadline) {
      // Rights were changed since what is shown: with what was accepted by now, they are older.
      await(open, finder.find(actor, namespace, named).revision(), deadline);
      answer = ask(actor, namespace, asked);
    }
    return answer.orElseGet(
        () ->
            new SuggestAnswer(
                new IndexSuggest.SuggestResult(List.of(), false), targets.revision()));
  }

  /// A question for words.
  private record Suggested(
      SearchTargets targets,
      IndexGenerations.OpenGeneration open,
      List<String> fields,
      String prefix,
      int limit) {}

  private void await(IndexGenerations.OpenGeneration open, Revision revision, long deadline) {
    try {
      indexers.await(open, revision.sequence(), deadline);
    } catch (VeridexException e) {
      if (e.problem().code() != ErrorCode.NOT_YET_FRESH) {
        throw e;
      }
    }
  }

  /// @return nothing if rights were changed that the view does not know: words of a state that was
  ///   replaced must not meet rights that were given since
  private Optional<SuggestAnswer> ask(
      ActingCaller actor, Namespace namespace, Suggested suggested) {
    FreshView seen = indexers.freshView(suggested.open);
    try (IndexView view = seen.view()) {
      // As with searches: what may be seen is looked up after what is seen.
      SearchTargets now =
          finder.find(
              actor, namespace, Optional.of(List.of(suggested.targets.all().getFirst().bucket())));
      if (!now.areSame(suggested.targets)) {
        throw SearchTargets.changed();
      }
      Optional<AccessSnapshot> accessSnapshot =
          now.accessSnapshot(accessSnapshots, Optional.empty(), false);
      try {
        if (!now.all().getFirst().always()
            && !history.isUnchanged(now, accessSnapshot, seen.asOf())) {
          return Optional.empty();
        }
        IndexSuggest.SuggestResult words =
            threads
                .ask(
                    seen.source(),
                    () ->
                        view.suggest(
                            new IndexSuggest(
                                suggested.open.schema(),
                                now.now(),
                                PATIENCE,
                                suggested.fields,
                                suggested.prefix,
                                suggested.limit,
                                now.all().getFirst().visible(accessSnapshot))))
                .get();
        return Optional.of(
            new SuggestAnswer(words, now.revision(accessSnapshot, seen.asOf().sequence())));
      } finally {
        accessSnapshot.ifPresent(AccessSnapshot::close);
      }
    }
  }
}
