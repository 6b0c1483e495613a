package dev.veridex.objects.event;

import dev.veridex.common.Problem;
import tools.jackson.databind.JsonNode;

/// What a record of a message comes to.
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
