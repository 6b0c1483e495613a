package dev.veridex.items;

import dev.veridex.buckets.Retention;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The retention of an item's past revisions: which are surplus, and when they go.
///
/// Decided with each write, for those that the write made surplus. A few more are looked at, so
/// that a bucket whose retention was changed gets there write by write, and never in one sweep.
final class RevisionRetention {
  private static final int MORE = 8;
  private static final Duration A_WHILE = Duration.ofMinutes(1);

  /// Ending a revision writes its bytes anew, once more for an upgrade. Beyond this, what need not
  /// be done now is left to later writes.
  private static final long MAX_BYTES = 16L << 20;

  private RevisionRetention() {}

  /// A past revision and its end, at once if that is not after the write.
  record EndOfLife(ItemRevision revision, Instant end) {}

  /// How long it is remembered that an item was deleted; absent: for ever.
  static Optional<Duration> remembersDeletion(Retention retention) {
    return switch (retention) {
      case Retention.All() -> Optional.empty();
      case Retention.Ttl(Duration ttl) -> Optional.of(ttl);
      case Retention.Latest(_, Duration grace) -> Optional.of(atLeastAWhile(grace));
      case Retention.Interval(_, _, Duration grace) -> Optional.of(atLeastAWhile(grace));
    };
  }

  private static Duration atLeastAWhile(Duration grace) {
    return grace.compareTo(A_WHILE) < 0 ? A_WHILE : grace;
  }

  /// How many past revisions have to be looked at.
  static int looksAt(Retention retention) {
    return switch (retention) {
      case Retention.All() -> 0;
      case Retention.Ttl _ -> 1 + MORE;
      case Retention.Latest(int count, _) -> count + MORE;
      case Retention.Interval(_, int count, _) -> count + MORE;
    };
  }

  /// The ends of past revisions after a write.
  ///
  /// @param written when the newest revision was written
  /// @param past those before it, newest first, as many as [#looksAt] says
  static List<EndOfLife> of(Retention retention, Instant written, List<ItemRevision> past) {
    List<EndOfLife> endings = new ArrayList<>();
    int sameStretch = 1;
    long bytes = 0;
    for (int i = 0; i < past.size() && bytes < MAX_BYTES; i++) {
      ItemRevision revision = past.get(i);
      Optional<Instant> end =
          switch (retention) {
            case Retention.All() -> Optional.empty();
            case Retention.Ttl(Duration ttl) -> Optional.of(revision.time().plus(ttl));
            // The newest one is not among the past ones, and counts, too.
            case Retention.Latest(int count, Duration grace) ->
                i + 1 < count ? Optional.empty() : Optional.of(written.plus(grace));
            case Retention.Interval(Duration interval, int count, Duration grace) -> {
              boolean same = stretch(revision.time(), interval) == stretch(written, interval);
              yield same && sameStretch++ >= count
                  ? Optional.of(written.plus(grace))
                  : Optional.empty();
            }
          };
      Optional<EndOfLife> ending =
          end.map(instant -> instant.truncatedTo(ChronoUnit.MICROS))
              .filter(instant -> endsLater(revision, instant))
              .map(instant -> new EndOfLife(revision, instant));
      ending.ifPresent(endings::add);
      bytes += ending.isPresent() ? revision.bytes() : 0;
    }
    return endings;
  }

  /// Whether a revision would still be there: an end that was set before stays.
  private static boolean endsLater(ItemRevision revision, Instant end) {
    return revision.expiresAt().isEmpty() || revision.expiresAt().get().isAfter(end);
  }

  private static long stretch(Instant time, Duration interval) {
    return Math.floorDiv(time.getEpochSecond(), interval.toSeconds());
  }
}
