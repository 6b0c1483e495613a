package dev.veridex.http.routes.admin;

import dev.veridex.acl.Acl;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.Bucket.Placement;
import dev.veridex.buckets.Bucket.Upgrade;
import dev.veridex.buckets.BucketSettings;
import dev.veridex.buckets.Buckets;
import dev.veridex.common.TtlPolicy;
import dev.veridex.http.routes.ChangeReply;
import dev.veridex.http.routes.TtlShapes;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.RequestObject;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// JSON shapes of buckets.
final class BucketShapes {
  private static final int MAX_REPLICATION = 100;

  private static final Member<String> TYPE =
      Member.required(
          "type", Type.TEXT, "what it holds, as items or items/1; without a version: the newest");
  private static final Member<Acl> ACL =
      Member.optional(
          "acl",
          AclShapes.ACL,
          "who may do what; absent: what the account says. For administrators");
  private static final Member<TtlPolicy> TTL =
      Member.optional(
          "ttl", TtlShapes.POLICY, "how long what is in it lives; or the name of a policy");
  private static final Member<String> OWNER =
      Member.optional(
          "owner", Type.ID, "the subject who may do everything; absent: whoever made it");
  private static final Member<Long> REPLICATION =
      Member.optional(
          "replication", Type.whole(1, MAX_REPLICATION), "copies, for engines that keep several");
  private static final Member<Placement> PLACEMENT =
      Member.optional(
          "placement",
          Type.choice(List.of(Placement.values()), Placement::text),
          "for engines that can choose");
  private static final Member<BucketSettingsShapes.RawSettings> SETTINGS =
      Member.optional(
          "settings", Type.object(BucketSettingsShapes.SETTINGS), "what its type lets it settle");

  private static final Member<String> UPGRADE_TO =
      Member.required("to", Type.TEXT, "the type that it will have");
  private static final Member<String> UPGRADE_STATE =
      Member.required("state", Type.TEXT, "in-progress until it is finished or given up");
  private static final Member<Boolean> UPGRADE_COPIED =
      Member.required("copied", Type.BOOLEAN, "whether everything that was there was copied");
  private static final Member<Instant> UPGRADE_SINCE =
      Member.required("startedAt", Type.TIME, "when it was begun");
  private static final Shape<Upgrade> UPGRADE_SHAPE =
      Shape.out(
          "BucketUpgrade",
          List.of(UPGRADE_TO, UPGRADE_STATE, UPGRADE_COPIED, UPGRADE_SINCE),
          (upgrade, out) ->
              out.put(UPGRADE_TO, upgrade.to().type().text())
                  .put(UPGRADE_STATE, "in-progress")
                  .put(UPGRADE_COPIED, upgrade.filled())
                  .put(UPGRADE_SINCE, upgrade.startedAt()));

  private static final Member<String> NAME = Member.required("name", Type.TEXT, "its name");
  private static final Member<String> ENVIRONMENT =
      Member.optional("env", Type.TEXT, "the environment that it is in");
  private static final Member<Upgrade> UPGRADE =
      Member.optional("upgrade", Type.object(UPGRADE_SHAPE), "the upgrade that is under way");
  private static final Member<Instant> CREATED_AT =
      Member.required("createdAt", Type.TIME, "when it was made");
  private static final Member<String> ETAG =
      Member.required("etag", Type.TEXT, "changes with every change");

  private static final List<Member<?>> MEMBERS =
      List.of(
          NAME,
          ENVIRONMENT,
          TYPE,
          ACL,
          TTL,
          OWNER,
          QuotaShapes.QUOTAS,
          REPLICATION,
          PLACEMENT,
          SETTINGS,
          UPGRADE,
          CREATED_AT,
          ETAG);

  /// The definition of a bucket in a request.
  record BucketRequest(String type, Bucket.Definition rest) {
    static BucketRequest of(Bucket bucket) {
      return new BucketRequest(bucket.type().text(), bucket.wanted());
    }
  }

  static final Shape<BucketRequest> WANTED =
      Shape.of(
              "BucketRequest",
              List.of(TYPE, ACL, TTL, OWNER, QuotaShapes.QUOTAS, REPLICATION, PLACEMENT, SETTINGS),
              BucketShapes::wanted,
              (wanted, out) -> {
                out.put(TYPE, wanted.type);
                write(wanted.rest, out);
              })
          .withoutNull(ACL);

  /// All that can be set of a bucket.
  static final Type<BucketRequest> SETTINGS_TYPE = Type.object(WANTED);

  /// A bucket.
  static final Shape<Buckets.BucketView> BUCKET = Shape.out("Bucket", MEMBERS, BucketShapes::write);

  /// A bucket that was just changed, by somebody who may see all of it.
  static final Shape<ChangeReply<Bucket>> PUT =
      ChangeReply.shape(
          "BucketPut", MEMBERS, (bucket, out) -> write(new Buckets.BucketView(bucket, true), out));

  private BucketShapes() {}

  private static BucketRequest wanted(RequestObject given) {
    return new BucketRequest(
        given.get(TYPE),
        new Bucket.Definition(
            given.find(ACL),
            given.find(TTL),
            given.find(OWNER),
            given.find(QuotaShapes.QUOTAS).orElse(Map.of()),
            given.find(REPLICATION).map(Math::toIntExact),
            given.find(PLACEMENT).orElse(Placement.SHARED),
            given
                .find(SETTINGS)
                .map(settings -> settings.of(typeName(given)))
                .orElseGet(() -> BucketSettings.usual(typeName(given)))));
  }

  private static String typeName(RequestObject given) {
    return given.get(TYPE).split("/", 2)[0];
  }

  private static void write(Buckets.BucketView shown, AnswerObject out) {
    Bucket bucket = shown.bucket();
    out.put(NAME, bucket.name())
        .put(ENVIRONMENT, bucket.namespace().environment())
        .put(TYPE, bucket.type().text());
    if (shown.settings()) {
      write(bucket.wanted(), out);
      out.put(UPGRADE, bucket.upgrade());
    }
    out.put(CREATED_AT, bucket.createdAt()).put(ETAG, bucket.etag());
  }

  private static void write(Bucket.Definition wanted, AnswerObject out) {
    out.put(ACL, wanted.acl())
        .put(TTL, wanted.ttl())
        .put(OWNER, wanted.owner())
        .put(QuotaShapes.QUOTAS, wanted.quotas())
        .put(REPLICATION, wanted.replication().map(Integer::longValue))
        .put(PLACEMENT, wanted.placement())
        .put(SETTINGS, _ -> wanted.settings());
  }

  static JsonNode example() {
    ObjectNode example = JsonNodeFactory.instance.objectNode().put("type", "items");
    ObjectNode acl = example.putObject("acl");
    acl.putArray("read").addObject().putObject("userGroups").putArray("oneOf").add("*");
    acl.putArray("write").addObject().putObject("userGroups").putArray("oneOf").add("editors");
    example
        .putObject("settings")
        .putObject("retention")
        .putObject("latest")
        .put("count", 10)
        .put("graceTtl", 86_400);
    return example;
  }
}
