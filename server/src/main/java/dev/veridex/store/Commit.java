package dev.veridex.store;

import dev.veridex.common.Revision;
import java.time.Instant;
import java.util.List;

/// A committed transaction in the history of a store.
///
/// @param time when it was committed, by the store's clock; never before that of an earlier commit
/// @param changes what it touched, range deletions first, then by key
public record Commit(Revision revision, Instant time, List<Change> changes) {
  public Commit {
    changes = List.copyOf(changes);
  }
}
