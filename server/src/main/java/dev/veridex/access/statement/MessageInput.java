package dev.veridex.access.statement;

import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// An input of a batch, parsed.
public sealed interface MessageInput {
  /// A valid message.
  record Valid(Message message) implements MessageInput {}

  /// An input that is rejected.
  ///
  /// @param id what it would be about, if it says
  record Invalid(Optional<String> id, Problem problem) implements MessageInput {}

  /// Whether it is an individual of a type that no index is about.
  default boolean saysNothing() {
    return this instanceof Valid(Message message)
        && message.state().filter(state -> state.kind().isEmpty()).isPresent();
  }

  /// Reads one. Whatever is wrong with it is its own matter.
  static MessageInput of(JsonNode node) {
    try {
      return new Valid(MessageParser.read(node));
    } catch (VeridexException e) {
      return new Invalid(MessageParser.idOf(node), e.problem());
    }
  }
}
