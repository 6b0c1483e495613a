package dev.veridex.store.optimistic;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.store.Change;
import dev.veridex.store.Commit;
import dev.veridex.store.StoreException;
import dev.veridex.store.optimistic.WriteSet.Write;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/// The rules of a store's history that do not depend on where it is kept.
public final class ChangeLog {
  private ChangeLog() {}

  /// What a transaction's writes change when they are committed with `sequence`.
  public static List<Change> changes(WriteSet writes, long sequence) {
    List<Change> changes = new ArrayList<>();
    writes.deletedRanges().forEach(range -> changes.add(new Change.DeleteRange(range)));
    writes
        .records()
        .forEach(
            (key, write) ->
                changes.add(
                    switch (write) {
                      case Write.Put _ -> new Change.Put(key);
                      case Write.Delete _ -> new Change.Delete(key);
                    }));
    writes
        .appends()
        .forEach(append -> changes.add(new Change.Put(append.handle().keyAt(sequence))));
    writes.additions().forEach((key, delta) -> changes.add(new Change.Add(key, delta)));
    return changes;
  }

  /// Refuses a revision that a store has not come to.
  public static void checkKnown(Revision revision, Revision newest) {
    if (revision.storeId() != newest.storeId() || revision.sequence() > newest.sequence()) {
      throw StoreException.of(
          ErrorCode.UNKNOWN_REVISION, "this store never gave out such a revision");
    }
  }

  /// Refuses the time of a commit that is no longer kept.
  public static Instant checkKept(Optional<Instant> time, Instant keptSince) {
    return time.filter(known -> !known.isBefore(keptSince))
        .orElseThrow(() -> tooOld("this revision is no longer kept", keptSince));
  }

  /// Refuses a time that is not past, or so long ago that its commits are no longer kept.
  public static void checkPast(Instant time, Instant now, Instant keptSince) {
    if (!time.isBefore(now)) {
      throw new StoreException(
          Problem.of(ErrorCode.BAD_REQUEST, "this time is not past").with("now", now));
    }
    if (time.isBefore(keptSince)) {
      throw tooOld("what was at this time is no longer kept", keptSince);
    }
  }

  /// The last of the commits up to `newest` that was made by a time. Commits whose time is not
  /// known are older than all others.
  public static long lastBy(
      Instant time, long newest, LongFunction<Optional<Instant>> committedAt) {
    long low = 0;
    long high = newest;
    while (low < high) {
      long middle = low + (high - low + 1) / 2;
      if (committedAt.apply(middle).filter(time::isBefore).isPresent()) {
        high = middle - 1;
      } else {
        low = middle;
      }
    }
    return low;
  }

  private static StoreException tooOld(String detail, Instant keptSince) {
    return new StoreException(
        Problem.of(ErrorCode.REVISION_TOO_OLD, detail).with("keptSince", keptSince));
  }

  /// Refuses to show changes after `since` of which some are no longer kept.
  ///
  /// By the clock, not by whether they are still there: removal is later, and no answer may hang on
  /// when it happens.
  public static void checkKept(Revision since, List<Commit> commits, Instant keptSince) {
    if (commits.isEmpty()) {
      return;
    }
    Commit first = commits.getFirst();
    if (first.time().isBefore(keptSince) || first.revision().sequence() != since.sequence() + 1) {
      throw tooOld("the changes since this revision are no longer kept", keptSince);
    }
  }
}
