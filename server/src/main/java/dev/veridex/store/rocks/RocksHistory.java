package dev.veridex.store.rocks;

import dev.veridex.common.Expiry;
import dev.veridex.common.MonotonicClock;
import dev.veridex.common.Revision;
import dev.veridex.store.Commit;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.ChangeLog;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rocksdb.RocksDBException;

/// Reads the log of commits.
final class RocksHistory {
  private final Views views;
  private final Committer committer;
  private final MonotonicClock clock;
  private final Duration retention;
  private final long storeId;

  /// @param retention how long commits are kept
  RocksHistory(
      Views views, Committer committer, MonotonicClock clock, Duration retention, long storeId) {
    this.views = views;
    this.committer = committer;
    this.clock = clock;
    this.retention = retention;
    this.storeId = storeId;
  }

  private Instant keptSince() {
    return clock.instant().minus(retention);
  }

  /// The commits after a revision, at most `limit`.
  List<Commit> changesSince(Revision since, int limit) {
    RocksView view = views.hold();
    try {
      ChangeLog.checkKnown(since, new Revision(storeId, view.sequence()));
      List<Commit> commits = new ArrayList<>();
      KeyRange after = KeyRange.from(BatchBuilder.logKey(since.sequence() + 1));
      try (ScanOptions bounds = new ScanOptions(view.snapshot(), after);
          FamilyCursor log =
              new FamilyCursor(view.database(), Family.LOG, bounds, Direction.FORWARD)) {
        while (commits.size() < limit && log.next()) {
          long sequence = ByteBuffer.wrap(log.key()).getLong();
          commits.add(CommitRecord.decode(new Revision(storeId, sequence), log.value()));
        }
      }
      ChangeLog.checkKept(since, commits, keptSince());
      return commits;
    } finally {
      view.letGo();
    }
  }

  /// When a revision was committed.
  Instant timeOf(Revision revision) {
    RocksView view = views.hold();
    try {
      ChangeLog.checkKnown(revision, new Revision(storeId, view.sequence()));
      return ChangeLog.checkKept(committedAt(view, revision.sequence()), keptSince());
    } finally {
      view.letGo();
    }
  }

  /// The newest revision that was committed at a time or before.
  Revision revisionAt(Instant time) {
    ChangeLog.checkPast(time, clock.instant(), keptSince());
    // Commits get their time before they can be seen.
    committer.awaitCommitsBy(Expiry.micros(time));
    RocksView view = views.hold();
    try {
      return new Revision(
          storeId, ChangeLog.lastBy(time, view.sequence(), each -> committedAt(view, each)));
    } finally {
      view.letGo();
    }
  }

  /// @throws StoreException if the log cannot be read
  private static Optional<Instant> committedAt(RocksView view, long sequence) {
    try {
      RocksDatabase database = view.database();
      byte[] commit =
          database.rocks().get(database.handle(Family.LOG), BatchBuilder.logKey(sequence));
      return Optional.ofNullable(commit).map(CommitRecord::time);
    } catch (RocksDBException e) {
      throw RocksErrors.translate(e);
    }
  }
}
