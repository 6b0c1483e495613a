package dev.veridex.access;

import dev.veridex.access.statement.IndexKey;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Makes up worlds of users, groups and documents, some of them in folders of an object store, that
/// look like those of real life, with every special case now and then.
public final class Worlds {
  public static final String BUCKET = "b";
  private static final List<String> USERS =
      List.of("u1", "u2", "u3", "ü4", "\uD83D\uDE00", "\uFF5E");
  private static final List<String> GROUPS = List.of("g1", "g2", "g3", "g4", "g5");
  private static final List<String> SETS = List.of("s1", "s2", "s3", "bucket:b");
  private static final List<String> DOCUMENTS =
      List.of("d1", "d2", "d3", "d4", "s3://b/a/x", "s3://b/a/", "s3://b/", "s3://b/y", "\uE000");

  /// What one is hardly ever in.
  private static final List<String> ODD =
      List.of("g1", "g2", "g3", "bucket:b", "s1", "d1", "d2", IndexKey.ALL_RESOURCES);

  private static final List<String> FILTERS = List.of("f1", "f2");
  private static final List<String> FLAGS =
      List.of("v-s:canCreate", "v-s:canRead", "v-s:canUpdate", "v-s:canDelete");

  private final Random random;
  private final int special;

  public Worlds(Random random) {
    this.random = random;
    // In some worlds nearly everything is plain, in others hardly anything.
    this.special = random.nextInt(1, 12);
  }

  public List<String> subjects() {
    List<String> subjects = new ArrayList<>(USERS);
    subjects.addAll(List.of("g1", "g3", "s1", "d1", "cfg:VedaSystem", "nobody"));
    return subjects;
  }

  public List<String> resources() {
    Set<String> resources = new LinkedHashSet<>(DOCUMENTS);
    resources.addAll(SETS);
    resources.addAll(GROUPS);
    resources.addAll(USERS);
    resources.add(IndexKey.ALL_RESOURCES);
    resources.add("nothing");
    return List.copyOf(resources);
  }

  List<Optional<String>> filters() {
    return List.of(Optional.empty(), Optional.of("f1"));
  }

  /// All whom a record could name.
  public List<String> everybody() {
    Set<String> all = new LinkedHashSet<>(resources());
    all.addAll(subjects());
    all.addAll(FILTERS);
    return List.copyOf(all);
  }

  public List<JsonNode> messages(int count) {
    List<JsonNode> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ObjectNode state = state();
      ObjectNode message = JsonNodeFactory.instance.objectNode();
      message.put("cmd", "update").put("opId", i + 1).set("newState", state);
      messages.add(message);
    }
    return messages;
  }

  private ObjectNode state() {
    ObjectNode state = JsonNodeFactory.instance.objectNode();
    state.put("@id", "i" + random.nextInt(30));
    switch (random.nextInt(10)) {
      case 0 -> {
        state.put("rdf:type", "v-s:PermissionFilter");
        list(state, "v-s:permissionObject", DOCUMENTS, SETS);
        list(state, "v-s:resource", FILTERS, FILTERS);
        maybe(state, "v-s:useFilter");
      }
      case 1, 2, 3 -> {
        state.put("rdf:type", "v-s:Membership");
        list(state, "v-s:resource", USERS, GROUPS);
        list(state, "v-s:memberOf", GROUPS, ODD);
      }
      case 4, 5 -> {
        state.put("rdf:type", "v-s:Membership");
        list(state, "v-s:resource", DOCUMENTS, SETS);
        list(state, "v-s:memberOf", SETS, random.nextBoolean() ? GROUPS : ODD);
      }
      default -> {
        state.put("rdf:type", "v-s:PermissionStatement");
        list(state, "v-s:permissionObject", DOCUMENTS, random.nextBoolean() ? SETS : GROUPS);
        list(state, "v-s:permissionSubject", USERS, GROUPS);
        if (random.nextInt(6) == 0) {
          state.put(
              "v-s:permissionObject", random.nextBoolean() ? IndexKey.ALL_RESOURCES : "bucket:b");
        }
        maybe(state, "v-s:useFilter");
      }
    }
    flags(state);
    return state;
  }

  private void list(ObjectNode state, String name, List<String> some, List<String> others) {
    ArrayNode list = state.putArray(name);
    for (int i = random.nextInt(1, 3); i > 0; i--) {
      List<String> from = random.nextInt(3) == 0 ? others : some;
      list.add(from.get(random.nextInt(from.size())));
    }
  }

  private void maybe(ObjectNode state, String name) {
    if (random.nextInt(4) == 0) {
      state.put(name, FILTERS.get(random.nextInt(FILTERS.size())));
    }
  }

  private void flags(ObjectNode state) {
    for (String flag : FLAGS) {
      if (random.nextInt(2) == 0) {
        state.put(flag, random.nextInt(special) > 0 || random.nextInt(3) > 0);
      }
    }
    if (random.nextInt(2 * special) == 0) {
      state.put(random.nextBoolean() ? "v-s:isExclusive" : "v-s:ignoreExclusive", true);
    }
    if (random.nextInt(10) == 0) {
      state.put("v-s:deleted", true);
    }
    if (random.nextInt(20) == 0) {
      state.put("v-s:dropCount", true);
    }
  }
}
