package dev.veridex.access;

import dev.veridex.common.Revision;
import java.time.Instant;
import java.util.Optional;

/// The state of an index that a question is about.
public sealed interface Moment {
  /// The newest state.
  ///
  /// @param atLeast how fresh it has to be
  record Now(Optional<Revision> atLeast) implements Moment {}

  /// The state that a revision had.
  record AtRevision(Revision revision) implements Moment {}

  /// The state of what had been accepted at a time.
  record AtTime(Instant time) implements Moment {}

  /// As it is now.
  static Moment now() {
    return new Now(Optional.empty());
  }
}
