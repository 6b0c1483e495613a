package dev.veridex.search;

import dev.veridex.access.AccessVisibility.Sight;
import dev.veridex.accounts.Place;
import dev.veridex.buckets.Asking;
import dev.veridex.common.Revision;
import dev.veridex.documents.Generations;
import dev.veridex.index.IndexView;
import dev.veridex.index.Suggest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Suggests words of a bucket's documents, out of what the asker may see.
public final class Suggestions {
  /// Nobody waits longer for a suggestion.
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Targets.Finder finder;
  private final Sights sights;
  private final Feed feed;
  private final IndexThreads threads;

  Suggestions(Targets.Finder finder, Sights sights, Feed feed, IndexThreads threads) {
    this.finder = finder;
    this.sights = sights;
    this.feed = feed;
    this.threads = threads;
  }

  /// Words that begin in some way.
  public record Suggested(Suggest.Suggested words, Revision revision) {}

  /// Suggests how a word may go on.
  ///
  /// @param fields where words are from; none: all that have words or are keywords
  public Suggested suggest(
      Asking asking, Place place, String bucket, String prefix, List<String> fields, int limit) {
    Optional<List<String>> named = Optional.of(List.of(bucket));
    Targets targets = finder.find(asking, place, named);
    Generations.Open open = targets.all().getFirst().open();
    List<String> from = QueryParser.suggesting(open.schema(), fields);
    FedIndex.Seen seen = feed.seen(open);
    try (IndexView view = seen.view()) {
      // As with searches: what may be seen is looked up after what is seen.
      Targets now = finder.find(asking, place, named);
      if (!now.areSame(targets)) {
        throw Targets.changed();
      }
      Optional<Sight> sight = now.sight(sights, Optional.empty(), false);
      try {
        Suggest.Suggested suggested =
            threads
                .ask(
                    open.generation(),
                    () ->
                        view.suggest(
                            new Suggest(
                                open.schema(),
                                now.now(),
                                PATIENCE,
                                from,
                                prefix,
                                limit,
                                now.all().getFirst().visible(sight))))
                .get();
        return new Suggested(suggested, now.revision(sight, seen.asOf().sequence()));
      } finally {
        sight.ifPresent(Sight::close);
      }
    }
  }
}
