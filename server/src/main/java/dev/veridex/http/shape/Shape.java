package dev.veridex.http.shape;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.Problem;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The shape of a JSON object: its members, and how a value is made of them or they of a value.
///
/// Unknown members are refused when reading, but for foreign formats; when writing, a member that
/// is not declared, or a required one that is not written, is a fault of ours.
public final class Shape<T> {
  private final String name;
  private final List<Member<?>> members;
  private final Function<RequestObject, T> reading;
  private final BiConsumer<T, AnswerObject> writing;
  private final Set<Member<?>> notNull;
  private final boolean foreign;

  private Shape(
      String name,
      List<Member<?>> members,
      Function<RequestObject, T> reading,
      BiConsumer<T, AnswerObject> writing,
      Set<Member<?>> notNull,
      boolean foreign) {
    this.notNull = notNull;
    this.foreign = foreign;
    this.name = name;
    this.members = List.copyOf(members);
    this.reading = reading;
    this.writing = writing;
  }

  /// The shape of something that requests and answers bring.
  public static <T> Shape<T> of(
      String name,
      List<Member<?>> members,
      Function<RequestObject, T> reading,
      BiConsumer<T, AnswerObject> writing) {
    return new Shape<>(name, members, reading, writing, Set.of(), false);
  }

  /// The shape of something that requests bring.
  public static <T> Shape<T> in(
      String name, List<Member<?>> members, Function<RequestObject, T> reading) {
    return new Shape<>(
        name,
        members,
        reading,
        (_, _) -> {
          throw new UnsupportedOperationException(name + " is never answered");
        },
        Set.of(),
        false);
  }

  /// The shape of something that answers bring.
  public static <T> Shape<T> out(
      String name, List<Member<?>> members, BiConsumer<T, AnswerObject> writing) {
    return new Shape<>(
        name,
        members,
        _ -> {
          throw new UnsupportedOperationException(name + " is never asked");
        },
        writing,
        Set.of(),
        false);
  }

  /// The same, in which some members are never `null`: where absent means something else than
  /// nobody, `null` might be meant as either.
  public Shape<T> withoutNull(Member<?>... some) {
    return new Shape<>(name, members, reading, writing, Set.of(some), foreign);
  }

  /// The same for a format that is not ours, in which unknown members are left alone.
  public Shape<T> foreign() {
    return new Shape<>(name, members, reading, writing, notNull, true);
  }

  /// Its name in the API's description.
  public String name() {
    return name;
  }

  public List<Member<?>> members() {
    return members;
  }

  /// The shapes of the objects inside it.
  public List<Shape<?>> parts() {
    return members.stream().<Shape<?>>flatMap(member -> member.type().part().stream()).toList();
  }

  T read(JsonNode node, String pointer) {
    if (!node.isObject()) {
      throw Type.wrong("an object is expected here", pointer);
    }
    for (String given : node.propertyNames()) {
      if (!foreign && members.stream().noneMatch(member -> member.name().equals(given))) {
        throw new VeridexException(unknown(given, pointer));
      }
    }
    for (Member<?> member : notNull) {
      if (node.path(member.name()).isNull()) {
        throw Type.wrong("null is no value here", pointer + "/" + member.name());
      }
    }
    return reading.apply(new RequestObject(this, node, pointer));
  }

  private Problem unknown(String given, String pointer) {
    Problem problem =
        Problem.of(ErrorCode.BAD_REQUEST, "there is no such member")
            .at(pointer + "/" + JsonPointer.escape(given));
    return SpellingSuggestion.nearest(given, members.stream().map(Member::name).toList())
        .map(near -> problem.with("didYouMean", near))
        .orElse(problem);
  }

  ObjectNode write(T value) {
    AnswerObject written = new AnswerObject(this);
    writing.accept(value, written);
    return written.finish();
  }

  /// Its JSON Schema.
  public ObjectNode schema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    ArrayNode required = JsonNodeFactory.instance.arrayNode();
    for (Member<?> member : members) {
      // A reference with a sibling is allowed since JSON Schema 2020-12, which OpenAPI 3.1 uses.
      ObjectNode described = member.type().schema().deepCopy();
      properties.set(member.name(), described.put("description", member.description()));
      if (member.required()) {
        required.add(member.name());
      }
    }
    if (!required.isEmpty()) {
      schema.set("required", required);
    }
    return schema.put("additionalProperties", foreign);
  }
}
