package dev.veridex.accounts;

import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.store.Committed;

/// How an attempt to make, change or delete something ended.
public sealed interface Change<T> {
  /// It is as it was wanted.
  ///
  /// @param created whether there was none before
  record Done<T>(T value, boolean created, Revision revision) implements Change<T> {}

  /// It is gone.
  record Deleted<T>(Revision revision) implements Change<T> {}

  /// Nothing was changed.
  record Refused<T>(Problem problem) implements Change<T> {}

  /// What a transaction says, with the revision that only its commit knows.
  static <T> Change<T> of(Committed<Change<T>> committed) {
    return switch (committed.result()) {
      case Done<T>(T value, boolean created, _) -> new Done<>(value, created, committed.revision());
      case Deleted<T> _ -> new Deleted<>(committed.revision());
      case Refused<T> refused -> refused;
    };
  }
}
