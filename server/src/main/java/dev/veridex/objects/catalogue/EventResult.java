package dev.veridex.objects.catalogue;

import dev.veridex.common.Problem;
import java.util.UUID;

/// The result of a record of a message.
public sealed interface EventResult {
  /// It is an event that was not known.
  ///
  /// @param id of its row
  record Ingested(UUID id) implements EventResult {}

  /// It had come before.
  ///
  /// @param id of its row
  record Duplicate(UUID id) implements EventResult {}

  /// It does not concern the catalogue.
  record Skipped(String reason) implements EventResult {
    private static final int SHOWN = 120;

    public Skipped {
      reason = reason.length() <= SHOWN ? reason : reason.substring(0, SHOWN) + "…";
    }
  }

  /// It was not taken.
  record Rejected(Problem problem) implements EventResult {}
}
