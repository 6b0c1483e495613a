package dev.veridex.http;

/// The meaning of a request that could name a scope and does not.
public enum UnscopedMode {
  /// Global, with a warning.
  LENIENT,
  /// Nothing: it is refused.
  STRICT
}
