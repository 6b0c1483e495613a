package dev.veridex.access;

import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import java.util.Optional;

/// The resources that subjects may see, for searches: decided by the engine that answers checks,
/// for all resources at once.
public final class Visibility {
  private final AccessIndexStates states;

  public Visibility(AccessIndexStates states) {
    this.states = states;
  }

  /// The newest state.
  ///
  /// @param atLeast how fresh it has to be
  /// @param explained whether it will be asked why
  /// @throws VeridexException `OVERLOADED` if the index is not in memory and does not come there
  public AccessSnapshot open(Namespace namespace, Optional<Revision> atLeast, boolean explained) {
    return new AccessSnapshot(states.openInMemory(namespace, new AsOf.Now(atLeast), explained));
  }
}
