package dev.veridex.tenancy;

import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.store.CommitResult;

/// The result of making, changing or deleting something.
public sealed interface ChangeResult<T> {
  /// The change was made, or nothing had to change.
  ///
  /// @param created whether there was none before
  record Done<T>(T value, boolean created, Revision revision) implements ChangeResult<T> {}

  /// It was deleted.
  record Deleted<T>(Revision revision) implements ChangeResult<T> {}

  /// Nothing was changed.
  record Refused<T>(Problem problem) implements ChangeResult<T> {}

  /// What a transaction says, with the revision that only its commit knows.
  static <T> ChangeResult<T> of(CommitResult<ChangeResult<T>> committed) {
    return switch (committed.result()) {
      case Done<T>(T value, boolean created, _) -> new Done<>(value, created, committed.revision());
      case Deleted<T> _ -> new Deleted<>(committed.revision());
      case Refused<T> refused -> refused;
    };
  }
}
