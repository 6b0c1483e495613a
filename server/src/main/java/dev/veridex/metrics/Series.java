package dev.veridex.metrics;

/// What one name has under one set of labels.
sealed interface Series permits Counter, Gauge, Timer {
  /// Adds its lines.
  ///
  /// @param labels as they stand between the braces
  void print(StringBuilder out, String name, String labels);

  static void line(StringBuilder out, String name, String labels, String value) {
    out.append(name);
    if (!labels.isEmpty()) {
      out.append('{').append(labels).append('}');
    }
    out.append(' ').append(value).append('\n');
  }
}
