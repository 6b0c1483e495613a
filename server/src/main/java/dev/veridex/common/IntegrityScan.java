package dev.veridex.common;

import java.util.List;
import java.util.function.LongConsumer;

/// Compares a part of the state with what it was derived from.
public interface IntegrityScan {
  /// The name of the part that it scans.
  String name();

  /// Looks at all of it.
  ///
  /// @param progress hears now and then how much was examined so far
  Outcome run(LongConsumer progress);

  /// The result of a scan.
  ///
  /// @param drift what does not agree, one sentence each; at most [#MAX_DRIFT] of them
  record Outcome(long examined, List<String> drift) {
    /// How many disagreements are told. One is enough to act on.
    public static final int MAX_DRIFT = 100;

    public Outcome {
      drift = List.copyOf(drift);
    }
  }
}
