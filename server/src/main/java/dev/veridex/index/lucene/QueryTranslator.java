package dev.veridex.index.lucene;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.index.Condition;
import dev.veridex.index.FieldKind;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.Schema;
import dev.veridex.index.TextExpression;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;
import org.apache.lucene.analysis.tokenattributes.TermToBytesRefAttribute;
import org.apache.lucene.document.BinaryPoint;
import org.apache.lucene.document.LatLonDocValuesField;
import org.apache.lucene.document.LatLonPoint;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.SortedSetDocValuesField;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexOrDocValuesQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.MultiTermQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermInSetQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TermRangeQuery;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.automaton.TooComplexToDeterminizeException;

/// Makes Lucene's queries of conditions and texts.
final class QueryTranslator {
  private final Schema schema;
  private final Analyzer analyzer;
  private final OrdinalTable resources;

  QueryTranslator(Schema schema, Analyzer analyzer, OrdinalTable resources) {
    this.schema = schema;
    this.analyzer = analyzer;
    this.resources = resources;
  }

  /// What a question finds: what is there, may be seen, fulfils its condition and has what is
  /// looked for.
  ///
  /// @param wanted what is looked for; absent: nothing in particular
  Query of(IndexSearch ask, IndexReader reader, Optional<Query> wanted) throws IOException {
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    wanted.ifPresent(query -> all.add(query, Occur.MUST));
    if (!(ask.filter() instanceof Condition.All)) {
      all.add(condition(ask.filter()), Occur.FILTER);
    }
    there(reader, ask.now()).ifPresent(query -> all.add(query, Occur.FILTER));
    ask.visible().ifPresent(visible -> all.add(new VisibleQuery(visible, resources), Occur.FILTER));
    BooleanQuery query = all.build();
    return switch (query.clauses().size()) {
      case 0 -> MatchAllDocsQuery.INSTANCE;
      case 1 -> wanted.orElse(query);
      default -> query;
    };
  }

  /// Whether finding the best of what a query finds, and how much that is, takes less when it is
  /// done one after the other: words know in how many documents they are, and where they count
  /// most.
  static boolean isCountedFast(Query query) {
    return query instanceof TermQuery
        || (query instanceof BooleanQuery any
            && any.clauses().stream()
                .allMatch(
                    each -> each.occur() == Occur.SHOULD && each.query() instanceof TermQuery));
  }

  /// What is there at a time; nothing, if that is all that the index holds.
  static Optional<Query> there(IndexReader reader, Instant now) throws IOException {
    boolean guards = reader.docFreq(new Term(FieldNames.GUARD, "")) > 0;
    // Points do not say whether documents with them are left; where none ever were, none expires.
    boolean ends = hasPoints(reader, FieldNames.EXPIRES);
    if (!guards && !ends) {
      return Optional.empty();
    }
    BooleanQuery.Builder there = new BooleanQuery.Builder();
    there.add(new TermQuery(new Term(FieldNames.LIVE, "")), Occur.FILTER);
    if (ends) {
      there.add(
          LongPoint.newRangeQuery(FieldNames.EXPIRES, Long.MIN_VALUE, Expiry.micros(now)),
          Occur.MUST_NOT);
    }
    return Optional.of(there.build());
  }

  private static boolean hasPoints(IndexReader reader, String field) throws IOException {
    for (var leaf : reader.leaves()) {
      if (leaf.reader().getPointValues(field) != null) {
        return true;
      }
    }
    return false;
  }

  private Query condition(Condition condition) {
    return switch (condition) {
      case Condition.All() -> MatchAllDocsQuery.INSTANCE;
      case Condition.And(List<Condition> all) -> {
        BooleanQuery.Builder builder = new BooleanQuery.Builder();
        builder.add(MatchAllDocsQuery.INSTANCE, Occur.FILTER);
        all.forEach(each -> builder.add(condition(each), Occur.FILTER));
        yield builder.build();
      }
      case Condition.Or(List<Condition> any) -> {
        BooleanQuery.Builder builder = new BooleanQuery.Builder();
        any.forEach(each -> builder.add(condition(each), Occur.SHOULD));
        yield any.isEmpty() ? MatchNoDocsQuery.INSTANCE : builder.build();
      }
      case Condition.Not(Condition not) ->
          new BooleanQuery.Builder()
              .add(MatchAllDocsQuery.INSTANCE, Occur.FILTER)
              .add(condition(not), Occur.MUST_NOT)
              .build();
      case Condition.In(String field, var values) ->
          in(field, values.stream().map(SortableBytes::of).toList());
      case Condition.Range range -> range(range);
      case Condition.Exists(String field) -> new TermQuery(new Term(FieldNames.PRESENT, field));
      case Condition.Prefix(String field, String prefix) ->
          new PrefixQuery(new Term(FieldNames.terms(field), prefix));
      case Condition.Wildcard(String field, String pattern) -> wildcard(field, pattern);
      case Condition.Near(String field, double latitude, double longitude, double meters) ->
          new IndexOrDocValuesQuery(
              LatLonPoint.newDistanceQuery(
                  FieldNames.locations(field), latitude, longitude, meters),
              LatLonDocValuesField.newSlowDistanceQuery(
                  FieldNames.locations(field), latitude, longitude, meters));
    };
  }

