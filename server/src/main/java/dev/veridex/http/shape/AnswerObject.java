package dev.veridex.http.shape;

import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The members of an object that an answer will bring.
public final class AnswerObject {
  private final Shape<?> shape;
  private final ObjectNode object = JsonNodeFactory.instance.objectNode();

  AnswerObject(Shape<?> shape) {
    this.shape = shape;
  }

  public <T> AnswerObject put(Member<T> member, T value) {
    if (!shape.members().contains(member)) {
      throw new IllegalStateException(member.name() + " is not declared in " + shape.name());
    }
    object.set(member.name(), member.type().writing().apply(value));
    return this;
  }

  public <T> AnswerObject put(Member<T> member, Optional<T> value) {
    value.ifPresent(present -> put(member, present));
    return this;
  }

  ObjectNode finish() {
    for (Member<?> member : shape.members()) {
      if (member.required() && !object.has(member.name())) {
        throw new IllegalStateException(member.name() + " is missing in " + shape.name());
      }
    }
    return object;
  }
}
