package dev.veridex.accounts;

import dev.veridex.common.Problem;
import dev.veridex.common.Revision;

/// How an attempt to make or delete an environment ended.
public sealed interface EnvironmentChange {
  /// It is there.
  ///
  /// @param created whether there was none before
  record Done(Environment environment, boolean created, Revision revision)
      implements EnvironmentChange {}

  /// It is gone.
  record Deleted(Revision revision) implements EnvironmentChange {}

  /// Nothing was changed.
  record Refused(Problem problem) implements EnvironmentChange {}
}
