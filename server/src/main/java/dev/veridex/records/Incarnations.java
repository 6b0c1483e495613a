package dev.veridex.records;

import dev.veridex.common.Scope;
import dev.veridex.store.Reader;

/// Knows the current incarnation of a scope's name: the number that keeps what is re-created apart
/// from what was deleted.
@FunctionalInterface
public interface Incarnations {
  /// The incarnation of every scope while nothing can be deleted and re-created.
  Incarnations FIRST = (_, _) -> 0;

  long of(Reader reader, Scope scope);
}
