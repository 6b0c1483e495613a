package dev.veridex.items;

import dev.veridex.buckets.Retention;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Which past revisions of an item are no longer wanted, and when they go.
///
/// Decided with each write, for those that the write made surplus. A few more are looked at, so
/// that a bucket whose retention was changed gets there write by write, and never in one sweep.
final class Surplus {
  private static final int MORE = 8;

  private Surplus() {}

  /// A past revision and its end, at once if that is not after the write.
  record Ending(ItemRevision revision, Instant end) {}

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
  static List<Ending> of(Retention retention, Instant written, List<ItemRevision> past) {
    List<Ending> endings = new ArrayList<>();
    int sameStretch = 1;
    for (int i = 0; i < past.size(); i++) {
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
      end.map(instant -> instant.truncatedTo(ChronoUnit.MICROS))
          .filter(instant -> endsLater(revision, instant))
          .ifPresent(instant -> endings.add(new Ending(revision, instant)));
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
