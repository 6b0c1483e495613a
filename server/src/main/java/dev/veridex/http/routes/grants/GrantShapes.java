package dev.veridex.http.routes.grants;

import dev.veridex.common.Scope;
import dev.veridex.grants.Grant;
import dev.veridex.grants.GrantKind;
import dev.veridex.grants.GrantReader;
import dev.veridex.grants.RelationType;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.RequestObject;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// JSON shapes of grants of one kind. Both kinds differ in the names of their parts.
final class GrantShapes {
  private static final long MAX_SECONDS = Long.MAX_VALUE / 1_000_000_000;

  static final Member<Scope> SCOPE =
      Member.optional("scope", Type.SCOPE, "the scope it is about; it may stand in the query, too");
  static final Member<Long> TTL =
      Member.optional(
          "ttlSeconds",
          Type.whole(-MAX_SECONDS, MAX_SECONDS),
          "how long it lives; absent: as the TTL policy of its scope says");
  static final Member<Instant> EXPIRES_AT =
      Member.optional("expiresAt", Type.TIME, "from when on it is not there");
  private static final Member<String> TYPE =
      Member.optional(
          "type",
          Type.TEXT,
          "role (if absent), trust, membership, ownership, delegation or custom:{name}");
  private static final Member<Map<String, String>> METADATA =
      Member.optional("metadata", Type.TEXTS, "up to 64 texts by name, 1 MiB in all");
  private static final Member<Instant> GRANTED_AT =
      Member.required("grantedAt", Type.TIME, "since when it has been there");
  private static final Member<Instant> CREATED_AT =
      Member.required("createdAt", Type.TIME, "since when it has been there");
  private static final Member<String> GRANTED_BY =
      Member.required("grantedBy", Type.TEXT, "the subject of its grantor, or a token's id");
  private static final Member<String> CREATED_BY =
      Member.required("createdBy", Type.TEXT, "the subject who made it, or a token's id");
  private static final Member<Scope> OF =
      Member.required("scope", Type.SCOPE, "the scope that it is in");
  private static final Member<Boolean> EXPIRED =
      Member.optional("expired", Type.BOOLEAN, "true if it is over and only not forgotten yet");
  static final Member<Boolean> GRANTED =
      Member.required("granted", Type.BOOLEAN, "whether it is there");

  private final GrantKind kind;
  private final Member<String> first;
  private final Member<String> second;
  private final Member<String> third;

  GrantShapes(GrantKind kind) {
    this.kind = kind;
    this.first = part(0);
    this.second = part(1);
    this.third = part(2);
  }

  private Member<String> part(int position) {
    return Member.optional(kind.parts().get(position), Type.TEXT, description(position));
  }

  /// A part of a key in words.
  String description(int position) {
    return switch (kind.parts().get(position)) {
      case "identity" -> "who is granted it";
      case "resource" -> "on what";
      case "action" -> "to do what";
      case "subject" -> "whose relation it is";
      case "relation" -> "its name";
      default -> "to what";
    };
  }

  private String name(String what) {
    return (kind == GrantKind.APPROVAL ? "Approval" : "Relationship") + what;
  }

  /// The parts of a key, as far as a body has them.
  record Parts(Optional<String> first, Optional<String> second, Optional<String> third) {}

  /// The body of a request to give something.
  record GiveBody(
      Optional<Scope> scope,
      Parts parts,
      Optional<RelationType> type,
      Optional<Duration> ttl,
      Optional<Instant> expiresAt,
      Map<String, String> metadata) {}

  Shape<GiveBody> give() {
    List<Member<?>> members =
        new ArrayList<>(List.of(SCOPE, first, second, third, TTL, EXPIRES_AT, METADATA));
    if (kind == GrantKind.RELATIONSHIP) {
      members.add(TYPE);
    }
    return Shape.in(
        name("Request"),
        members,
        given ->
            new GiveBody(
                given.find(SCOPE),
                parts(given),
                kind == GrantKind.RELATIONSHIP
                    ? given.find(TYPE).map(RelationType::new)
                    : Optional.empty(),
                given.find(TTL).map(Duration::ofSeconds),
                given.find(EXPIRES_AT),
                given.find(METADATA).orElse(Map.of())));
  }

  private Parts parts(RequestObject given) {
    return new Parts(given.find(first), given.find(second), given.find(third));
  }

  JsonNode example() {
    ObjectNode example = JsonNodeFactory.instance.objectNode().put("scope", "tenant:acme");
    putKey(example);
    return kind == GrantKind.APPROVAL
        ? example.put("ttlSeconds", 3600)
        : example.put("type", "membership");
  }

