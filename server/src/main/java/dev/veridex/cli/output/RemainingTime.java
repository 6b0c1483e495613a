package dev.veridex.cli.output;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The time that is left until an end, in words.
public final class RemainingTime {
  private static final int TWO = 2;
  private static final Duration ALMOST = Duration.ofMillis(999);

  private RemainingTime() {}

  /// The words for an end, as `for 59 minutes`, `ended 2 days ago` or `for ever`.
  ///
  /// @param end absent: there is none
  public static String words(Optional<Instant> end, Instant now) {
    return end.map(
            each ->
                each.isAfter(now)
                    // What was just given for two hours lasts for two hours, and not for 119
                    // minutes.
                    ? "for " + words(Duration.between(now, each).plus(ALMOST))
                    : "ended " + words(Duration.between(each, now)) + " ago")
        .orElse("for ever");
  }

  /// The largest unit of which there are at least two, rounded down.
  private static String words(Duration left) {
    if (left.toDays() >= TWO) {
      return left.toDays() + " days";
    }
    if (left.toHours() >= TWO) {
      return left.toHours() + " hours";
    }
    if (left.toMinutes() >= TWO) {
      return left.toMinutes() + " minutes";
    }
    long seconds = left.toSeconds();
    return seconds == 0 ? "less than a second" : seconds == 1 ? "1 second" : seconds + " seconds";
  }
}
