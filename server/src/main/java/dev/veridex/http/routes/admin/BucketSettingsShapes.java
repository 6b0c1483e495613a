package dev.veridex.http.routes.admin;

import dev.veridex.buckets.BucketSettings;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.buckets.QueueSettings;
import dev.veridex.buckets.Retention;
import dev.veridex.http.routes.TtlShapes;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.RequestObject;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.items.ItemVersions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// JSON shapes of the settings of buckets, by type.
final class BucketSettingsShapes {
  private static final long MAX_SECONDS = Duration.ofDays(36_500).toSeconds();
  private static final Type<Long> SECONDS = Type.whole(1, MAX_SECONDS);
  private static final long FOR_EVER = 0;

  private static final Member<Boolean> ITEM_ACCESS =
      Member.optional(
          "itemAccess",
          Type.BOOLEAN,
          "whether rights on single items or documents count; if absent: not in buckets of items, but in buckets of documents and objects");
  private static final Member<String> RESOURCE_PREFIX =
      Member.optional(
          "resourcePrefix", Type.TEXT, "what stands before a key in the id of its resource");
  private static final Member<String> RESOURCE_FIELD =
      Member.optional(
          "resourceField",
          Type.TEXT,
          "the field whose values are the resources of a document, instead of its key; for ever");
  private static final Member<Retention> RETENTION =
      Member.optional(
          "retention", TtlShapes.RETENTION, "which past revisions are kept; all if absent");
  private static final Member<Long> SHARDS =
      Member.optional(
          "shards",
          Type.whole(1, BucketSettings.MAX_SHARDS),
          "into how many shards queues are split, for ever; 4 if absent");
  private static final Member<Long> TOMBSTONE_RETENTION =
      Member.optional(
          "tombstoneRetention",
          Type.whole(FOR_EVER, MAX_SECONDS),
          "seconds that deletions are remembered; 0: for ever; 30 days if absent");
  private static final Member<Boolean> REJECTS_LATE =
      Member.optional(
          "lateDocuments",
          Type.choice(List.of(true, false), reject -> reject ? "reject" : "accept"),
          "what to do with documents older than what is remembered; accept if absent");
  private static final Member<Long> GROUP_TTL =
      Member.optional(
          "groupTtl", SECONDS, "seconds that a group of readers is kept unused; 30 days if absent");
  private static final Member<Long> MESSAGE_RETENTION =
      Member.optional(
          "messageRetention",
          SECONDS,
          "seconds that messages are kept while there is no group; absent: for ever");

  private static final Member<ObjectSettings.Mode> MODE =
      Member.optional(
          "mode",
          Type.choice(List.of(ObjectSettings.Mode.values()), ObjectSettings.Mode::text),
          "how a bucket of objects makes rows of events, for ever: one for each event, or one for"
              + " each creation and its deletion; if absent: as the server is configured");

  private static final Map<String, List<Member<?>>> SETTINGS_OF =
      Map.of(
          ItemVersions.TYPE,
          List.of(ITEM_ACCESS, RESOURCE_PREFIX, RETENTION),
          DocumentSettings.TYPE,
          List.of(
              ITEM_ACCESS,
              RESOURCE_PREFIX,
              RESOURCE_FIELD,
              SHARDS,
              TOMBSTONE_RETENTION,
              REJECTS_LATE),
          ObjectSettings.TYPE,
          List.of(ITEM_ACCESS, SHARDS, MODE),
          QueueSettings.TYPE,
          List.of(SHARDS, GROUP_TTL, MESSAGE_RETENTION));

  /// Settings of whatever type, until the type is known.
  @FunctionalInterface
  interface RawSettings {
    BucketSettings of(String type);
  }

  static final Shape<RawSettings> SETTINGS =
      Shape.of(
          "BucketSettings",
          List.of(
              ITEM_ACCESS,
              RESOURCE_PREFIX,
              RESOURCE_FIELD,
              RETENTION,
              SHARDS,
              TOMBSTONE_RETENTION,
              REJECTS_LATE,
              MODE,
              GROUP_TTL,
              MESSAGE_RETENTION),
          given -> type -> settings(type, given),
          // The answer does not depend on the type: they know it themselves.
          (settings, out) -> write(settings.of(""), out));

  private BucketSettingsShapes() {}

  private static BucketSettings settings(String type, RequestObject given) {
    List<Member<?>> known = SETTINGS_OF.get(type);
    if (known != null) {
      for (Member<?> member : given.members()) {
        if (!known.contains(member)) {
          throw Type.wrong(
              "buckets of this type have no such setting", "/settings/" + member.name());
        }
      }
    }
    Optional<Integer> shards = given.find(SHARDS).map(Math::toIntExact);
    return switch (type) {
      case DocumentSettings.TYPE ->
          new DocumentSettings(
              given.find(ITEM_ACCESS).orElse(DocumentSettings.USUAL.itemAccess()),
              given.find(RESOURCE_PREFIX).orElse(""),
              shards,
              given
                  .find(TOMBSTONE_RETENTION)
                  .map(Duration::ofSeconds)
                  .or(DocumentSettings.USUAL::tombstoneRetention)
                  .filter(Duration::isPositive),
              given.find(REJECTS_LATE).orElse(false),
              given.find(RESOURCE_FIELD));
      case ObjectSettings.TYPE ->
          new ObjectSettings(
              given.find(ITEM_ACCESS).orElse(ObjectSettings.USUAL.itemAccess()),
              shards,
              given.find(MODE));
      case QueueSettings.TYPE ->
          new QueueSettings(
              shards,
              given.find(GROUP_TTL).map(Duration::ofSeconds).orElse(QueueSettings.USUAL.groupTtl()),
              given.find(MESSAGE_RETENTION).map(Duration::ofSeconds));
      default ->
          new ItemSettings(
              given.find(ITEM_ACCESS).orElse(ItemSettings.USUAL.itemAccess()),
              given.find(RESOURCE_PREFIX).orElse(ItemSettings.USUAL.resourcePrefix()),
              given.find(RETENTION).orElse(ItemSettings.USUAL.retention()));
    };
  }

  private static void write(BucketSettings settings, AnswerObject out) {
    switch (settings) {
      case ItemSettings items -> writeAccess(items, out).put(RETENTION, items.retention());
      case DocumentSettings documents ->
          writeAccess(documents, out)
              .put(RESOURCE_FIELD, documents.resourceField())
              .put(SHARDS, (long) documents.shardCount())
              .put(
                  TOMBSTONE_RETENTION,
                  documents.tombstoneRetention().map(Duration::toSeconds).orElse(FOR_EVER))
              .put(REJECTS_LATE, documents.rejectsLate());
      case ObjectSettings objects ->
          out.put(ITEM_ACCESS, objects.itemAccess())
              .put(SHARDS, (long) objects.shardCount())
              .put(MODE, objects.mode());
      case QueueSettings queue ->
          out.put(SHARDS, (long) queue.shardCount())
              .put(GROUP_TTL, queue.groupTtl().toSeconds())
              .put(MESSAGE_RETENTION, queue.retention().map(Duration::toSeconds));
    }
  }

  private static AnswerObject writeAccess(BucketSettings settings, AnswerObject out) {
    return out.put(ITEM_ACCESS, settings.itemAccess())
        .put(
            RESOURCE_PREFIX,
            Optional.of(settings.resourcePrefix()).filter(text -> !text.isEmpty()));
  }
}