  /// The body of a request to change the life of something.
  record ExtendBody(
      Optional<Scope> scope,
      Parts parts,
      Optional<Duration> ttl,
      Optional<Instant> expiresAt,
      Optional<String> revision) {}

  private static final Member<String> UNCHANGED_SINCE =
      Member.optional("revision", Type.TEXT, "refuses if it was written after this revision");

  Shape<ExtendBody> extend() {
    return Shape.in(
        name("Extension"),
        List.of(SCOPE, first, second, third, TTL, EXPIRES_AT, UNCHANGED_SINCE),
        given ->
            new ExtendBody(
                given.find(SCOPE),
                parts(given),
                given.find(TTL).map(Duration::ofSeconds),
                given.find(EXPIRES_AT),
                given.find(UNCHANGED_SINCE)));
  }

  /// The body of a batch of checks.
  record CheckBody(Optional<Scope> scope, List<Parts> checks) {}

  Shape<CheckBody> checks() {
    Member<String> one = Member.required(kind.parts().get(0), Type.TEXT, description(0));
    Member<String> two = Member.required(kind.parts().get(1), Type.TEXT, description(1));
    Member<String> three = Member.required(kind.parts().get(2), Type.TEXT, description(2));
    Shape<Parts> check =
        Shape.in(
            name("Check"),
            List.of(one, two, three),
            given ->
                new Parts(
                    Optional.of(given.get(one)),
                    Optional.of(given.get(two)),
                    Optional.of(given.get(three))));
    Member<List<Parts>> checks =
        Member.required("checks", Type.list(Type.object(check)), "up to 1000, of one scope");
    return Shape.in(
        name("Checks"),
        List.of(SCOPE, checks),
        given -> new CheckBody(given.find(SCOPE), given.get(checks)));
  }

  /// The body of a query.
  record QueryBody(
      Optional<Scope> scope,
      Parts parts,
      Optional<String> targetPrefix,
      boolean includeExpired,
      boolean count,
      Within within,
      Paging paging) {}

  /// The further scopes that a query is about.
  record Within(boolean environments, boolean descendants) {}

  /// The page of a list.
  record Paging(Optional<Long> limit, Optional<String> cursor) {}

  private static final Type<String> ALL = Type.choice(List.of("all"), text -> text);
  private static final Member<Boolean> INCLUDE_EXPIRED =
      Member.optional(
          "includeExpired", Type.BOOLEAN, "whether those count that are only not forgotten yet");
  private static final Member<Boolean> COUNT =
      Member.optional("count", Type.BOOLEAN, "whether to count them, and not to list them");
  private static final Member<String> ENVIRONMENTS =
      Member.optional("environments", ALL, "all: also in the environments of an account");
  private static final Member<String> DESCENDANTS =
      Member.optional("descendants", ALL, "all: also in the scopes below a custom path");
  private static final Member<Long> LIMIT =
      Member.optional("limit", Type.whole(1, 1000), "how many at most; 100 if absent");
  private static final Member<String> CURSOR =
      Member.optional("cursor", Type.TEXT, "the cursor of the page before");

  Shape<QueryBody> query() {
    String target = kind == GrantKind.APPROVAL ? "resource" : "object";
    Member<String> prefix =
        Member.optional(target + "Prefix", Type.TEXT, "what the " + target + " begins with");
    return Shape.in(
        name("Query"),
        List.of(
            SCOPE,
            first,
            second,
            third,
            prefix,
            INCLUDE_EXPIRED,
            COUNT,
            ENVIRONMENTS,
            DESCENDANTS,
            LIMIT,
            CURSOR),
        given ->
            new QueryBody(
                given.find(SCOPE),
                parts(given),
                given.find(prefix),
                given.find(INCLUDE_EXPIRED).orElse(false),
                given.find(COUNT).orElse(false),
                new Within(
                    given.find(ENVIRONMENTS).isPresent(), given.find(DESCENDANTS).isPresent()),
                new Paging(given.find(LIMIT), given.find(CURSOR))));
  }

  JsonNode extendExample() {
    ObjectNode example = JsonNodeFactory.instance.objectNode().put("scope", "tenant:acme");
    putKey(example);
    return example.put("ttlSeconds", 7200);
  }

  private void putKey(ObjectNode object) {
    List<String> values =
        kind == GrantKind.APPROVAL
            ? List.of("alice", "document-123", "read")
            : List.of("alice", "member", "editors");
    for (int i = 0; i < values.size(); i++) {
      object.put(kind.parts().get(i), values.get(i));
    }
  }

