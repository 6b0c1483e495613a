package dev.veridex.access.statement;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.records.JsonRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Reads individuals, completely and before anything is written: whatever is wrong with one is said
/// with a pointer to it.
///
/// It is a foreign format: members that mean nothing here are kept and ignored.
public final class IndividualParser {
  /// The most bytes of an id or of the name of a filter.
  public static final int MAX_ID_BYTES = 1100;

  /// The most records that one individual may name.
  public static final int MAX_TUPLES = 100_000;

  private static final String ID = "@id";
  private static final String TYPE = "rdf:type";
  private static final String USE_FILTER = "v-s:useFilter";
  private static final String DELETED = "v-s:deleted";
  private static final String DROP_COUNT = "v-s:dropCount";
  private static final String UPDATE_COUNTER = "v-s:updateCounter";
  private static final String IS_EXCLUSIVE = "v-s:isExclusive";
  private static final String IGNORE_EXCLUSIVE = "v-s:ignoreExclusive";

  /// In the order of their bits.
  static final List<String> FLAGS =
      List.of("v-s:canCreate", "v-s:canRead", "v-s:canUpdate", "v-s:canDelete");

  private IndividualParser() {}

  /// Reads what [#read] once accepted and the ledger kept.
  public static Individual stored(byte[] content) {
    return readLong(JsonRecord.read(content), "");
  }

  /// Reads one, in the long form or in the short one.
  ///
  /// @param pointer where it stands in its message
  /// @throws VeridexException `BAD_REQUEST` with a pointer
  public static Individual read(JsonNode node, String pointer) {
    if (!PlainForm.isPlain(node)) {
      return readLong(node, pointer);
    }
    ObjectNode translated = PlainForm.translated(node, pointer);
    try {
      return readLong(translated, pointer);
    } catch (VeridexException e) {
      throw PlainForm.inItsWords(e, node, pointer);
    }
  }

  private static Individual readLong(JsonNode node, String pointer) {
    if (!node.isObject()) {
      throw wrong("an individual is an object", pointer);
    }
    String id = id(node, pointer);
    Optional<IndividualType> kind = kind(node, pointer);
    boolean deleted = flag(node, DELETED, pointer).orElse(false);
    Optional<Long> updateCounter = counter(node, pointer);
    if (kind.isEmpty()) {
      return new Individual(
          id,
          kind,
          List.of(),
          List.of(),
          0,
          Marker.NONE,
          deleted,
          false,
          updateCounter,
          canonical(node, pointer));
    }
    List<String> objects = list(node, kind.get().objects(), deleted, pointer);
    List<String> subjects =
        kind.get().subjects().map(name -> list(node, name, deleted, pointer)).orElse(List.of());
    String filter = kind.get().takesFilter() ? text(node, USE_FILTER, pointer).orElse("") : "";
    checkSize(objects, subjects, pointer);
    boolean account = kind.get() == IndividualType.ACCOUNT;
    return new Individual(
        id,
        kind,
        kind.get()
            .prefix()
            .map(prefix -> names(prefix, filter, objects, subjects))
            .orElse(List.of()),
        account && !deleted ? lowerCase(objects) : List.of(),
        account ? 0 : bits(node, kind.get(), pointer),
        account ? Marker.NONE : marker(node, pointer),
        deleted,
        !account && flag(node, DROP_COUNT, pointer).orElse(false),
        updateCounter,
        canonical(node, pointer));
  }

  private static List<RecordId> names(
      Prefix prefix, String filter, List<String> objects, List<String> subjects) {
    List<RecordId> names = new ArrayList<>(objects.size() * subjects.size());
    for (String object : objects) {
      IndexKey key = new IndexKey(prefix, filter, object);
      for (String subject : subjects) {
        names.add(new RecordId(key, subject));
      }
    }
    return names;
  }

  /// The id of an individual of which nothing else has to be right.
  static String id(JsonNode node, String pointer) {
    if (PlainForm.isPlain(node)) {
      return PlainForm.translated(node, pointer).get(ID).asString();
    }
    String id =
        text(node, ID, pointer)
            .orElseThrow(() -> wrong("an individual has an id", JsonPointer.member(pointer, ID)));
    if (id.isEmpty()) {
      throw wrong("an id is not empty", JsonPointer.member(pointer, ID));
    }
    return id;
  }

  /// A login as it is looked up.
  public static String lowerCase(String login) {
    return login.toLowerCase(Locale.ROOT);
  }

  private static List<String> lowerCase(List<String> logins) {
    return logins.stream().map(IndividualParser::lowerCase).distinct().toList();
  }

