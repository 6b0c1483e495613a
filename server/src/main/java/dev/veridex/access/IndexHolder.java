package dev.veridex.access;

import dev.veridex.access.compiled.EndQueue;
import dev.veridex.access.ledger.AccessIndexVersion;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.common.Revision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The place of one index in memory: its newest state there, and what becomes of it when something
/// is committed, when memberships end, and while it is being read.
final class IndexHolder {
  private static final int MAX_MISSED_RECORDS = 1_000_000;

  private volatile @Nullable LoadedIndex loaded;
  private volatile boolean loading;
  private volatile boolean changing;
  private volatile CountDownLatch done = new CountDownLatch(0);
  private volatile long read;
  private volatile Instant used = Instant.MIN;
  private volatile Instant notBefore = Instant.MIN;
  private volatile boolean failed;
  private volatile long granted;
  private @Nullable List<PendingChange> missed;
  private long missedRecords;
  private EndQueue ends = new EndQueue();

  /// A change that was committed while an index was being loaded.
  private record PendingChange(RecordChanges delta, Revision revision) {}

  /// An index that was read, and the ends of its memberships.
  record ReadIndex(LoadedIndex index, EndQueue ends) {}

  /// The newest state, as it is at a time. If memberships have ended since it was made, whoever
  /// asks first makes the next one.
  @Nullable LoadedIndex loaded(Instant now) {
    LoadedIndex known = loaded;
    return known == null || known.isAlive(now) ? known : ended(now);
  }

  private synchronized @Nullable LoadedIndex ended(Instant now) {
    LoadedIndex known = loaded;
    if (known != null && !known.isAlive(now)) {
      // If that fails, nobody knows which ends were taken out of the queue: it is read anew.
      loaded = null;
      known = known.after(now, ends);
      loaded = known;
    }
    return known;
  }

  boolean isLoaded() {
    return loaded != null;
  }

  /// How much of it is in memory.
  IndexLoadStatus status() {
    LoadedIndex known = loaded;
    if (known != null) {
      return new IndexLoadStatus(
          IndexLoadStatus.State.LOADED, known.state().index().records(), known.bytes());
    }
    if (loading) {
      return new IndexLoadStatus(IndexLoadStatus.State.LOADING, read, 0);
    }
    boolean refused = !notBefore.equals(Instant.MIN);
    IndexLoadStatus.State without =
        failed ? IndexLoadStatus.State.FAILED : IndexLoadStatus.State.TOO_LARGE;
    return new IndexLoadStatus(refused ? without : IndexLoadStatus.State.ABSENT, 0, 0);
  }

  /// Whether it is in memory, or about to be.
  boolean isComing() {
    return loaded != null || loading || notBefore.equals(Instant.MIN);
  }

  long bytes() {
    LoadedIndex known = loaded;
    return known == null ? 0 : known.bytes();
  }

  /// When it was last asked for.
  Instant used() {
    return used;
  }

  void use(Instant now) {
    used = now;
  }

  /// Whether somebody commits something.
  boolean isChanging() {
    return changing;
  }

  void change() {
    changing = true;
  }

  /// The commit that was under way has changed nothing.
  void unchanged() {
    changing = false;
  }

  /// Takes over what was committed.
  ///
  /// @return how much memory it takes since
  synchronized long committed(RecordChanges delta, Revision revision) {
    LoadedIndex known = loaded;
    LoadedIndex next = null;
    try {
      next = known == null ? null : known.next(delta, revision, ends);
      miss(new PendingChange(delta, revision));
    } finally {
      // Whatever happens: the state before is not the newest any more.
      loaded = next;
      changing = false;
    }
    return next == null ? 0 : next.bytes();
  }

  /// Keeps what is committed while an index is being read, within reason.
  private void miss(PendingChange change) {
    if (missed != null) {
      missedRecords += change.delta.records().size() + change.delta.grants().size();
      missed.add(change);
      if (missedRecords > MAX_MISSED_RECORDS) {
        missed = null;
      }
    }
  }

  /// Nobody knows what became of it.
  synchronized void forget() {
    loaded = null;
    changing = false;
  }

  /// Makes room for others.
  synchronized void evict() {
    loaded = null;
  }

  /// Begins to read it, unless somebody does or there was no room a moment ago.
  synchronized boolean load(Instant now) {
    if (loading || now.isBefore(notBefore)) {
      return false;
    }
    loading = true;
    done = new CountDownLatch(1);
    loaded = null;
    read = 0;
    // From here on nothing is missed: the state that is read is not older than this.
    missed = new ArrayList<>();
    missedRecords = 0;
    notBefore = Instant.MIN;
    failed = false;
    return true;
  }

  /// So many records were read.
  void progress(long records) {
    read = records;
  }

  long progress() {
    return read;
  }

  /// It could not be read, and need not be tried again soon.
  ///
  /// @param broken else it only has no room
  void refuse(Instant until, boolean broken) {
    notBefore = until;
    failed = broken;
  }

  /// Ends reading.
  synchronized void finish(Optional<ReadIndex> whole, long growth) {
    List<PendingChange> since = missed;
    missed = null;
    loading = false;
    if (whole.isEmpty() || since == null) {
      loaded = null;
    } else {
      ends = whole.get().ends;
      loaded = caughtUp(whole.get().index, since, ends);
    }
    granted = bytes() + growth;
    done.countDown();
  }

  /// A state that was read, with the commits since.
  private static @Nullable LoadedIndex caughtUp(
      LoadedIndex read, List<PendingChange> missed, EndQueue ends) {
    LoadedIndex loaded = read;
    for (PendingChange each : missed) {
      AccessIndexVersion after = each.delta.after();
      if (!after.isOfSame(read.version()) || after.changes() > loaded.version().changes()) {
        LoadedIndex next = loaded.next(each.delta, each.revision, ends);
        if (next == null) {
          return null;
        }
        loaded = next;
      }
    }
    return loaded;
  }

  /// Waits until it is read.
  void await(long nanos) {
    try {
      boolean _ = done.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Whether it takes more memory than it was granted; if so, some more is granted.
  ///
  /// @param growth so much more may it take before it asks again
  boolean outgrows(long bytes, long growth) {
    boolean more = bytes > granted;
    granted = more ? bytes + growth : granted;
    return more;
  }
}