  JsonNode queryExample() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("scope", "tenant:acme")
        .put(kind.parts().getFirst(), "alice");
  }

  JsonNode checksExample() {
    ObjectNode example = JsonNodeFactory.instance.objectNode().put("scope", "tenant:acme");
    putKey(example.putArray("checks").addObject());
    return example;
  }

  /// A grant in an answer.
  ///
  /// @param revision sealed: it was not written after it
  record GrantAnswer(Grant grant, boolean expired, String revision) {}

  Shape<GrantAnswer> grant() {
    return Shape.out(name(""), members(), this::write);
  }

  private List<Member<?>> members() {
    List<Member<?>> members = new ArrayList<>(List.of(OF));
    kind.parts().forEach(part -> members.add(Member.required(part, Type.TEXT, part)));
    if (kind == GrantKind.APPROVAL) {
      members.addAll(List.of(GRANTED_BY, GRANTED_AT));
    } else {
      members.addAll(List.of(TYPE, CREATED_BY, CREATED_AT));
    }
    members.addAll(List.of(TTL, EXPIRES_AT, EXPIRED, METADATA, WriteReceipt.REVISION));
    return members;
  }

  private void write(GrantAnswer answer, AnswerObject out) {
    Grant grant = answer.grant;
    out.put(OF, grant.scope());
    for (int i = 0; i < kind.parts().size(); i++) {
      String part = kind.parts().get(i);
      out.put(Member.required(part, Type.TEXT, part), grant.key().parts().get(i));
    }
    if (kind == GrantKind.APPROVAL) {
      out.put(GRANTED_BY, grant.origin().by()).put(GRANTED_AT, grant.origin().since());
    } else {
      out.put(TYPE, grant.type().map(RelationType::text))
          .put(CREATED_BY, grant.origin().by())
          .put(CREATED_AT, grant.origin().since());
    }
    out.put(TTL, grant.life().ttl().map(Duration::toSeconds))
        .put(EXPIRES_AT, grant.life().expiresAt())
        .put(METADATA, grant.metadata())
        .put(WriteReceipt.REVISION, answer.revision);
    if (answer.expired) {
      out.put(EXPIRED, true);
    }
  }

  /// An answer to a check.
  record CheckAnswer(Optional<Grant> grant, String revision) {}

  Shape<CheckAnswer> checked() {
    return Shape.out(
        name("Checked"),
        List.of(GRANTED, EXPIRES_AT, WriteReceipt.REVISION),
        (answer, out) ->
            out.put(GRANTED, answer.grant.isPresent())
                .put(EXPIRES_AT, answer.grant.flatMap(grant -> grant.life().expiresAt()))
                .put(WriteReceipt.REVISION, answer.revision));
  }

  /// The answers to a batch of checks.
  record ChecksAnswer(GrantReader.Answered<List<Optional<Grant>>> found, String revision) {}

  Shape<ChecksAnswer> checkedAll() {
    Shape<Optional<Grant>> one =
        Shape.out(
            name("CheckResult"),
            List.of(GRANTED, EXPIRES_AT),
            (grant, out) ->
                out.put(GRANTED, grant.isPresent())
                    .put(EXPIRES_AT, grant.flatMap(each -> each.life().expiresAt())));
    Member<List<Optional<Grant>>> results =
        Member.required("results", Type.list(Type.object(one)), "one for each check, in order");
    return Shape.out(
        name("ChecksAnswer"),
        List.of(results, WriteReceipt.REVISION),
        (answer, out) ->
            out.put(results, answer.found.value()).put(WriteReceipt.REVISION, answer.revision));
  }

  /// The answer to a query: a page, or a number.
  record QueryAnswer(
      Optional<List<GrantAnswer>> items,
      Optional<String> cursor,
      Optional<Long> count,
      String revision) {}

  Shape<QueryAnswer> queried() {
    Member<List<GrantAnswer>> items =
        Member.optional("items", Type.list(Type.object(grant())), "those of this page");
    Member<Optional<String>> next =
        Member.optional(
            "cursor", Type.nullable(Type.TEXT), "hand it back for what follows; null at the end");
    Member<Long> number =
        Member.optional("count", Type.whole(0, Long.MAX_VALUE), "how many there are");
    return Shape.out(
        name("List"),
        List.of(items, next, number, WriteReceipt.REVISION),
        (answer, out) -> {
          out.put(items, answer.items)
              .put(number, answer.count)
              .put(WriteReceipt.REVISION, answer.revision);
          if (answer.items.isPresent()) {
            out.put(next, answer.cursor);
          }
        });
  }
}
