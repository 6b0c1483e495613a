package dev.veridex.index;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A question for words that begin in some way.
///
/// @param now what has expired by then is not there
/// @param fields where the words are from: words of texts and strings, whole values of keywords
/// @param timeout how long it may take
/// @param visible what the asker may see; absent: everything
public record IndexSuggest(
    Schema schema,
    Instant now,
    Duration timeout,
    List<String> fields,
    String prefix,
    int limit,
    Optional<VisibleResources> visible) {
  public IndexSuggest {
    fields = List.copyOf(fields);
  }

  /// Suggestions, the most frequent first.
  ///
  /// @param complete whether all words were looked at
  public record SuggestResult(List<Word> words, boolean complete) {
    public SuggestResult {
      words = List.copyOf(words);
    }
  }

  /// A word, and how many documents have it.
  public record Word(String text, long count) {}
}
