package dev.veridex.index.lucene;

import dev.veridex.index.Condition;
import dev.veridex.index.IndexSearch;
import dev.veridex.index.Schema;
import dev.veridex.index.TextExpression;

/// A test for searches that expand prefixes, patterns or fuzzy words over a term dictionary.
final class TermExpansion {
  private TermExpansion() {}

  static boolean in(IndexSearch ask) {
    return in(ask.schema(), ask.filter())
        || ask.text().map(search -> in(search.text())).orElse(false);
  }

  private static boolean in(TextExpression text) {
    return switch (text) {
      case TextExpression.And(var all) -> all.stream().anyMatch(TermExpansion::in);
      case TextExpression.Or(var any) -> any.stream().anyMatch(TermExpansion::in);
      case TextExpression.Prefix _, TextExpression.Fuzzy _ -> true;
      case TextExpression.Words _, TextExpression.Phrase _ -> false;
    };
  }

  private static boolean in(Schema schema, Condition condition) {
    return switch (condition) {
      case Condition.And(var all) -> all.stream().anyMatch(each -> in(schema, each));
      case Condition.Or(var any) -> any.stream().anyMatch(each -> in(schema, each));
      case Condition.Not(Condition not) -> in(schema, not);
      case Condition.Prefix _, Condition.Wildcard _ -> true;
      // Those of numbers and times are found through points.
      case Condition.Range range -> {
        Schema.Field settings = schema.fields().get(range.field());
        yield settings != null && !FieldNames.hasPoints(settings.type());
      }
      case Condition.All _, Condition.In _, Condition.Exists _, Condition.Near _ -> false;
    };
  }
}
