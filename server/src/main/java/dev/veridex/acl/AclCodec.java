package dev.veridex.acl;

import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.Acl.Condition;
import dev.veridex.acl.Acl.Entry;
import dev.veridex.records.JsonRecord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The stored form of ACLs, a part of other records.
public final class AclCodec {
  private static final String GROUPS = "userGroups";
  private static final String SIGNATURES = "serviceSignatures";
  private static final String ONE_OF = "oneOf";
  private static final String ALL_OF = "allOf";

  private AclCodec() {}

  /// Writes an ACL as a member of a record.
  public static void put(ObjectNode record, String name, Optional<Acl> acl) {
    acl.ifPresent(
        present -> {
          ObjectNode object = record.putObject(name);
          present
              .entries()
              .forEach((action, entries) -> put(object.putArray(action.text()), entries));
        });
  }

  /// The ACL in a member of a record.
  public static Optional<Acl> read(JsonNode record, String name) {
    JsonNode object = record.path(name);
    if (object.isMissingNode()) {
      return Optional.empty();
    }
    Map<Action, List<Entry>> entries = new EnumMap<>(Action.class);
    for (Action action : Action.values()) {
      if (object.has(action.text())) {
        entries.put(action, entries(object.get(action.text())));
      }
    }
    return Optional.of(new Acl(entries));
  }

  public static void put(ArrayNode array, List<Entry> entries) {
    for (Entry entry : entries) {
      ObjectNode object = array.addObject();
      entry.userGroups().ifPresent(groups -> put(object.putObject(GROUPS), groups));
      entry.serviceSignatures().ifPresent(wanted -> put(object.putObject(SIGNATURES), wanted));
    }
  }

  private static void put(ObjectNode object, Condition condition) {
    condition.oneOf().ifPresent(names -> JsonRecord.put(object, ONE_OF, names));
    condition.allOf().ifPresent(names -> JsonRecord.put(object, ALL_OF, names));
  }

  public static List<Entry> entries(JsonNode array) {
    List<Entry> entries = new ArrayList<>();
    for (JsonNode entry : array) {
      entries.add(new Entry(condition(entry, GROUPS), condition(entry, SIGNATURES)));
    }
    return entries;
  }

  private static Optional<Condition> condition(JsonNode entry, String name) {
    return Optional.ofNullable(entry.get(name))
        .map(condition -> new Condition(names(condition, ONE_OF), names(condition, ALL_OF)));
  }

  private static Optional<List<String>> names(JsonNode condition, String name) {
    return condition.has(name) ? Optional.of(JsonRecord.texts(condition, name)) : Optional.empty();
  }
}
