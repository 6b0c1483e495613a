package dev.veridex.accounts;

import dev.veridex.common.Problem;
import dev.veridex.common.Revision;

/// How an attempt to change an account ended.
public sealed interface AccountChange {
  /// It is as it was wanted.
  ///
  /// @param created whether there was none before
  record Done(Account account, boolean created, Revision revision) implements AccountChange {}

  /// It is gone.
  record Deleted(Revision revision) implements AccountChange {}

  /// Nothing was changed.
  record Refused(Problem problem) implements AccountChange {}
}
