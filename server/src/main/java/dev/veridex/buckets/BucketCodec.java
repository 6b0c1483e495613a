package dev.veridex.buckets;

import dev.veridex.acl.AclCodec;
import dev.veridex.buckets.Bucket.Definition;
import dev.veridex.buckets.Bucket.Placement;
import dev.veridex.buckets.Bucket.Side;
import dev.veridex.buckets.Bucket.Upgrade;
import dev.veridex.common.Namespace;
import dev.veridex.quota.Quota;
import dev.veridex.records.JsonRecord;
import dev.veridex.records.TtlPolicyRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The stored form of a bucket.
final class BucketCodec {
  private static final String ACL = "acl";
  private static final String QUOTAS = "quotas";
  private static final String UPGRADE = "upgrade";

  private BucketCodec() {}

  static byte[] encode(Bucket bucket) {
    ObjectNode object = JsonRecord.object();
    object.put("incarnation", bucket.incarnation());
    object.put("version", bucket.version());
    put(object, bucket.side());
    put(object, bucket.wanted());
    bucket
        .upgrade()
        .ifPresent(
            upgrade -> {
              ObjectNode node = object.putObject(UPGRADE);
              put(node, upgrade.to());
              node.put("startedAt", upgrade.startedAt().toString());
              node.put("filled", upgrade.filled());
            });
    object.put("createdAt", bucket.createdAt().toString());
    return JsonRecord.bytes(object);
  }

  private static void put(ObjectNode object, Side side) {
    object.put("type", side.type().text());
    object.put("side", side.number());
  }

  private static void put(ObjectNode object, Definition wanted) {
    AclCodec.put(object, ACL, wanted.acl());
    wanted.ttl().ifPresent(policy -> TtlPolicyRecord.put(object.putObject("ttl"), policy));
    JsonRecord.put(object, "owner", wanted.owner());
    Quota.put(object, QUOTAS, wanted.quotas());
    wanted.replication().ifPresent(factor -> object.put("replication", factor));
    object.put("dedicated", wanted.placement() == Placement.DEDICATED);
    object.put("itemAccess", wanted.settings().itemAccess());
    object.put("resourcePrefix", wanted.settings().resourcePrefix());
    wanted.settings().shards().ifPresent(count -> object.put("shards", count));
    switch (wanted.settings()) {
      case ItemSettings items -> put(object.putObject("retention"), items.retention());
      case DocumentSettings documents -> {
        put(object, "tombstoneRetention", documents.tombstoneRetention());
        object.put("rejectsLate", documents.rejectsLate());
        documents.resourceField().ifPresent(field -> object.put("resourceField", field));
      }
      case ObjectSettings objects ->
          objects.mode().ifPresent(mode -> object.put("mode", mode.text()));
      case QueueSettings queue -> {
        object.put("groupTtl", queue.groupTtl().toSeconds());
        put(object, "messageRetention", queue.retention());
      }
    }
  }

  private static void put(ObjectNode object, String name, Optional<Duration> duration) {
    duration.ifPresent(length -> object.put(name, length.toSeconds()));
  }

  private static void put(ObjectNode object, Retention retention) {
    switch (retention) {
      case Retention.All() -> object.put("policy", "all");
      case Retention.Latest(int count, Duration grace) ->
          object.put("policy", "latest").put("count", count).put("grace", grace.toSeconds());
      case Retention.Ttl(Duration ttl) ->
          object.put("policy", "ttl").put("seconds", ttl.toSeconds());
      case Retention.Interval(Duration interval, int count, Duration grace) ->
          object
              .put("policy", "interval")
              .put("seconds", interval.toSeconds())
              .put("count", count)
              .put("grace", grace.toSeconds());
    }
  }

  static Bucket decode(Namespace namespace, String name, byte[] bytes) {
    JsonNode object = JsonRecord.read(bytes);
    return new Bucket(
        namespace,
        name,
        object.get("incarnation").asLong(),
        object.get("version").asLong(),
        side(object),
        wanted(object),
        Optional.ofNullable(object.get(UPGRADE))
            .map(
                node ->
                    new Upgrade(
                        side(node),
                        Instant.parse(node.get("startedAt").asString()),
                        node.get("filled").asBoolean())),
        Instant.parse(object.get("createdAt").asString()));
  }

  private static Side side(JsonNode object) {
    return new Side(
        BucketType.parse(object.get("type").asString()).orElseThrow(), object.get("side").asLong());
  }

  private static Definition wanted(JsonNode object) {
    return new Definition(
        AclCodec.read(object, ACL),
        Optional.ofNullable(object.get("ttl")).map(TtlPolicyRecord::read),
        JsonRecord.text(object, "owner"),
        Quota.read(object, QUOTAS),
        Optional.ofNullable(object.get("replication")).map(JsonNode::asInt),
        object.get("dedicated").asBoolean() ? Placement.DEDICATED : Placement.SHARED,
        settings(object));
  }

  private static BucketSettings settings(JsonNode object) {
    boolean itemAccess = object.get("itemAccess").asBoolean();
    String prefix = object.get("resourcePrefix").asString();
    Optional<Integer> shards = Optional.ofNullable(object.get("shards")).map(JsonNode::asInt);
    return switch (side(object).type().name()) {
      case DocumentSettings.TYPE ->
          new DocumentSettings(
              itemAccess,
              prefix,
              shards,
              duration(object, "tombstoneRetention"),
              object.get("rejectsLate").asBoolean(),
              JsonRecord.text(object, "resourceField"));
      case ObjectSettings.TYPE ->
          new ObjectSettings(
              itemAccess, shards, JsonRecord.text(object, "mode").flatMap(ObjectSettings.Mode::of));
      case QueueSettings.TYPE ->
          new QueueSettings(
              shards, seconds(object.get("groupTtl")), duration(object, "messageRetention"));
      default -> new ItemSettings(itemAccess, prefix, retention(object.get("retention")));
    };
  }

  private static Optional<Duration> duration(JsonNode object, String name) {
    return Optional.ofNullable(object.get(name)).map(BucketCodec::seconds);
  }

  private static Retention retention(JsonNode node) {
    return switch (node.get("policy").asString()) {
      case "latest" -> new Retention.Latest(node.get("count").asInt(), seconds(node.get("grace")));
      case "ttl" -> new Retention.Ttl(seconds(node.get("seconds")));
      case "interval" ->
          new Retention.Interval(
              seconds(node.get("seconds")), node.get("count").asInt(), seconds(node.get("grace")));
      default -> new Retention.All();
    };
  }

  private static Duration seconds(JsonNode node) {
    return Duration.ofSeconds(node.asLong());
  }
}
