package dev.veridex.access;

import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.MessageParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Makes up histories of statements, in a world so small that they meet all the time.
final class Histories {
  static final List<String> IDS =
      List.of("u", "v", "g", "h", "d", "e", IndexKey.ALL_RESOURCES, "fd");
  static final List<String> FILTERS = List.of("f", "k");
  static final List<String> LOGINS = List.of("ada", "ADA", "bob");
  private static final List<String> FLAGS =
      List.of("v-s:canCreate", "v-s:canRead", "v-s:canUpdate", "v-s:canDelete");

  private final Random random;

  Histories(Random random) {
    this.random = random;
  }

  /// Messages that each have a number of their own, in its order.
  List<JsonNode> numbered(int count) {
    List<JsonNode> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ObjectNode message = message();
      // Some numbers are shared by different individuals.
      long opId = random.nextInt(8) == 0 ? Math.max(1, i) : i + 1;
      message.put("opId", opId);
      if (messages.stream().noneMatch(each -> clashes(each, message))) {
        messages.add(message);
      }
    }
    return messages;
  }

  private static boolean clashes(JsonNode one, JsonNode other) {
    return one.get("opId").equals(other.get("opId")) && idOf(one).equals(idOf(other));
  }

  private static String idOf(JsonNode message) {
    return MessageParser.idOf(message).orElseThrow();
  }

  /// Messages of all kinds, to be delivered in this order.
  List<JsonNode> mixed(int count) {
    List<JsonNode> messages = new ArrayList<>();
    long opId = 0;
    for (int i = 0; i < count; i++) {
      if (!messages.isEmpty() && random.nextInt(8) == 0) {
        messages.add(messages.get(random.nextInt(messages.size())));
        continue;
      }
      ObjectNode message = message();
      switch (random.nextInt(4)) {
        case 0 -> messages.add(message);
        case 1 -> messages.add(bare());
        case 2 -> {
          opId += random.nextInt(3);
          messages.add(message.put("opId", opId));
        }
        default -> messages.add(message.put("opId", random.nextLong(opId + 2)));
      }
    }
    return messages;
  }

  private ObjectNode message() {
    ObjectNode message = JsonNodeFactory.instance.objectNode();
    switch (random.nextInt(10)) {
      case 0 -> {
        message.put("cmd", "remove");
        message.putObject("prevState").put("@id", id());
        message.putNull("newState");
      }
      case 1, 2, 3 -> {
        message.put("cmd", "create");
        message.set("newState", bare());
      }
      default -> {
        message.put("cmd", "update");
        message.set("newState", bare());
      }
    }
    return message;
  }

  private String id() {
    return "i" + random.nextInt(7);
  }

  private ObjectNode bare() {
    ObjectNode state = JsonNodeFactory.instance.objectNode();
    state.put("@id", id());
    switch (random.nextInt(12)) {
      case 0 -> state.put("rdf:type", "v-s:Document");
      case 1 -> {
        state.put("rdf:type", "v-s:Account");
        list(state, "v-s:login", LOGINS);
      }
      case 2, 3 -> {
        state.put("rdf:type", "v-s:PermissionFilter");
        list(state, "v-s:permissionObject", IDS);
        list(state, "v-s:resource", FILTERS);
        filter(state, 4);
      }
      case 4, 5, 6, 7 -> {
        state.put("rdf:type", "v-s:Membership");
        list(state, "v-s:resource", IDS);
        list(state, "v-s:memberOf", IDS);
      }
      default -> {
        state.put("rdf:type", "v-s:PermissionStatement");
        list(state, "v-s:permissionObject", IDS);
        list(state, "v-s:permissionSubject", IDS);
        filter(state, 4);
      }
    }
    flags(state);
    return state;
  }

  private void list(ObjectNode state, String name, List<String> from) {
    if (random.nextInt(3) > 0) {
      state.put(name, from.get(random.nextInt(from.size())));
      return;
    }
    ArrayNode list = state.putArray(name);
    for (int i = random.nextInt(1, 4); i > 0; i--) {
      list.add(from.get(random.nextInt(from.size())));
    }
  }

  private void filter(ObjectNode state, int oneIn) {
    if (random.nextInt(oneIn) == 0) {
      state.put("v-s:useFilter", FILTERS.get(random.nextInt(FILTERS.size())));
    }
  }

  private void flags(ObjectNode state) {
    for (String flag : FLAGS) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> state.put(flag, true);
        case 3 -> state.put(flag, false);
        default -> {}
      }
    }
    for (String flag : List.of("v-s:isExclusive", "v-s:ignoreExclusive")) {
      if (random.nextInt(8) == 0) {
        state.put(flag, random.nextInt(4) > 0);
      }
    }
    if (random.nextInt(4) == 0) {
      state.put("v-s:deleted", random.nextInt(6) > 0);
    }
    if (random.nextInt(3) == 0) {
      state.put("v-s:dropCount", random.nextInt(6) > 0);
    }
    if (random.nextInt(3) == 0) {
      state.put("v-s:updateCounter", random.nextInt(4));
    }
  }
}
