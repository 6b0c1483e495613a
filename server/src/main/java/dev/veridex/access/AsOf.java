package dev.veridex.access;

import dev.veridex.common.Revision;
import java.time.Instant;
import java.util.Optional;

/// The state of an index that a question is about.
public sealed interface AsOf {
  /// The newest state.
  ///
  /// @param atLeast how fresh it has to be
  record Now(Optional<Revision> atLeast) implements AsOf {}

  /// The state that a revision had.
  record AtRevision(Revision revision) implements AsOf {}

  /// The state of what had been accepted at a time.
  record AtTime(Instant time) implements AsOf {}

  /// As it is now.
  static AsOf now() {
    return new Now(Optional.empty());
  }
}
