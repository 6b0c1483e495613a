package dev.veridex.access.statement;

import dev.veridex.common.Digests;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.Problem;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The short form of individuals, for people: `{"type": "permission", "on": "page", "to": "alice",
/// "allow": "RU"}`.
///
/// It is translated into the individual that says the same; whatever is wrong with it is said in
/// its own words. Unlike an individual it is nobody's foreign format: a member that it does not
/// have is an error.
final class PlainForm {
  private static final String TYPE = "type";
  private static final String ID = "id";
  private static final String ALLOW = "allow";
  private static final String DENY = "deny";
  private static final String FILTER = "filter";
  private static final String DELETED = "deleted";
  private static final String EXCLUSIVE = "exclusive";
  private static final String IGNORE = "ignore";
  private static final String LETTERS = "CRUD";

  /// Half of a digest: nobody ever finds two with the same.
  private static final int ID_BYTES = 16;

  private static final int MAX_TOLD = 60;

  private PlainForm() {}

  /// A type in this form.
  ///
  /// @param objects the member that lists what it is about
  /// @param subjects the member that lists whom it names; empty: it names nobody
  private record PlainType(
      String name, IndividualType type, String objects, String subjects, List<String> more) {
    List<String> members() {
      TreeSet<String> all = new TreeSet<>(List.of(TYPE, ID, DELETED, objects));
      all.addAll(more);
      all.remove("");
      if (!subjects.isEmpty()) {
        all.add(subjects);
      }
      return List.copyOf(all);
    }
  }

  private static final List<PlainType> TYPES =
      List.of(
          new PlainType(
              "permission",
              IndividualType.STATEMENT,
              "on",
              "to",
              List.of(ALLOW, DENY, FILTER, EXCLUSIVE)),
          new PlainType(
              "membership",
              IndividualType.MEMBERSHIP,
              "member",
              "of",
              List.of(ALLOW, DENY, EXCLUSIVE)),
          new PlainType(
              "filter", IndividualType.FILTER, "on", "name", List.of(ALLOW, DENY, EXCLUSIVE)),
          new PlainType("login", IndividualType.ACCOUNT, "login", "", List.of()));

  /// Whether an object is in this form.
  static boolean isPlain(JsonNode node) {
    return node.isObject() && node.has(TYPE) && !node.has("@id") && !node.has("rdf:type");
  }

  /// The individual that says the same.
  ///
  /// @param pointer where it stands
  /// @throws VeridexException `BAD_REQUEST` with a pointer
  static ObjectNode translated(JsonNode plain, String pointer) {
    PlainType type = type(plain, pointer);
    for (String name : plain.propertyNames()) {
      if (!type.members().contains(name)) {
        throw unknown(name, type, pointer);
      }
    }
    boolean deleted = flag(plain, DELETED, pointer);
    ObjectNode individual = JsonNodeFactory.instance.objectNode();
    individual.put("rdf:type", type.type.type());
    list(plain, type.objects, pointer, individual, type.type.objects());
    type.type.subjects().ifPresent(name -> list(plain, type.subjects, pointer, individual, name));
    rights(plain, type, deleted, pointer, individual);
    if (plain.has(FILTER)) {
      individual.put("v-s:useFilter", text(plain, FILTER, pointer));
    }
    exclusive(plain, pointer, individual);
    // Whether it is deleted is no part of what it is: so it is taken back by saying it again.
    individual.put("@id", id(plain, type, pointer, individual));
    if (deleted) {
      individual.put("v-s:deleted", true);
    }
    return individual;
  }

  /// The same problem, of the short form.
  static VeridexException inItsWords(VeridexException e, JsonNode plain, String pointer) {
    PlainType type = type(plain, pointer);
    Map<String, String> names = new LinkedHashMap<>();
    names.put("@id", ID);
    names.put(type.type.objects(), type.objects);
    type.type.subjects().ifPresent(name -> names.put(name, type.subjects));
    names.put("v-s:useFilter", FILTER);
    String at = e.problem().pointer().orElse("");
    for (Map.Entry<String, String> name : names.entrySet()) {
      String theirs = JsonPointer.member(pointer, name.getKey());
      if (at.equals(theirs) || at.startsWith(theirs + "/")) {
        return new VeridexException(
            e.problem()
                .at(JsonPointer.member(pointer, name.getValue()) + at.substring(theirs.length())),
            e);
      }
    }
    return e;
  }

  private static PlainType type(JsonNode plain, String pointer) {
    String given = plain.get(TYPE).isString() ? plain.get(TYPE).asString() : "";
    List<String> names = TYPES.stream().map(PlainType::name).toList();
    return TYPES.stream()
        .filter(type -> type.name.equals(given))
        .findFirst()
        .orElseThrow(
            () ->
                suggesting(
                    Problem.of(
                            ErrorCode.BAD_REQUEST,
                            "The type is one of %s, not %s."
                                .formatted(
                                    String.join(", ", names),
                                    shortened(plain.get(TYPE).toString())))
                        .at(JsonPointer.member(pointer, TYPE)),
                    given,
                    names));
  }

  private static VeridexException unknown(String name, PlainType type, String pointer) {
    return suggesting(
        Problem.of(
                ErrorCode.BAD_REQUEST,
                "A %s has no member \"%s\"; it has %s."
                    .formatted(type.name, shortened(name), String.join(", ", type.members())))
            .at(JsonPointer.member(pointer, name)),
        name,
        type.members());
  }

