package dev.veridex.index;

import java.util.List;

/// A text query: a tree of words, phrases and their combinations.
public sealed interface TextExpression {
  /// Words as somebody writes them, all of which are looked for.
  record Words(String words) implements TextExpression {}

  /// Words next to each other, in this order.
  record Phrase(String words) implements TextExpression {}

  /// A word that begins like this.
  record Prefix(String prefix) implements TextExpression {}

  /// A word that differs by few letters.
  record Fuzzy(String word, int edits) implements TextExpression {}

  record And(List<TextExpression> all) implements TextExpression {
    public And {
      all = List.copyOf(all);
    }
  }

  record Or(List<TextExpression> any) implements TextExpression {
    public Or {
      any = List.copyOf(any);
    }
  }

  /// A field to look in, and how much it counts.
  record Field(String name, float boost) {}
}
