package dev.veridex.search.query;

import dev.veridex.access.AccessSnapshot;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
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
  private final IndexerPool indexers;
  private final SearchThreads threads;

  Suggestions(
      SearchTargets.Finder finder,
      AccessSnapshots accessSnapshots,
      IndexerPool indexers,
      SearchThreads threads) {
    this.finder = finder;
    this.accessSnapshots = accessSnapshots;
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
    List<String> from = QueryParser.suggesting(open.schema(), fields);
    FreshView seen = indexers.freshView(open);
    try (IndexView view = seen.view()) {
      // As with searches: what may be seen is looked up after what is seen.
      SearchTargets now = finder.find(actor, namespace, named);
      if (!now.areSame(targets)) {
        throw SearchTargets.changed();
      }
      Optional<AccessSnapshot> accessSnapshot =
          now.accessSnapshot(accessSnapshots, Optional.empty(), false);
      try {
        IndexSuggest.SuggestResult suggested =
            threads
                .ask(
                    seen.source(),
                    () ->
                        view.suggest(
                            new IndexSuggest(
                                open.schema(),
                                now.now(),
                                PATIENCE,
                                from,
                                prefix,
                                limit,
                                now.all().getFirst().visible(accessSnapshot))))
                .get();
        return new SuggestAnswer(suggested, now.revision(accessSnapshot, seen.asOf().sequence()));
      } finally {
        accessSnapshot.ifPresent(AccessSnapshot::close);
      }
    }
  }
}
