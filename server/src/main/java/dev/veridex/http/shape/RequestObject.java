package dev.veridex.http.shape;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// The members of an object that a request brought.
public final class RequestObject {
  private final Shape<?> shape;
  private final JsonNode object;
  private final String pointer;

  RequestObject(Shape<?> shape, JsonNode object, String pointer) {
    this.shape = shape;
    this.object = object;
    this.pointer = pointer;
  }

  /// The members that were given, in the order of their declaration.
  public List<Member<?>> members() {
    return shape.members().stream().filter(member -> object.hasNonNull(member.name())).toList();
  }

  /// A required member.
  public <T> T get(Member<T> member) {
    return find(member)
        .orElseThrow(() -> Type.wrong("this member is missing", pointer + "/" + member.name()));
  }

  /// A member that may be absent; `null` is absent, too.
  public <T> Optional<T> find(Member<T> member) {
    if (!shape.members().contains(member)) {
      throw new IllegalStateException(member.name() + " is not declared in " + shape.name());
    }
    JsonNode node = object.get(member.name());
    return node == null || node.isNull()
        ? Optional.empty()
        : Optional.of(member.type().reading().read(node, pointer + "/" + member.name()));
  }
}
