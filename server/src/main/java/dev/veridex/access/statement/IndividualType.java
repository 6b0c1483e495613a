package dev.veridex.access.statement;

import java.util.Optional;

/// The types of individuals that the index knows, in the order in which the first one counts.
public enum IndividualType {
  STATEMENT(
      "v-s:PermissionStatement",
      Optional.of(Prefix.PERMISSION),
      "v-s:permissionObject",
      Optional.of("v-s:permissionSubject"),
      0),
  MEMBERSHIP(
      "v-s:Membership",
      Optional.of(Prefix.MEMBERSHIP),
      "v-s:resource",
      Optional.of("v-s:memberOf"),
      Rights.ALL),
  FILTER(
      "v-s:PermissionFilter",
      Optional.of(Prefix.FILTER),
      "v-s:permissionObject",
      Optional.of("v-s:resource"),
      0),
  ACCOUNT("v-s:Account", Optional.empty(), "v-s:login", Optional.empty(), 0);

  private final String type;
  private final Optional<Prefix> prefix;
  private final String objects;
  private final Optional<String> subjects;
  private final int withoutFlags;

  IndividualType(
      String type,
      Optional<Prefix> prefix,
      String objects,
      Optional<String> subjects,
      int withoutFlags) {
    this.type = type;
    this.prefix = prefix;
    this.objects = objects;
    this.subjects = subjects;
    this.withoutFlags = withoutFlags;
  }

  /// Its `rdf:type`.
  public String type() {
    return type;
  }

  /// Under which records of this kind stand; an account has none.
  Optional<Prefix> prefix() {
    return prefix;
  }

  /// The member that lists what it is about.
  String objects() {
    return objects;
  }

  /// The member that lists whom it names; an account names nobody.
  Optional<String> subjects() {
    return subjects;
  }

  /// The bits it names if no flag is set.
  int withoutFlags() {
    return withoutFlags;
  }

  /// Whether a filter may be named in it.
  boolean takesFilter() {
    return this == STATEMENT || this == FILTER;
  }
}
