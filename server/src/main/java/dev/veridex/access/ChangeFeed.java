package dev.veridex.access;

import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.LedgerChange;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.store.AppendedRecord;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.tenancy.AdminChanges;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The individuals that were applied to an index, and the grants that were given, extended and
/// taken back, in the order of their commits, for whoever wants to follow. That a grant ends is no
/// change: its end was told with it.
public final class ChangeFeed {
  /// How much of what is told is in memory at a time, but for single individuals that are larger.
  public static final int PART_BYTES = 1 << 20;

  private static final int PART_CHANGES = 500;

  private final Store store;
  private final AccessIndexLocator indexes;
  private final NamespaceReaders readers;
  private final ChangeSignals signals;
  private final Duration pastRetention;

  /// @param signals tell of commits
  /// @param pastRetention how long changes are known
  public ChangeFeed(
      Store store,
      AccessIndexLocator indexes,
      AdminChanges administration,
      ChangeSignals signals,
      Duration pastRetention) {
    this.store = store;
    this.indexes = indexes;
    this.readers = new NamespaceReaders(store, administration);
    this.signals = signals;
    this.pastRetention = pastRetention;
  }

  /// A change, and the commit that made it.
  ///
  /// @param last whether no other change of the same commit follows
  public record Event(LedgerChange change, Revision revision, Instant time, boolean last) {}

  /// The position of a reader in the change feed.
  ///
  /// @param next the number of commit order to go on with
  /// @param seen a revision all of whose changes were told
  public record Position(long next, Revision seen) {
    private static Position after(Revision revision) {
      return new Position(AppendedRecord.first(revision.sequence() + 1), revision);
    }
  }

  /// A page of changes.
  ///
  /// @param more whether there are more already
  public record Part(List<Event> changes, Position until, boolean more) {}

  /// Where to begin.
  ///
  /// @param since all after this; absent: those from now on
  /// @throws VeridexException `NOT_FOUND`, `GONE`, `UNKNOWN_REVISION`, `REVISION_TOO_OLD`
  public Position begin(Namespace namespace, Optional<Revision> since) {
    try (Snapshot snapshot = readers.open(namespace, since)) {
      since.ifPresent(revision -> known(snapshot, revision));
      return Position.after(since.orElse(snapshot.revision()));
    }
  }

  /// Changes are forgotten one by one: whoever is too late would miss some and not know it.
  private void known(Snapshot snapshot, Revision since) {
    Instant known = snapshot.now().minus(pastRetention);
    if (store.currentUntil(snapshot, since).isBefore(known)) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.REVISION_TOO_OLD, "the changes since this revision are no longer known")
              .with("knownSince", known));
    }
  }

  /// The next changes, not too many.
  ///
  /// @throws VeridexException `REVISION_TOO_OLD` if some of them are forgotten; `GONE`
  public Part after(AccessIndex.Target target, Position position) {
    try (Snapshot snapshot = readers.open(target.namespace(), Optional.of(position.seen))) {
      if (indexes.incarnation(snapshot, target.namespace().scope()) != target.incarnation()) {
        throw new VeridexException(Problem.of(ErrorCode.GONE, "what this began in was deleted"));
      }
      known(snapshot, position.seen);
      LogReader reading = new LogReader();
      indexes.read(snapshot, target.namespace().scope()).changesFrom(position.next, reading::add);
      return reading.part(position, snapshot.revision());
    }
  }

  private record LogEntry(long number, LedgerChange change) {
    private long sequence() {
      return AppendedRecord.sequence(number);
    }
  }

  /// Takes changes until it has enough, and one more to know whether its commit goes on.
  private final class LogReader {
    private final List<LogEntry> logged = new ArrayList<>();
    private Optional<LogEntry> beyond = Optional.empty();
    private long bytes;

    private boolean add(long number, LedgerChange change) {
      LogEntry one = new LogEntry(number, change);
      if (bytes > PART_BYTES || logged.size() == PART_CHANGES) {
        beyond = Optional.of(one);
        return false;
      }
      logged.add(one);
      bytes += size(change);
      return true;
    }

    private static long size(LedgerChange change) {
      return switch (change) {
        case LedgerChange.Stated stated ->
            stated.content().map(content -> content.length).orElse(0);
        case LedgerChange.Granted _ -> 0;
      };
    }

    private Part part(Position from, Revision newest) {
      long storeId = newest.storeId();
      List<Event> changes = new ArrayList<>(logged.size());
      Revision seen = from.seen;
      for (int i = 0; i < logged.size(); i++) {
        LogEntry each = logged.get(i);
        Revision revision = new Revision(storeId, each.sequence());
        Optional<LogEntry> next = i + 1 < logged.size() ? Optional.of(logged.get(i + 1)) : beyond;
        boolean last = next.filter(other -> other.sequence() == each.sequence()).isEmpty();
        seen = last ? revision : seen;
        changes.add(new Event(each.change, revision, store.timeOf(revision), last));
      }
      Revision told = seen;
      return new Part(
          changes,
          beyond.map(next -> new Position(next.number, told)).orElse(Position.after(newest)),
          beyond.isPresent());
    }
  }

  /// A signal of new changes; to be made before looking.
  public ChangeSignals.Signal listen(Namespace namespace) {
    return signals.listen(namespace.scope());
  }
}