  private Query wildcard(String field, String pattern) {
    Schema.Field settings = schema.fields().get(field);
    try {
      return Optional.ofNullable(settings)
          .flatMap(each -> GramQueries.wildcard(field, each, pattern))
          .orElseGet(() -> new WildcardQuery(new Term(FieldNames.terms(field), pattern)));
    } catch (TooComplexToDeterminizeException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_QUERY, "the pattern is too complex")
              .at("/filter")
              .with("pattern", pattern),
          e);
    }
  }

  private Query in(String field, List<byte[]> keys) {
    return hasPoints(field)
        ? BinaryPoint.newSetQuery(FieldNames.points(field), keys.toArray(byte[][]::new))
        : new TermInSetQuery(FieldNames.terms(field), keys.stream().map(BytesRef::new).toList());
  }

  private boolean hasPoints(String field) {
    Schema.Field settings = schema.fields().get(field);
    return settings != null && FieldNames.hasPoints(settings.type());
  }

  private Query range(Condition.Range range) {
    Optional<byte[]> from = range.from().map(bound -> SortableBytes.of(bound.value()));
    Optional<byte[]> to = range.to().map(bound -> SortableBytes.of(bound.value()));
    boolean withFrom = range.from().map(Condition.Bound::inclusive).orElse(true);
    boolean withTo = range.to().map(Condition.Bound::inclusive).orElse(true);
    Schema.Field settings = schema.fields().get(range.field());
    if (settings != null && FieldNames.hasPoints(settings.type())) {
      return points(range.field(), settings.type(), from, withFrom, to, withTo);
    }
    return new TermRangeQuery(
        FieldNames.terms(range.field()),
        from.map(BytesRef::new).orElse(null),
        to.map(BytesRef::new).orElse(null),
        withFrom,
        withTo);
  }

  private static Query points(
      String field,
      FieldKind type,
      Optional<byte[]> from,
      boolean withFrom,
      Optional<byte[]> to,
      boolean withTo) {
    int length = type == FieldKind.NUMBER ? SortableBytes.NUMBER_BYTES : SortableBytes.TIME_BYTES;
    byte[] least = from.orElseGet(() -> new byte[length]);
    byte[] most = to.orElseGet(() -> largest(length));
    boolean empty = (!withFrom && !up(least)) || (!withTo && !down(most));
    if (empty || Arrays.compareUnsigned(least, most) > 0) {
      return MatchNoDocsQuery.INSTANCE;
    }
    return new IndexOrDocValuesQuery(
        BinaryPoint.newRangeQuery(FieldNames.points(field), least, most),
        SortedSetDocValuesField.newSlowRangeQuery(
            FieldNames.values(field), new BytesRef(least), new BytesRef(most), true, true));
  }

  private static byte[] largest(int length) {
    byte[] largest = new byte[length];
    Arrays.fill(largest, (byte) 0xff);
    return largest;
  }

  /// Adds one.
  ///
  /// @return false if there is nothing above
  private static boolean up(byte[] key) {
    for (int i = key.length - 1; i >= 0; i--) {
      if (++key[i] != 0) {
        return true;
      }
    }
    return false;
  }

  private static boolean down(byte[] key) {
    for (int i = key.length - 1; i >= 0; i--) {
      if (key[i]-- != 0) {
        return true;
      }
    }
    return false;
  }

  /// The query for the words of a search.
  Query text(IndexSearch.Search search) {
    return text(search.text(), search.fields()).orElse(MatchNoDocsQuery.INSTANCE);
  }

  /// @return nothing if there is nothing to look for, as in a text of stop words alone
  private Optional<Query> text(TextExpression text, List<TextExpression.Field> fields) {
    return switch (text) {
      case TextExpression.And(List<TextExpression> all) -> combined(all, fields, Occur.MUST);
      case TextExpression.Or(List<TextExpression> any) -> combined(any, fields, Occur.SHOULD);
      case TextExpression.Words(String words) -> leaf(fields, field -> words(field, words));
      case TextExpression.Phrase(String words) -> leaf(fields, field -> phrase(field, words));
      case TextExpression.Prefix(String prefix) ->
          leaf(
              fields,
              field ->
                  GramQueries.isGrams(field)
                      ? GramQueries.parts(field, prefix)
                      : Optional.of(new PrefixQuery(new Term(field, normalized(field, prefix)))));
      case TextExpression.Fuzzy(String word, int edits) ->
          leaf(
              fields,
              field ->
                  // A near miss of a part of a part is no near miss.
                  GramQueries.isGrams(field)
                      ? GramQueries.parts(field, word)
                      : Optional.of(fuzzy(field, word, edits)));
    };
  }

  private Optional<Query> combined(
      List<TextExpression> texts, List<TextExpression.Field> fields, Occur occur) {
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    texts.forEach(each -> text(each, fields).ifPresent(query -> builder.add(query, occur)));
    BooleanQuery query = builder.build();
    return query.clauses().isEmpty() ? Optional.empty() : Optional.of(query);
  }

  /// Looks for the same in one field.
  @FunctionalInterface
  private interface InField {
    Optional<Query> query(String field);
  }

  /// In whichever field it is found best.
  private Optional<Query> leaf(List<TextExpression.Field> fields, InField in) {
    List<Query> queries = new ArrayList<>();
    for (TextExpression.Field field : fields) {
      Schema.Field settings = schema.fields().get(field.name());
      if (settings != null) {
        in.query(FieldNames.words(field.name(), settings))
            .map(query -> field.boost() == 1 ? query : new BoostQuery(query, field.boost()))
            .ifPresent(queries::add);
      }
    }
    return switch (queries.size()) {
      case 0 -> Optional.empty();
      case 1 -> Optional.of(queries.getFirst());
      default -> Optional.of(new DisjunctionMaxQuery(queries, 0));
    };
  }

  private record Token(BytesRef term, int position) {}

  private List<Token> tokens(String field, String text) {
    List<Token> tokens = new ArrayList<>();
    try (TokenStream stream = analyzer.tokenStream(field, text)) {
      TermToBytesRefAttribute term = stream.addAttribute(TermToBytesRefAttribute.class);
      PositionIncrementAttribute step = stream.addAttribute(PositionIncrementAttribute.class);
      stream.reset();
      int position = -1;
      while (stream.incrementToken()) {
        position += step.getPositionIncrement();
        tokens.add(new Token(BytesRef.deepCopyOf(term.getBytesRef()), position));
      }
      stream.end();
    } catch (IOException e) {
      throw new IllegalStateException("nothing is read but memory", e);
    }
    return tokens;
  }

  private Optional<Query> words(String field, String words) {
    if (GramQueries.isGrams(field)) {
      return GramQueries.parts(field, words);
    }
    List<Token> tokens = tokens(field, words);
    if (tokens.size() == 1) {
      return Optional.of(new TermQuery(new Term(field, tokens.getFirst().term)));
    }
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    tokens.forEach(token -> builder.add(new TermQuery(new Term(field, token.term)), Occur.MUST));
    return tokens.isEmpty() ? Optional.empty() : Optional.of(builder.build());
  }

  private Optional<Query> phrase(String field, String words) {
    if (GramQueries.isGrams(field)) {
      return GramQueries.part(field, words);
    }
    PhraseQuery.Builder builder = new PhraseQuery.Builder();
    List<Token> tokens = tokens(field, words);
    tokens.forEach(token -> builder.add(new Term(field, token.term), token.position));
    return tokens.isEmpty() ? Optional.empty() : Optional.of(builder.build());
  }

  private BytesRef normalized(String field, String text) {
    return analyzer.normalize(field, text);
  }

  /// Not the best so many words that are like it, for whether others have written better ones must
  /// not matter. The word itself counts more.
  private Query fuzzy(String field, String word, int edits) {
    BytesRef term = normalized(field, word);
    Query like =
        new FuzzyQuery(
            new Term(field, term),
            edits,
            0,
            FuzzyQuery.defaultMaxExpansions,
            FuzzyQuery.defaultTranspositions,
            MultiTermQuery.CONSTANT_SCORE_BLENDED_REWRITE);
    return new BooleanQuery.Builder()
        .add(new TermQuery(new Term(field, term)), Occur.SHOULD)
        .add(new ConstantScoreQuery(like), Occur.SHOULD)
        .build();
  }
}
