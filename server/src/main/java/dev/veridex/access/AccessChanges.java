package dev.veridex.access;

import dev.veridex.accounts.Administration;
import dev.veridex.accounts.Place;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Appended;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The individuals that were applied to an index, in the order of their commits, for whoever wants
/// to follow.
public final class AccessChanges {
  private final Store store;
  private final Indexes indexes;
  private final PlaceReaders readers;
  private final Signals signals;
  private final Duration pastRetention;

  /// @param signals tell of commits
  /// @param pastRetention how long changes are known
  public AccessChanges(
      Store store,
      Indexes indexes,
      Administration administration,
      Signals signals,
      Duration pastRetention) {
    this.store = store;
    this.indexes = indexes;
    this.readers = new PlaceReaders(store, administration);
    this.signals = signals;
    this.pastRetention = pastRetention;
  }

  /// A change, and the commit that made it.
  ///
  /// @param last whether no other change of the same commit follows
  public record Changed(LoggedChange change, Revision revision, Instant time, boolean last) {}

  /// Some changes.
  ///
  /// @param until all up to here were seen; go on after it
  /// @param more whether there are some already
  public record Changes(List<Changed> changes, Revision until, boolean more) {}

  /// Where to begin.
  ///
  /// @param since all after this; absent: those from now on
  /// @throws VeridexException `NOT_FOUND`, `GONE`, `UNKNOWN_REVISION`, `REVISION_TOO_OLD`
  public Revision begin(Place place, Optional<Revision> since) {
    try (Snapshot snapshot = readers.open(place, since)) {
      if (since.isEmpty()) {
        return snapshot.revision();
      }
      Instant known = snapshot.now().minus(pastRetention);
      if (store.timeOf(since.get()).isBefore(known)) {
        throw new VeridexException(
            Problem.of(
                    ErrorCode.REVISION_TOO_OLD,
                    "the changes since this revision are no longer known")
                .with("knownSince", known));
      }
      return since.get();
    }
  }

  /// The changes after a revision, whole commits at a time.
  ///
  /// @param most about how many
  public Changes after(AccessIndex.Target target, Revision since, int most) {
    try (Snapshot snapshot = readers.open(target.place(), Optional.of(since))) {
      if (indexes.incarnation(snapshot, target.place().scope()) != target.incarnation()) {
        throw new VeridexException(Problem.of(ErrorCode.GONE, "what this began in was deleted"));
      }
      List<Logged> logged = new ArrayList<>();
      indexes
          .read(snapshot, target.place().scope())
          .changesFrom(
              Appended.first(since.sequence() + 1),
              (number, change) -> {
                long sequence = Appended.sequence(number);
                boolean enough = logged.size() >= most && logged.getLast().sequence != sequence;
                if (!enough) {
                  logged.add(new Logged(sequence, change));
                }
                return !enough;
              });
      boolean more = logged.size() >= most;
      Revision until =
          more ? new Revision(since.storeId(), logged.getLast().sequence) : snapshot.revision();
      return new Changes(changed(since.storeId(), logged), until, more);
    }
  }

  private record Logged(long sequence, LoggedChange change) {}

  private List<Changed> changed(long storeId, List<Logged> logged) {
    List<Changed> changes = new ArrayList<>(logged.size());
    Instant time = Instant.EPOCH;
    for (int i = 0; i < logged.size(); i++) {
      Logged each = logged.get(i);
      Revision revision = new Revision(storeId, each.sequence);
      if (i == 0 || logged.get(i - 1).sequence != each.sequence) {
        time = store.timeOf(revision);
      }
      boolean last = i + 1 == logged.size() || logged.get(i + 1).sequence != each.sequence;
      changes.add(new Changed(each.change, revision, time, last));
    }
    return changes;
  }

  /// What hears of new changes; to be made before looking.
  public Signals.Signal listen(Place place) {
    return signals.listen(place.scope());
  }
}