  private static Optional<IndividualType> kind(JsonNode node, String pointer) {
    List<String> types = values(node, TYPE, pointer);
    if (types.isEmpty()) {
      throw wrong("an individual has a type", JsonPointer.member(pointer, TYPE));
    }
    for (IndividualType kind : IndividualType.values()) {
      if (types.contains(kind.type())) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  private static List<String> list(JsonNode node, String name, boolean deleted, String pointer) {
    List<String> values = values(node, name, pointer);
    if (values.isEmpty() && !deleted) {
      throw wrong(
          "an individual of this type names something here", JsonPointer.member(pointer, name));
    }
    return values;
  }

  /// The texts of a member that is one text or a list of them, each once, none of them empty.
  private static List<String> values(JsonNode node, String name, String pointer) {
    JsonNode given = node.get(name);
    if (given == null) {
      return List.of();
    }
    if (!given.isArray()) {
      String one = text(given, JsonPointer.member(pointer, name));
      return one.isEmpty() ? List.of() : List.of(one);
    }
    Set<String> values = new LinkedHashSet<>();
    for (int i = 0; i < given.size(); i++) {
      values.add(text(given.get(i), JsonPointer.member(pointer, name) + "/" + i));
    }
    values.remove("");
    return List.copyOf(values);
  }

  private static int bits(JsonNode node, IndividualType kind, String pointer) {
    int bits = 0;
    for (int i = 0; i < FLAGS.size(); i++) {
      Optional<Boolean> flag = flag(node, FLAGS.get(i), pointer);
      if (flag.isPresent()) {
        bits |= flag.get() ? 1 << i : Rights.denial(1 << i);
      }
    }
    return bits == 0 ? kind.withoutFlags() : bits;
  }

  /// Within one individual, exclusive wins.
  private static Marker marker(JsonNode node, String pointer) {
    boolean exclusive = flag(node, IS_EXCLUSIVE, pointer).orElse(false);
    boolean ignores = flag(node, IGNORE_EXCLUSIVE, pointer).orElse(false);
    if (exclusive) {
      return Marker.EXCLUSIVE;
    }
    return ignores ? Marker.IGNORES_EXCLUSIVE : Marker.NONE;
  }

  private static Optional<Boolean> flag(JsonNode node, String name, String pointer) {
    JsonNode given = node.get(name);
    if (given == null) {
      return Optional.empty();
    }
    if (!given.isBoolean()) {
      throw wrong("true or false is expected here", JsonPointer.member(pointer, name));
    }
    return Optional.of(given.asBoolean());
  }

  private static Optional<Long> counter(JsonNode node, String pointer) {
    JsonNode given = node.get(UPDATE_COUNTER);
    if (given == null) {
      return Optional.empty();
    }
    return Optional.of(whole(given, JsonPointer.member(pointer, UPDATE_COUNTER)));
  }

  /// A whole number that is not negative.
  static long whole(JsonNode given, String pointer) {
    if (!given.isIntegralNumber() || !given.canConvertToLong() || given.asLong() < 0) {
      throw wrong("a whole number of 0 or more is expected here", pointer);
    }
    return given.asLong();
  }

  private static Optional<String> text(JsonNode node, String name, String pointer) {
    JsonNode given = node.get(name);
    return given == null
        ? Optional.empty()
        : Optional.of(text(given, JsonPointer.member(pointer, name)));
  }

  private static String text(JsonNode given, String pointer) {
    if (!given.isString()) {
      throw wrong("a text is expected here", pointer);
    }
    String text = given.asString();
    if (text.indexOf('\0') >= 0 || !KeyWriter.isWellFormed(text)) {
      throw wrong("ids are well-formed text without NUL", pointer);
    }
    if (utf8Length(text) > MAX_ID_BYTES) {
      throw wrong("ids take at most 1100 bytes", pointer);
    }
    return text;
  }

  /// How many bytes a text takes.
  public static int utf8Length(String text) {
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // Each half of a surrogate pair stands for two of the four bytes.
      length += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
    return length;
  }

  private static void checkSize(List<String> objects, List<String> subjects, String pointer) {
    long tuples = (long) objects.size() * Math.max(1, subjects.size());
    if (tuples > MAX_TUPLES) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "an individual names too many records")
              .at(pointer)
              .with("tuples", tuples)
              .with("max", MAX_TUPLES));
    }
  }

  /// The bytes of an individual: the same for the same members in another order. What cannot be
  /// written cannot be read again, so all of it has to be well-formed, also what means nothing
  /// here.
  private static byte[] canonical(JsonNode node, String pointer) {
    return JsonRecord.bytes((ObjectNode) sorted(node, pointer));
  }

  private static JsonNode sorted(JsonNode node, String pointer) {
    if (node.isObject()) {
      ObjectNode object = JsonNodeFactory.instance.objectNode();
      List<String> names = new ArrayList<>(node.propertyNames());
      names.sort(Comparator.naturalOrder());
      for (String name : names) {
        checkWellFormed(name, pointer);
        object.set(name, sorted(node.get(name), pointer));
      }
      return object;
    }
    if (node.isArray()) {
      ArrayNode array = JsonNodeFactory.instance.arrayNode(node.size());
      node.forEach(element -> array.add(sorted(element, pointer)));
      return array;
    }
    if (node.isString()) {
      checkWellFormed(node.asString(), pointer);
    }
    return node;
  }

  private static void checkWellFormed(String text, String pointer) {
    if (!KeyWriter.isWellFormed(text)) {
      throw wrong("half of a surrogate pair is not text", pointer);
    }
  }

  static VeridexException wrong(String detail, String pointer) {
    return new VeridexException(Problem.of(ErrorCode.BAD_REQUEST, detail).at(pointer));
  }
}
