package dev.veridex.index;

import java.util.List;

/// What is looked for in the words of a document.
public sealed interface Text {
  /// Words as somebody writes them, all of which are looked for.
  record Words(String words) implements Text {}

  /// Words next to each other, in this order.
  record Phrase(String words) implements Text {}

  /// A word that begins like this.
  record Prefix(String prefix) implements Text {}

  /// A word that differs by few letters.
  record Fuzzy(String word, int edits) implements Text {}

  record And(List<Text> all) implements Text {
    public And {
      all = List.copyOf(all);
    }
  }

  record Or(List<Text> any) implements Text {
    public Or {
      any = List.copyOf(any);
    }
  }

  /// A field to look in, and how much it counts.
  record Field(String name, float boost) {}
}
