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

  private static boolean isUnchanged(
      SearchTargets now, Optional<AccessSnapshot> accessSnapshot, IndexGenerations.Watermark asOf) {
    Revision then = new Revision(now.revision().storeId(), asOf.sequence());
    return now.all().getFirst().always()
        || (asOf.certain()
            && asOf.arrangement() == now.arrangement()
            && accessSnapshot.map(rights -> rights.isUnchangedSince(then)).orElse(true));
  }

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
    Suggested asked = new Suggested(targets, open, from, prefix, limit);
    return ask(actor, namespace, asked)
        .or(
            () -> {
              await(open, targets.revision());
              return ask(actor, namespace, asked);
            })
        .orElseGet(
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

  private void await(IndexGenerations.OpenGeneration open, Revision revision) {
    try {
      indexers.await(open, revision.sequence(), System.nanoTime() + PATIENCE.toNanos());
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
        if (!isUnchanged(now, accessSnapshot, seen.asOf())) {
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
