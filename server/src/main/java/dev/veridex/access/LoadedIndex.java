package dev.veridex.access;

import dev.veridex.access.compiled.AccessIndexEdit;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledGrants;
import dev.veridex.access.compiled.EndQueue;
import dev.veridex.access.ledger.AccessIndexVersion;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.access.visibility.DecisionCache;
import dev.veridex.common.Expiry;
import dev.veridex.common.Instants;
import dev.veridex.common.Revision;
import dev.veridex.index.VisibleResources;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An index in memory, the commit that made it so, and for how long it is so: memberships that are
/// relationships end, and nothing is answered from this state beyond the end of the next one.
///
/// More than eight components: what is kept for the next state stands beside what answers.
///
/// @param from since when it is so: the last end of a membership that has ended
/// @param until from when on it is not so any more: the first end of one that has not
/// @param size how many names and approvals it knew when it was read
/// @param decisions what was found out from it for those who search
record LoadedIndex(
    AccessIndexVersion version,
    CompiledState state,
    Revision revision,
    Instant from,
    long until,
    Size size,
    DecisionCache decisions) {
  /// Names that nothing is about any more take room until an index is read anew, approvals that
  /// have ended until they are thrown out.
  private static final int MANY = 100_000;

  /// The memory limit of cached decisions, besides the index itself.
  private static final long MAX_DECISION_BYTES = 64L << 20;

  /// The size of a state when it was read.
  record Size(int names, int approvals) {
    static Size of(CompiledState state) {
      return new Size(state.index().names(), state.grants().size());
    }
  }

  static LoadedIndex of(
      AccessIndexVersion version,
      CompiledState state,
      Revision revision,
      Instant from,
      EndQueue ends) {
    return new LoadedIndex(
        version,
        state,
        revision,
        from,
        ends.first(),
        Size.of(state),
        new DecisionCache(MAX_DECISION_BYTES));
  }

  /// The same, which is still the newest at another revision.
  LoadedIndex at(Revision later) {
    return new LoadedIndex(version, state, later, from, until, size, decisions);
  }

  /// Whether it is still so.
  boolean isAlive(Instant now) {
    return !Expiry.isExpired(until, Expiry.micros(now));
  }

  /// The time that answers are about: a little later than who asks thinks, if somebody else who
  /// asked meanwhile made this state.
  Instant time(Instant now) {
    return Instants.later(now, from);
  }

  /// A check in this state.
  CompiledCheck check(Instant now) {
    return state.check(time(now));
  }

  /// Whether any record is about a resource, or a live grant.
  boolean isObject(Instant now, String resource) {
    return state.index().isObject(resource)
        || state.approvals(time(now)).isObject(state.index().dictionary().find(resource));
  }

  /// The resources on which a subject has a right.
  VisibleResources permitted(Instant now, String subject, List<String> implicit, int right) {
    return decisions.of(state.index(), state.approvals(time(now)), subject, implicit, right);
  }

  long bytes() {
    return state.bytes() + decisions.bytes();
  }

  /// The state after a commit; null if that is not the one after this, or if so many names were
  /// added that it is better read anew.
  ///
  /// @param ends of all memberships; takes those of new ones
  @Nullable LoadedIndex next(RecordChanges changes, Revision at, EndQueue ends) {
    if (!version.equals(changes.before())) {
      return null;
    }
    CompiledState after = AccessIndexLoader.changed(state, changes, time(changes.time()), ends);
    if (after.index().names() > MANY + 2 * size.names) {
      return null;
    }
    Size known = size;
    if (after.grants().size() > MANY + 2 * size.approvals) {
      CompiledGrants alive = after.grants().live(Expiry.micros(time(changes.time())));
      after = new CompiledState(after.index(), alive);
      known = new Size(size.names, alive.size());
    }
    return with(changes.after(), after, at, from, ends, known);
  }

  /// The state after the memberships have ended that end by now.
  LoadedIndex after(Instant now, EndQueue ends) {
    AccessIndexEdit edit = state.index().edit();
    GrantEdit grants = new GrantEdit(edit, state.grants(), now, ends);
    while (Expiry.isExpired(ends.first(), Expiry.micros(now))) {
      long pair = ends.remove();
      grants.end(EndQueue.member(pair), EndQueue.group(pair));
    }
    CompiledState after =
        grants.isRelated() ? new CompiledState(edit.done(), grants.done()) : state;
    return with(version, after, revision, grants.lastEnd().orElse(from), ends, size);
  }

  @SuppressWarnings("ReferenceEquality") // A state of the index is the same one, or another.
  private LoadedIndex with(
      AccessIndexVersion newVersion,
      CompiledState after,
      Revision at,
      Instant since,
      EndQueue ends,
      Size known) {
    if (after.index() != state.index()) {
      // They were of the state before.
      decisions.forget();
    }
    return new LoadedIndex(newVersion, after, at, since, ends.first(), known, decisions);
  }
}
