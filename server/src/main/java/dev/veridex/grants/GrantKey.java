package dev.veridex.grants;

import java.util.List;

/// The identity of a grant within its scope: the three parts that its kind names.
public record GrantKey(GrantKind kind, String first, String second, String third) {
  public GrantKey {
    kind.require(List.of(first, second, third));
  }

  /// The key of an approval.
  public static GrantKey approval(String identity, String resource, String action) {
    return new GrantKey(GrantKind.APPROVAL, identity, resource, action);
  }

  /// The key of a relationship.
  public static GrantKey relationship(String subject, String relation, String object) {
    return new GrantKey(GrantKind.RELATIONSHIP, subject, relation, object);
  }

  /// Its parts, in the order of their names.
  public List<String> parts() {
    return List.of(first, second, third);
  }

  /// The part that it is looked up by in reverse: the resource, the object.
  String target() {
    return parts().get(kind.target());
  }
}
