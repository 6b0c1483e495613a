package dev.veridex.http;

/// What a request means that could name a scope and does not.
public enum UnscopedMode {
  /// Global, with a warning.
  LENIENT,
  /// Nothing: it is refused.
  STRICT
}
