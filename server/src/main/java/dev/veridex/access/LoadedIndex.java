package dev.veridex.access;

import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.ledger.AccessIndexVersion;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.access.visibility.DecisionCache;
import dev.veridex.common.Revision;
import org.jspecify.annotations.Nullable;

/// An index in memory, and the commit that made it so.
///
/// @param names how many it knew when it was read
/// @param decisions what was found out from it for those who search
record LoadedIndex(
    AccessIndexVersion version,
    CompiledIndex compiled,
    Revision revision,
    int names,
    DecisionCache decisions) {
  /// Names that nothing is about any more take room until an index is read anew.
  private static final int MANY_NAMES = 100_000;

  /// The memory limit of cached decisions, besides the index itself.
  private static final long MAX_DECISION_BYTES = 64L << 20;

  static LoadedIndex of(AccessIndexVersion version, CompiledIndex compiled, Revision revision) {
    return new LoadedIndex(
        version, compiled, revision, compiled.names(), new DecisionCache(MAX_DECISION_BYTES));
  }

  /// The same, which is still the newest at another revision.
  LoadedIndex at(Revision later) {
    return new LoadedIndex(version, compiled, later, names, decisions);
  }

  long bytes() {
    return compiled.bytes() + decisions.bytes();
  }

  /// The state after a commit; null if that is not the one after this, or if so many names were
  /// added that it is better read anew.
  @Nullable LoadedIndex next(RecordChanges changes, Revision at) {
    if (!version.equals(changes.before())) {
      return null;
    }
    CompiledIndex after = AccessIndexLoader.changed(compiled, changes);
    return after.names() > MANY_NAMES + 2 * names
        ? null
        : new LoadedIndex(changes.after(), after, at, names, decisions);
  }
}