  /// What was given, as far as a message has room for it.
  private static String shortened(String given) {
    return given.length() <= MAX_TOLD ? given : given.substring(0, MAX_TOLD) + "…";
  }

  private static VeridexException suggesting(Problem problem, String given, List<String> names) {
    return new VeridexException(
        SpellingSuggestion.nearest(given, names)
            .map(near -> problem.with("didYouMean", near))
            .orElse(problem));
  }

  /// The texts of a member, each once, in order: what is said in another order is the same.
  private static void list(
      JsonNode plain, String name, String pointer, ObjectNode individual, String theirs) {
    JsonNode given = plain.get(name);
    if (given == null) {
      return;
    }
    boolean texts =
        given.isString() || (given.isArray() && given.valueStream().allMatch(JsonNode::isString));
    if (!texts) {
      throw IndividualParser.wrong(
          "\"%s\" is a text or a list of texts.".formatted(name),
          JsonPointer.member(pointer, name));
    }
    TreeSet<String> values = new TreeSet<>();
    if (given.isString()) {
      values.add(given.asString());
    } else {
      given.forEach(each -> values.add(each.asString()));
    }
    ArrayNode list = individual.putArray(theirs);
    values.forEach(list::add);
  }

  private static void rights(
      JsonNode plain, PlainType type, boolean deleted, String pointer, ObjectNode individual) {
    String allow = letters(plain, ALLOW, pointer);
    String deny = letters(plain, DENY, pointer);
    boolean needed = type.type == IndividualType.STATEMENT || type.type == IndividualType.FILTER;
    if (needed && !deleted && !plain.has(ALLOW) && !plain.has(DENY)) {
      throw IndividualParser.wrong(
          "A %s says what to allow or to deny: some of the letters C, R, U, D, as in \"RU\"."
              .formatted(type.name),
          JsonPointer.member(pointer, ALLOW));
    }
    for (int i = 0; i < LETTERS.length(); i++) {
      char letter = LETTERS.charAt(i);
      boolean allowed = allow.indexOf(letter) >= 0;
      boolean denied = deny.indexOf(letter) >= 0;
      if (allowed && denied) {
        throw IndividualParser.wrong(
            "%s cannot be both allowed and denied.".formatted(letter),
            JsonPointer.member(pointer, DENY));
      }
      if (allowed || denied) {
        individual.put(IndividualParser.FLAGS.get(i), allowed);
      }
    }
  }

  private static String letters(JsonNode plain, String name, String pointer) {
    String given = plain.has(name) ? text(plain, name, pointer) : "";
    if (given.chars().anyMatch(letter -> LETTERS.indexOf(letter) < 0)) {
      throw IndividualParser.wrong(
          "Rights are some of the letters C, R, U, D, as in \"RU\", not \"%s\"."
              .formatted(shortened(given)),
          JsonPointer.member(pointer, name));
    }
    return given;
  }

  private static void exclusive(JsonNode plain, String pointer, ObjectNode individual) {
    JsonNode given = plain.get(EXCLUSIVE);
    if (given == null) {
      return;
    }
    if (given.isString() && given.asString().equals(IGNORE)) {
      individual.put("v-s:ignoreExclusive", true);
    } else if (given.isBoolean()) {
      if (given.asBoolean()) {
        individual.put("v-s:isExclusive", true);
      }
    } else {
      throw IndividualParser.wrong(
          "\"exclusive\" is true, false or \"ignore\".", JsonPointer.member(pointer, EXCLUSIVE));
    }
  }

  /// The id that was given; or one that follows from all that is said.
  private static String id(JsonNode plain, PlainType type, String pointer, ObjectNode individual) {
    if (plain.has(ID)) {
      return text(plain, ID, pointer);
    }
    boolean whole =
        individual.path(type.type.objects()).size() > 0
            && type.type.subjects().map(name -> individual.path(name).size() > 0).orElse(true);
    if (type.type == IndividualType.ACCOUNT || !whole) {
      throw IndividualParser.wrong(
          type.type == IndividualType.ACCOUNT
              ? "A login has the id of its account."
              : "A %s has an \"id\", or \"%s\" and \"%s\" from which one follows."
                  .formatted(type.name, type.objects, type.subjects),
          JsonPointer.member(pointer, ID));
    }
    // Its members are in a fixed order here, its lists are sorted.
    byte[] digest = Digests.sha256(individual.toString().getBytes(StandardCharsets.UTF_8));
    return "%s-%s".formatted(type.name, HexFormat.of().formatHex(Arrays.copyOf(digest, ID_BYTES)));
  }

  private static boolean flag(JsonNode plain, String name, String pointer) {
    JsonNode given = plain.get(name);
    if (given != null && !given.isBoolean()) {
      throw IndividualParser.wrong(
          "\"%s\" is true or false.".formatted(name), JsonPointer.member(pointer, name));
    }
    return given != null && given.asBoolean();
  }

  private static String text(JsonNode plain, String name, String pointer) {
    if (!plain.get(name).isString()) {
      throw IndividualParser.wrong(
          "\"%s\" is a text.".formatted(name), JsonPointer.member(pointer, name));
    }
    return plain.get(name).asString();
  }

  /// The id of one of which nothing else has to be right.
  static Optional<String> idOf(JsonNode plain) {
    try {
      return Optional.of(translated(plain, "").get("@id").asString());
    } catch (VeridexException e) {
      return Optional.of(plain.path(ID)).filter(JsonNode::isString).map(JsonNode::asString);
    }
  }
}
