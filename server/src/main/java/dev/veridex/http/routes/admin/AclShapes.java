package dev.veridex.http.routes.admin;

import dev.veridex.acl.Acl;
import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.Acl.Condition;
import dev.veridex.acl.Acl.Entry;
import dev.veridex.common.JsonPointer;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.RequestObject;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.tenancy.BucketCreators;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// ACLs and lists of their entries.
final class AclShapes {
  private static final Pattern SIGNATURE = Pattern.compile("[0-9a-f]{40}");
  private static final Pattern TYPE = Pattern.compile("[a-z]{1,64}|\\*");

  private static final Type<String> SIGNATURE_TYPE =
      new Type<>(
          JsonNodeFactory.instance
              .objectNode()
              .put("type", "string")
              .put("pattern", "^[0-9a-f]{40}$"),
          (node, pointer) -> {
            if (!node.isString() || !SIGNATURE.matcher(node.asString()).matches()) {
              throw Type.wrong("a service's signature is 40 characters of 0-9 and a-f", pointer);
            }
            return node.asString();
          },
          JsonNodeFactory.instance::stringNode,
          JsonNodeFactory.instance::stringNode,
          Optional.empty());

  private static final Type<Entry> ENTRY = Type.object(entry());

  private static final Type<List<Entry>> ENTRIES = Type.list(ENTRY);

  private static final Map<Action, Member<List<Entry>>> ACTIONS = actions();

  private static final Shape<Acl> SHAPE =
      Shape.of(
              "Acl",
              List.copyOf(ACTIONS.values()),
              AclShapes::read,
              (acl, out) ->
                  ACTIONS.forEach(
                      (action, member) ->
                          out.put(member, Optional.ofNullable(acl.entries().get(action)))))
          .withoutNull(ACTIONS.values().toArray(Member[]::new));

  /// The type of an ACL.
  static final Type<Acl> ACL = Type.object(SHAPE);

  /// A list of entries, or one for each type of buckets.
  static final Type<BucketCreators> CREATORS =
      new Type<>(
          creatorsSchema(),
          AclShapes::readCreators,
          AclShapes::writeCreators,
          JsonNodeFactory.instance::stringNode,
          ENTRIES.part());

  private AclShapes() {}

  private static Shape<Condition> condition(String name, Type<String> type) {
    Member<List<String>> oneOf =
        Member.optional("oneOf", Type.list(type), "one of these is needed; none: nobody");
    Member<List<String>> allOf =
        Member.optional("allOf", Type.list(type), "all of these are needed; none: nobody");
    return Shape.of(
            name,
            List.of(oneOf, allOf),
            given -> new Condition(given.find(oneOf), given.find(allOf)),
            (condition, out) -> out.put(oneOf, condition.oneOf()).put(allOf, condition.allOf()))
        .withoutNull(oneOf, allOf);
  }

  private static Shape<Entry> entry() {
    Member<Condition> groups =
        Member.optional(
            "userGroups",
            Type.object(condition("GroupCondition", Type.ID)),
            "groups of the caller; * is everybody, whoever brings no token among them");
    Member<Condition> signatures =
        Member.optional(
            "serviceSignatures",
            Type.object(condition("SignatureCondition", SIGNATURE_TYPE)),
            "signatures of services that the request proves");
    return Shape.of(
            "AclEntry",
            List.of(groups, signatures),
            given -> new Entry(given.find(groups), given.find(signatures)),
            (entry, out) ->
                out.put(groups, entry.userGroups()).put(signatures, entry.serviceSignatures()))
        .withoutNull(groups, signatures);
  }

  private static Map<Action, Member<List<Entry>>> actions() {
    Map<Action, Member<List<Entry>>> members = new EnumMap<>(Action.class);
    Arrays.stream(Action.values())
        .forEach(
            action -> members.put(action, Member.optional(action.text(), ENTRIES, who(action))));
    return members;
  }

  private static String who(Action action) {
    return switch (action) {
      case READ, WRITE -> "who may; absent or empty: nobody";
      case DELETE -> "who may; absent: whoever may write";
      case ADMIN -> "who may see and change its settings; absent: the account's owner";
    };
  }

  private static Acl read(RequestObject given) {
    Map<Action, List<Entry>> entries = new EnumMap<>(Action.class);
    ACTIONS.forEach(
        (action, member) -> given.find(member).ifPresent(list -> entries.put(action, list)));
    return new Acl(entries);
  }

  private static BucketCreators readCreators(JsonNode node, String pointer) {
    if (node.isArray()) {
      return new BucketCreators(Optional.of(ENTRIES.reading().read(node, pointer)), Map.of());
    }
    if (!node.isObject()) {
      throw Type.wrong("a list of entries is expected here, or one for each type", pointer);
    }
    Map<String, List<Entry>> byType = new TreeMap<>();
    for (Map.Entry<String, JsonNode> type : node.properties()) {
      String at = pointer + "/" + JsonPointer.escape(type.getKey());
      if (!TYPE.matcher(type.getKey()).matches()) {
        throw Type.wrong("a type of buckets or * is expected here", at);
      }
      byType.put(type.getKey(), ENTRIES.reading().read(type.getValue(), at));
    }
    Optional<List<Entry>> every = Optional.ofNullable(byType.remove(BucketCreators.EVERY_TYPE));
    return new BucketCreators(every, byType);
  }

  private static JsonNode writeCreators(BucketCreators creators) {
    if (creators.byType().isEmpty() && creators.everyType().isPresent()) {
      return ENTRIES.writing().apply(creators.everyType().get());
    }
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    creators
        .everyType()
        .ifPresent(list -> object.set(BucketCreators.EVERY_TYPE, ENTRIES.writing().apply(list)));
    creators.byType().forEach((type, list) -> object.set(type, ENTRIES.writing().apply(list)));
    return object;
  }

  private static ObjectNode creatorsSchema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    ObjectNode byType = JsonNodeFactory.instance.objectNode().put("type", "object");
    byType.set("additionalProperties", ENTRIES.schema());
    schema.putArray("oneOf").add(ENTRIES.schema()).add(byType);
    return schema;
  }
}
