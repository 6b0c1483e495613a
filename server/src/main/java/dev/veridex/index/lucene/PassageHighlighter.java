package dev.veridex.index.lucene;

import dev.veridex.index.IndexSearch;
import dev.veridex.index.Schema;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.uhighlight.DefaultPassageFormatter;
import org.apache.lucene.search.uhighlight.UnifiedHighlighter;

/// Shows in stored fields what was found: as HTML, in which everything of the document is text.
final class PassageHighlighter {
  private static final int PASSAGES = 3;

  /// Of a longer text only the beginning is looked at.
  private static final int MAX_LENGTH = 1 << 20;

  private final IndexSearch ask;
  private final Optional<Query> query;
  private final Analyzer analyzer;
  private final Deadline deadline;

  PassageHighlighter(
      IndexSearch ask, QueryTranslator queries, Analyzer analyzer, Deadline deadline) {
    this.deadline = deadline;
    this.ask = ask;
    this.query = ask.highlight().isEmpty() ? Optional.empty() : ask.text().map(queries::text);
    this.analyzer = analyzer;
  }

  Map<String, List<String>> of(RawDocument document) throws IOException {
    if (query.isEmpty()) {
      return Map.of();
    }
    UnifiedHighlighter highlighter =
        UnifiedHighlighter.builderWithoutSearcher(analyzer)
            .withMaxLength(MAX_LENGTH)
            .withFormatter(new DefaultPassageFormatter("<em>", "</em>", " … ", true))
            .withMaxNoHighlightPassages(0)
            .build();
    Map<String, List<String>> found = new TreeMap<>();
    for (Field field : document.getFieldsList()) {
      Schema.Field settings = ask.schema().fields().get(field.getName());
      boolean wanted = ask.highlight().contains(field.getName());
      if (settings != null && wanted && FieldNames.hasWords(settings.type())) {
        List<String> parts = new ArrayList<>();
        for (Value value : field.getValuesList()) {
          if (deadline.stops()) {
            return found;
          }
          Object passages =
              highlighter.highlightWithoutSearcher(
                  FieldNames.words(field.getName(), settings),
                  query.get(),
                  value.getText(),
                  PASSAGES);
          if (passages != null) {
            parts.add(passages.toString());
          }
        }
        if (!parts.isEmpty()) {
          found.put(field.getName(), parts);
        }
      }
    }
    return found;
  }
}
