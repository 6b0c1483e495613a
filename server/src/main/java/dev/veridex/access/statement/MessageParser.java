package dev.veridex.access.statement;

import dev.veridex.common.JsonPointer;
import dev.veridex.common.VeridexException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Reads messages of the individuals flow, and individuals that come bare.
public final class MessageParser {
  private static final String COMMAND = "cmd";
  private static final String OP_ID = "opId";
  private static final String PREVIOUS = "prevState";
  private static final String NEW = "newState";

  private MessageParser() {}

  /// Reads one.
  ///
  /// @throws VeridexException `BAD_REQUEST` with a pointer
  public static Message read(JsonNode node) {
    if (!node.isObject()) {
      throw IndividualParser.wrong("a message or an individual is an object", "");
    }
    if (node.has("@id") || !isMessage(node)) {
      Individual bare = IndividualParser.read(node, "");
      return new Message(Optional.empty(), false, bare.id(), Optional.of(bare), "");
    }
    String command = node.path(COMMAND).isString() ? node.path(COMMAND).asString() : "";
    return switch (command) {
      case "create" -> withState(node, true);
      case "update" -> withState(node, false);
      case "remove" -> isThere(node, NEW) ? removal(withState(node, false)) : removal(node);
      default ->
          throw IndividualParser.wrong(
              "a command is create, update or remove", JsonPointer.member("", COMMAND));
    };
  }

  /// The id that a message would be about, also if it cannot be read.
  public static Optional<String> idOf(JsonNode node) {
    JsonNode named =
        node.has("@id") ? node : isThere(node, NEW) ? node.path(NEW) : node.path(PREVIOUS);
    return Optional.of(named.path("@id")).filter(JsonNode::isString).map(JsonNode::asString);
  }

  private static boolean isMessage(JsonNode node) {
    return node.has(COMMAND) || node.has(NEW) || node.has(PREVIOUS);
  }

  private static Message withState(JsonNode node, boolean creation) {
    String pointer = JsonPointer.member("", NEW);
    if (!isThere(node, NEW)) {
      throw IndividualParser.wrong("this command brings a new state", pointer);
    }
    Individual state = IndividualParser.read(node.get(NEW), pointer);
    return new Message(opId(node), creation, state.id(), Optional.of(state), pointer);
  }

  private static Message removal(Message message) {
    if (!message.deletes()) {
      throw IndividualParser.wrong(
          "what is removed is not there any more, or deleted", JsonPointer.member("", NEW));
    }
    return message;
  }

  private static Message removal(JsonNode node) {
    String pointer = JsonPointer.member("", PREVIOUS);
    if (!node.path(PREVIOUS).isObject()) {
      throw IndividualParser.wrong("a removal names what is removed", pointer);
    }
    String id = IndividualParser.id(node.get(PREVIOUS), pointer);
    return new Message(opId(node), false, id, Optional.empty(), "");
  }

  private static Optional<Long> opId(JsonNode node) {
    return isThere(node, OP_ID)
        ? Optional.of(IndividualParser.whole(node.get(OP_ID), JsonPointer.member("", OP_ID)))
        : Optional.empty();
  }

  private static boolean isThere(JsonNode node, String name) {
    return node.has(name) && !node.path(name).isNull();
  }
}
