package dev.veridex.access.statement;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.Problem;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Reads messages of the individuals flow, and individuals that come bare. Members of a message are
/// also known as `op_id`, `prev_state` and `new_state`, its commands as `Create`, `Update` and
/// `Remove`.
public final class MessageParser {
  private static final String COMMAND = "cmd";
  private static final String OP_ID = "opId";
  private static final String PREVIOUS = "prevState";
  private static final String NEW = "newState";

  /// The other names of members.
  private static final Map<String, String> OTHER_NAMES =
      Map.of(OP_ID, "op_id", PREVIOUS, "prev_state", NEW, "new_state");

  private static final List<String> MEMBERS = List.of(COMMAND, OP_ID, PREVIOUS, NEW);

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
    requireMembers(node);
    String command = node.path(COMMAND).isString() ? node.path(COMMAND).asString() : "";
    return switch (command) {
      case "create", "Create" -> withState(node, true);
      case "update", "Update" -> withState(node, false);
      case "remove", "Remove" ->
          isThere(node, NEW) ? removal(withState(node, false)) : removal(node);
      default ->
          throw IndividualParser.wrong(
              "a command is create, update or remove", JsonPointer.member("", COMMAND));
    };
  }

  /// The id that a message would be about, also if it cannot be read.
  public static Optional<String> idOf(JsonNode node) {
    JsonNode named =
        node.has("@id") || !isMessage(node)
            ? node
            : isThere(node, NEW) ? node.path(name(node, NEW)) : node.path(name(node, PREVIOUS));
    if (PlainForm.isPlain(named)) {
      return PlainForm.idOf(named);
    }
    return Optional.of(named.path("@id")).filter(JsonNode::isString).map(JsonNode::asString);
  }

  private static boolean isMessage(JsonNode node) {
    return node.has(COMMAND) || node.has(name(node, NEW)) || node.has(name(node, PREVIOUS));
  }

  /// The name that a message uses for a member.
  private static String name(JsonNode node, String member) {
    String other = OTHER_NAMES.getOrDefault(member, member);
    return node.has(other) ? other : member;
  }

  /// A misspelt member must not pass for one that is not there.
  private static void requireMembers(JsonNode node) {
    for (String name : node.propertyNames()) {
      boolean known = MEMBERS.contains(name) || OTHER_NAMES.containsValue(name);
      if (!known) {
        Problem problem =
            Problem.of(ErrorCode.BAD_REQUEST, "a message has no such member")
                .at(JsonPointer.member("", name));
        throw new VeridexException(
            SpellingSuggestion.nearest(name, MEMBERS)
                .map(near -> problem.with("didYouMean", near))
                .orElse(problem));
      }
    }
    OTHER_NAMES.forEach(
        (one, other) -> {
          if (node.has(one) && node.has(other)) {
            throw IndividualParser.wrong(
                "this is said twice, under two names", JsonPointer.member("", other));
          }
        });
  }

  private static Message withState(JsonNode node, boolean creation) {
    String pointer = JsonPointer.member("", name(node, NEW));
    if (!isThere(node, NEW)) {
      throw IndividualParser.wrong("this command brings a new state", pointer);
    }
    Individual state = IndividualParser.read(node.get(name(node, NEW)), pointer);
    return new Message(opId(node), creation, state.id(), Optional.of(state), pointer);
  }

  private static Message removal(Message message) {
    if (!message.deletes()) {
      throw IndividualParser.wrong(
          "what is removed is not there any more, or deleted", message.pointer());
    }
    return message;
  }

  private static Message removal(JsonNode node) {
    String pointer = JsonPointer.member("", name(node, PREVIOUS));
    if (!node.path(name(node, PREVIOUS)).isObject()) {
      throw IndividualParser.wrong("a removal names what is removed", pointer);
    }
    String id = IndividualParser.id(node.get(name(node, PREVIOUS)), pointer);
    return new Message(opId(node), false, id, Optional.empty(), "");
  }

  private static Optional<Long> opId(JsonNode node) {
    return isThere(node, OP_ID)
        ? Optional.of(
            IndividualParser.whole(
                node.get(name(node, OP_ID)), JsonPointer.member("", name(node, OP_ID))))
        : Optional.empty();
  }

  private static boolean isThere(JsonNode node, String member) {
    String name = name(node, member);
    return node.has(name) && !node.path(name).isNull();
  }
}
