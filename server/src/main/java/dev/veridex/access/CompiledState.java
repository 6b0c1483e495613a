package dev.veridex.access;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledGrants;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.LiveApprovals;
import dev.veridex.common.Expiry;
import java.time.Instant;

/// An immutable state of an index in memory: what is stated, and what grants give.
///
/// @param index the statements, and the memberships that are live relationships
/// @param grants the approvals and the ends of relationships
record CompiledState(CompiledIndex index, CompiledGrants grants) {
  /// A check in this state.
  CompiledCheck check(Instant now) {
    return new CompiledCheck(index, approvals(now));
  }

  /// The approvals that are alive at a time.
  LiveApprovals approvals(Instant now) {
    return new LiveApprovals(grants, Expiry.micros(now));
  }

  long bytes() {
    return index.bytes() + grants.bytes();
  }
}
