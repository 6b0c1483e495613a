package dev.veridex.index;

import dev.veridex.protocol.Value;
import java.util.List;
import java.util.Optional;

/// A filter on documents: a tree whose leaves are about one field each.
///
/// A field with several values fulfils a leaf if one of them does.
public sealed interface Condition {
  /// Holds always.
  record All() implements Condition {}

  record And(List<Condition> all) implements Condition {
    public And {
      all = List.copyOf(all);
    }
  }

  record Or(List<Condition> any) implements Condition {
    public Or {
      any = List.copyOf(any);
    }
  }

  record Not(Condition condition) implements Condition {}

  /// The field has one of these values.
  record In(String field, List<Value> values) implements Condition {
    public In {
      values = List.copyOf(values);
    }
  }

  /// The field has a value between two.
  record Range(String field, Optional<Bound> from, Optional<Bound> to) implements Condition {}

  /// An end of a range.
  record Bound(Value value, boolean inclusive) {}

  /// The field has a value.
  record Exists(String field) implements Condition {}

  /// The field has a value that begins like this.
  record Prefix(String field, String prefix) implements Condition {}

  /// The field has a value that matches as a whole: `*` stands for anything, `?` for one letter, a
  /// backslash takes the next one as it is.
  record Wildcard(String field, String pattern) implements Condition {}

  /// The field has a point within a distance.
  record Near(String field, double latitude, double longitude, double meters)
      implements Condition {}
}
