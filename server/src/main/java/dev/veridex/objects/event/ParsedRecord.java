package dev.veridex.objects.event;

import dev.veridex.common.Problem;
import tools.jackson.databind.JsonNode;

/// A record of a message, as it was read.
public sealed interface ParsedRecord {
  /// An event.
  record Event(ObjectEvent event) implements ParsedRecord {}

  /// Nothing that concerns the catalogue.
  record Skipped(String reason) implements ParsedRecord {}

  /// It cannot be read.
  ///
  /// @param given what came
  record Malformed(Problem problem, JsonNode given) implements ParsedRecord {}
}
