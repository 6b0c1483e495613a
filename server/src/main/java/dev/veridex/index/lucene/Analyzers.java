package dev.veridex.index.lucene;

import dev.veridex.index.lucene.text.GramTokenizer;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.DelegatingAnalyzerWrapper;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.ru.RussianAnalyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.analysis.util.CharTokenizer;

/// The analyzers of text fields, by name.
final class Analyzers extends DelegatingAnalyzerWrapper {
  private final Map<String, Analyzer> analyzers =
      Map.of(
          "standard", new StandardAnalyzer(),
          "english", new EnglishAnalyzer(),
          "russian", new RussianAnalyzer(),
          "path", new Paths(),
          "ngram", new Grams());

  Analyzers() {
    super(PER_FIELD_REUSE_STRATEGY);
  }

  @Override
  protected Analyzer getWrappedAnalyzer(String fieldName) {
    Analyzer analyzer = analyzers.get(FieldNames.analyzer(fieldName));
    if (analyzer == null) {
      throw new IllegalStateException("schemas have no other analyzers");
    }
    return analyzer;
  }

  /// A phrase does not go from one value on to the next.
  @Override
  public int getPositionIncrementGap(String fieldName) {
    return 100;
  }

  /// Parts of texts: whatever stands in a text is found in it.
  private static final class Grams extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String fieldName) {
      return new TokenStreamComponents(new GramTokenizer());
    }

    @Override
    protected TokenStream normalize(String fieldName, TokenStream in) {
      return new LowerCaseFilter(in);
    }
  }

  /// Keys and paths: letters and digits are words, whatever stands between them.
  private static final class Paths extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String fieldName) {
      Tokenizer words = CharTokenizer.fromTokenCharPredicate(Character::isLetterOrDigit);
      return new TokenStreamComponents(words, new LowerCaseFilter(words));
    }

    @Override
    protected TokenStream normalize(String fieldName, TokenStream in) {
      return new LowerCaseFilter(in);
    }
  }
}
