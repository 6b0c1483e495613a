package dev.veridex.index.lucene;

import dev.veridex.index.Schema;
import dev.veridex.index.lucene.text.GramTokenizer;
import dev.veridex.index.lucene.text.PatternQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.MultiTermQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.util.automaton.CompiledAutomaton;

/// Finds parts of texts through their grams, instead of looking at every text there is.
final class GramQueries {
  private static final String NGRAM = "ngram";

  private GramQueries() {}

  /// Whether the words of a field are grams.
  static boolean isGrams(String words) {
    return FieldNames.analyzer(words).equals(NGRAM);
  }

  /// What has a text as a part, whatever its letters' case. Nothing for an empty one.
  static Optional<Query> part(String words, String text) {
    List<String> grams = GramTokenizer.grams(text);
    int whole = grams.size() - GramTokenizer.SIZE;
    if (grams.isEmpty()) {
      return Optional.empty();
    }
    if (whole < 0) {
      return Optional.of(
          new PrefixQuery(
              new Term(words, grams.getFirst()), MultiTermQuery.CONSTANT_SCORE_BLENDED_REWRITE));
    }
    if (whole == 0) {
      return Optional.of(new TermQuery(new Term(words, grams.getFirst())));
    }
    // Grams that touch each other say as much as all of them.
    PhraseQuery.Builder phrase = new PhraseQuery.Builder();
    for (int i = 0; i < whole; i += GramTokenizer.SIZE) {
      phrase.add(new Term(words, grams.get(i)), i);
    }
    return Optional.of(phrase.add(new Term(words, grams.get(whole)), whole).build());
  }

  /// What has all words of a text as parts.
  static Optional<Query> parts(String words, String text) {
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    for (String word : text.strip().split("\\s+", -1)) {
      part(words, word).ifPresent(query -> all.add(query, Occur.MUST));
    }
    BooleanQuery query = all.build();
    return switch (query.clauses().size()) {
      case 0 -> Optional.empty();
      case 1 -> Optional.of(query.clauses().getFirst().query());
      default -> Optional.of(query);
    };
  }

  /// What matches a pattern as a whole: what has its parts is looked at. Nothing if the parts are
  /// too short, or the field has no grams.
  static Optional<Query> wildcard(String field, Schema.Field settings, String pattern) {
    String words = FieldNames.words(field, settings);
    if (!FieldNames.hasWords(settings.type()) || !isGrams(words)) {
      return Optional.empty();
    }
    List<Query> parts =
        literals(pattern).stream()
            .filter(part -> part.codePointCount(0, part.length()) >= GramTokenizer.SIZE)
            .flatMap(part -> part(words, part).stream())
            .toList();
    if (parts.isEmpty()) {
      return Optional.empty();
    }
    CompiledAutomaton compiled =
        new WildcardQuery(new Term(FieldNames.values(field), pattern)).getCompiled();
    if (compiled.runAutomaton == null) {
      // A pattern without wildcards is a value.
      return Optional.empty();
    }
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    parts.forEach(part -> all.add(part, Occur.FILTER));
    all.add(new PatternQuery(FieldNames.values(field), pattern, compiled), Occur.FILTER);
    return Optional.of(all.build());
  }

  /// What stands between the wildcards of a pattern.
  private static List<String> literals(String pattern) {
    List<String> literals = new ArrayList<>();
    StringBuilder literal = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '*' || c == '?') {
        literals.add(literal.toString());
        literal.setLength(0);
      } else if (c == '\\' && i + 1 < pattern.length()) {
        literal.append(pattern.charAt(++i));
      } else {
        literal.append(c);
      }
    }
    literals.add(literal.toString());
    return literals;
  }
}
