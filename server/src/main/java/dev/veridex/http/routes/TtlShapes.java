package dev.veridex.http.routes;

import dev.veridex.buckets.Retention;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.Problem;
import dev.veridex.common.TtlPolicy;
import dev.veridex.common.VeridexException;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.RequestObject;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// JSON shapes of TTL policies and of the retention of revisions.
public final class TtlShapes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final long MAX_SECONDS = Duration.ofDays(36_500).toSeconds();

  private static final Type<Long> SECONDS = Type.whole(1, MAX_SECONDS);
  private static final Type<Long> SECONDS_OR_NONE = Type.whole(0, MAX_SECONDS);

  private static final Member<Long> DEFAULT =
      Member.optional("default", SECONDS, "seconds that live what asks for none; absent: for ever");
  private static final Member<Long> MIN =
      Member.optional("min", SECONDS, "the fewest seconds that may be asked for; 60 if absent");
  private static final Member<Long> MAX =
      Member.optional("max", SECONDS, "the most seconds that may be asked for; a year if absent");
  private static final Member<Boolean> ENFORCE =
      Member.optional("enforce", Type.BOOLEAN, "whether the bounds refuse, or only warn");

  private static final Member<Boolean> REFRESH =
      Member.optional(
          "refreshOnAccess",
          Type.BOOLEAN,
          "whether reading an item prolongs its life by its TTL; false if absent");

  /// The members of a policy.
  public static final List<Member<?>> MEMBERS = List.of(DEFAULT, MIN, MAX, ENFORCE, REFRESH);

  private static final Shape<TtlPolicy> POLICY_SHAPE =
      Shape.of("TtlPolicy", MEMBERS, TtlShapes::policy, TtlShapes::write);

  private static final Type<TtlPolicy> POLICY_OBJECT = Type.object(POLICY_SHAPE);

  /// A policy, or the name of a well-known one.
  public static final Type<TtlPolicy> POLICY =
      new Type<>(
          policySchema(),
          TtlShapes::readPolicy,
          POLICY_OBJECT.writing(),
          NODES::stringNode,
          POLICY_OBJECT.part());

  private static final Member<Long> COUNT =
      Member.required("count", Type.whole(1, Retention.MAX_COUNT), "how many revisions are kept");
  private static final Member<Long> GRACE =
      Member.optional(
          "graceTtl", SECONDS_OR_NONE, "seconds that the others are kept; a day if absent");
  private static final Member<Long> TTL =
      Member.required("ttl", SECONDS, "seconds that a revision is kept, from when it was written");
  private static final Member<Long> INTERVAL =
      Member.required("seconds", SECONDS, "the length of the stretches of time");

  private static final Shape<Retention> LATEST =
      Shape.of(
          "RetainLatest",
          List.of(COUNT, GRACE),
          given -> new Retention.Latest(count(given), grace(given)),
          (retention, out) -> {
            Retention.Latest latest = (Retention.Latest) retention;
            out.put(COUNT, (long) latest.count()).put(GRACE, latest.grace().toSeconds());
          });
  private static final Shape<Retention> FOR_A_TIME =
      Shape.of(
          "RetainForATime",
          List.of(TTL),
          given -> new Retention.Ttl(Duration.ofSeconds(given.get(TTL))),
          (retention, out) -> out.put(TTL, ((Retention.Ttl) retention).ttl().toSeconds()));
  private static final Shape<Retention> BY_INTERVAL =
      Shape.of(
          "RetainByInterval",
          List.of(INTERVAL, COUNT, GRACE),
          given ->
              new Retention.Interval(
                  Duration.ofSeconds(given.get(INTERVAL)), count(given), grace(given)),
          (retention, out) -> {
            Retention.Interval interval = (Retention.Interval) retention;
            out.put(INTERVAL, interval.interval().toSeconds())
                .put(COUNT, (long) interval.count())
                .put(GRACE, interval.grace().toSeconds());
          });

  private static final Map<String, Type<Retention>> POLICIES =
      Map.of(
          "latest", Type.object(LATEST),
          "ttl", Type.object(FOR_A_TIME),
          "interval", Type.object(BY_INTERVAL));

  /// `"all"`, or one of the policies by its name: `{"latest": {"count": 3}}`.
  public static final Type<Retention> RETENTION =
      new Type<>(
          retentionSchema(),
          TtlShapes::readRetention,
          TtlShapes::writeRetention,
          NODES::stringNode,
          Optional.empty());

  private TtlShapes() {}

  /// Writes the members of a policy.
  public static void write(TtlPolicy policy, AnswerObject out) {
    out.put(DEFAULT, policy.defaultTtl().map(Duration::toSeconds))
        .put(MIN, policy.min().toSeconds())
        .put(MAX, policy.max().toSeconds())
        .put(ENFORCE, policy.enforce())
        .put(REFRESH, policy.refreshOnAccess() ? Optional.of(true) : Optional.empty());
  }

  /// The policy that the members of a request say.
  public static TtlPolicy policy(RequestObject given) {
    return new TtlPolicy(
        given.find(DEFAULT).map(Duration::ofSeconds),
        given.find(MIN).map(Duration::ofSeconds).orElse(TtlPolicy.STANDARD.min()),
        given.find(MAX).map(Duration::ofSeconds).orElse(TtlPolicy.STANDARD.max()),
        given.find(ENFORCE).orElse(true),
        given.find(REFRESH).orElse(false));
  }

  private static TtlPolicy readPolicy(JsonNode node, String pointer) {
    if (node.isString()) {
      return TtlPolicy.preset(node.asString())
          .orElseThrow(() -> Type.wrong("there is no well-known policy of that name", pointer));
    }
    try {
      return POLICY_OBJECT.reading().read(node, pointer);
    } catch (VeridexException e) {
      Problem problem = e.problem();
      throw problem.code() == ErrorCode.INVALID_TTL_POLICY
          ? new VeridexException(problem.at(pointer), e)
          : e;
    }
  }

  private static int count(RequestObject given) {
    return Math.toIntExact(given.get(COUNT));
  }

  private static Duration grace(RequestObject given) {
    return given.find(GRACE).map(Duration::ofSeconds).orElse(Duration.ofDays(1));
  }

  private static Retention readRetention(JsonNode node, String pointer) {
    if (node.isString() && node.asString().equals("all")) {
      return new Retention.All();
    }
    if (!node.isObject() || node.size() != 1) {
      throw Type.wrong("all, or one policy by its name, is expected here", pointer);
    }
    String name = node.propertyNames().iterator().next();
    Type<Retention> policy = POLICIES.get(name);
    if (policy == null) {
      throw Type.wrong(
          "a retention is all, latest, ttl or interval", pointer + "/" + JsonPointer.escape(name));
    }
    return policy.reading().read(node.get(name), pointer + "/" + name);
  }

  private static JsonNode writeRetention(Retention retention) {
    String name =
        switch (retention) {
          case Retention.All() -> "all";
          case Retention.Latest _ -> "latest";
          case Retention.Ttl _ -> "ttl";
          case Retention.Interval _ -> "interval";
        };
    Type<Retention> policy = POLICIES.get(name);
    if (policy == null) {
      return NODES.stringNode(name);
    }
    ObjectNode object = NODES.objectNode();
    object.set(name, policy.writing().apply(retention));
    return object;
  }

  private static ObjectNode policySchema() {
    ObjectNode names = NODES.objectNode().put("type", "string");
    List.of("default", "temporary", "short-lived", "long-lived")
        .forEach(name -> names.withArray("enum").add(name));
    ObjectNode schema = NODES.objectNode();
    schema.putArray("oneOf").add(names).add(POLICY_OBJECT.schema());
    return schema;
  }

  private static ObjectNode retentionSchema() {
    ObjectNode all = NODES.objectNode().put("type", "string");
    all.withArray("enum").add("all");
    ObjectNode policies = NODES.objectNode().put("type", "object").put("maxProperties", 1);
    ObjectNode properties = policies.putObject("properties");
    // In full, for this is the only place where they stand.
    properties.set("latest", LATEST.schema());
    properties.set("ttl", FOR_A_TIME.schema());
    properties.set("interval", BY_INTERVAL.schema());
    ObjectNode schema = NODES.objectNode();
    schema.putArray("oneOf").add(all).add(policies);
    return schema;
  }
}
