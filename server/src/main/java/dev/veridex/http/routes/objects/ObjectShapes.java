package dev.veridex.http.routes.objects;

import dev.veridex.common.Problem;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.json.JsonText;
import dev.veridex.objects.EventReceiver;
import dev.veridex.objects.ObjectReader;
import dev.veridex.objects.ObjectReader.Total;
import dev.veridex.objects.ObjectStats;
import dev.veridex.objects.catalogue.EventResult;
import dev.veridex.objects.catalogue.FailedEvent;
import dev.veridex.objects.catalogue.ObjectRow;
import dev.veridex.objects.event.EventReason;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// JSON shapes of events, objects and what they amount to.
final class ObjectShapes {
  private static final Type<Long> COUNT_TYPE = Type.whole(0, Long.MAX_VALUE);

  private static final Member<String> STATUS =
      Member.required(
          "status",
          Type.choice(List.of("ingested", "duplicate", "skipped", "rejected"), text -> text),
          "what became of it");
  private static final Member<String> RESULT_ID =
      Member.optional("id", Type.TEXT, "the id of its row");
  private static final Member<String> CODE = Member.optional("code", Type.TEXT, "what is wrong");
  private static final Member<String> REASON_TEXT =
      Member.optional("reason", Type.TEXT, "why it was skipped or rejected");
  private static final Member<String> POINTER =
      Member.optional("pointer", Type.TEXT, "where in the message, as a JSON pointer");
  private static final Member<Boolean> RETRYABLE =
      Member.optional("retryable", Type.BOOLEAN, "true if the same may be taken later");
  private static final Shape<EventResult> RESULT =
      Shape.out(
          "EventResult",
          List.of(STATUS, RESULT_ID, CODE, REASON_TEXT, POINTER, RETRYABLE),
          ObjectShapes::write);
  private static final Member<List<EventResult>> RESULTS =
      Member.required(
          "results", Type.list(Type.object(RESULT)), "one for each record, in their order");

  /// The results of messages.
  record BatchAnswer(EventReceiver.BatchResult received, String revision) {}

  static final Shape<BatchAnswer> RECEIVED =
      Shape.out(
          "EventResults",
          List.of(RESULTS, WriteReceipt.REVISION),
          (answer, out) ->
              out.put(RESULTS, answer.received.results())
                  .put(WriteReceipt.REVISION, answer.revision));

  private static final Member<String> ID = Member.required("id", Type.TEXT, "its id");
  private static final Member<String> TYPE =
      Member.required("type", Type.TEXT, "Created or Deleted");
  private static final Member<String> BUCKET =
      Member.required("bucket", Type.TEXT, "the bucket of the object store");
  private static final Member<String> KEY = Member.required("key", Type.TEXT, "its key there");
  private static final Member<String> VERSION =
      Member.required("versionId", Type.TEXT, "its version; \"null\" where there are none");
  private static final Member<Instant> EVENT_TIME =
      Member.optional("eventTime", Type.TIME, "when it happened");
  private static final Member<Long> SIZE = Member.optional("size", COUNT_TYPE, "its bytes");
  private static final Member<String> SHA256 = Member.optional("sha256", Type.TEXT, "its checksum");
  private static final Member<Instant> LAST_MODIFIED =
      Member.optional("lastModified", Type.TIME, "when the store says that it was modified");
  private static final Member<String> E_TAG =
      Member.optional("eTag", Type.TEXT, "its entity tag, with quotes");
  private static final Member<String> STORAGE_CLASS =
      Member.optional("storageClass", Type.TEXT, "its storage class");
  private static final Member<Optional<String>> SEQUENCER =
      Member.required(
          "sequencer",
          Type.nullable(Type.TEXT),
          "its place in the order of the key, native or generated; null for a lone deletion in"
              + " paired mode");
  private static final Member<Boolean> MARKER =
      Member.required("isDeleteMarker", Type.BOOLEAN, "whether it is a delete marker");
  private static final Member<String> REASON =
      Member.required(
          "reason",
          Type.choice(
              Arrays.stream(EventReason.values()).map(EventReason::text).toList(), text -> text),
          "why it happened");
  private static final Member<String> ARCHIVE_STATUS =
      Member.optional("archiveStatus", Type.TEXT, "its archive tier, if it moves by itself");
  private static final Member<Boolean> CURRENT =
      Member.required("isCurrentState", Type.BOOLEAN, "whether it is the object as it is now");
  private static final Member<Boolean> ACCESSIBLE =
      Member.required(
          "isAccessible", Type.BOOLEAN, "whether it is there, and in no archive unless restored");
  private static final Member<String> INGEST_ID =
      Member.optional("ingestId", Type.TEXT, "follows an object that is moved");
  private static final Member<JsonNode> ATTRIBUTES =
      Member.optional("attributes", Type.FOREIGN, "what people attached to it");
  private static final Member<Long> DUPLICATES =
      Member.required("numberDuplicateEvents", COUNT_TYPE, "how often it came again");
  private static final Member<Instant> DELETED_DATE =
      Member.optional("deletedDate", Type.TIME, "when it was deleted, in paired mode");
  private static final Member<String> DELETED_SEQUENCER =
      Member.optional("deletedSequencer", Type.TEXT, "that of its deletion, in paired mode");
  private static final Member<Long> REORDERED =
      Member.optional("numberReordered", COUNT_TYPE, "how many of its events came late");

  private static final List<Member<?>> ROW_MEMBERS =
      List.of(
          ID,
          TYPE,
          BUCKET,
          KEY,
          VERSION,
          EVENT_TIME,
          SIZE,
          SHA256,
          LAST_MODIFIED,
          E_TAG,
          STORAGE_CLASS,
          SEQUENCER,
          MARKER,
          REASON,
          ARCHIVE_STATUS,
          CURRENT,
          ACCESSIBLE,
          INGEST_ID,
          ATTRIBUTES,
          DUPLICATES,
          DELETED_DATE,
          DELETED_SEQUENCER,
          REORDERED);

  static final Shape<ObjectRow> ROW = Shape.out("ObjectRow", ROW_MEMBERS, ObjectShapes::write);

  private static final Member<List<ObjectRow>> WHY =
      Member.optional(
          "why",
          Type.list(Type.object(ROW)),
          "the last rows of the object in their order, up to 1000: they make this one current, or not");

  static final Shape<ObjectReader.ExplainedRow> EXPLAINED =
      Shape.out(
          "ObjectAnswer",
          Stream.concat(ROW_MEMBERS.stream(), Stream.of(WHY)).toList(),
          (answer, out) -> {
            write(answer.row(), out);
            out.put(WHY, answer.why());
          });

  private static final Member<List<ObjectRow>> ITEMS =
      Member.required("items", Type.list(Type.object(ROW)), "the rows of this page");
  private static final Member<Boolean> COMPLETE =
      Member.required(
          "complete",
          Type.BOOLEAN,
          "false if the work that a request may cost was used up: there may be more");
  private static final Member<Long> TOTAL =
      Member.required("total", COUNT_TYPE, "how many rows there are on all pages");
  private static final Member<Boolean> TOTAL_EXACT =
      Member.required(
          "totalIsExact", Type.BOOLEAN, "whether total is all of them, or as many as were counted");
  private static final Member<Optional<String>> NEXT_LINK =
      Member.required("next", Type.nullable(Type.TEXT), "the next page; null at the end");

  /// The links of a page.
  record Links(Optional<String> next) {}

  private static final Shape<Links> LINKS_SHAPE =
      Shape.out("Links", List.of(NEXT_LINK), (links, out) -> out.put(NEXT_LINK, links.next));
  private static final Member<Links> LINKS =
      Member.required("links", Type.object(LINKS_SHAPE), "where other pages are");

  /// A page of rows.
  record PageAnswer(
      List<ObjectRow> rows,
      Optional<String> cursor,
      Optional<String> next,
      boolean complete,
      Total total) {}

  static final Shape<PageAnswer> PAGE =
      Shape.out(
          "ObjectList",
          List.of(ITEMS, PageParameters.NEXT, LINKS, COMPLETE, TOTAL, TOTAL_EXACT),
          (page, out) ->
              out.put(ITEMS, page.rows)
                  .put(PageParameters.NEXT, page.cursor)
                  .put(LINKS, new Links(page.next))
                  .put(COMPLETE, page.complete)
                  .put(TOTAL, page.total.rows())
                  .put(TOTAL_EXACT, page.total.exact()));

  private static final Member<Long> COUNT = Member.required("count", COUNT_TYPE, "how many");
  static final Shape<Total> COUNTED =
      Shape.out(
          "ObjectCount",
          List.of(COUNT, COMPLETE),
          (total, out) -> out.put(COUNT, total.rows()).put(COMPLETE, total.exact()));

  private static final Member<String> NAME =
      Member.required("name", Type.TEXT, "what they have in common; empty if nothing was told");
  private static final Member<Long> BYTES = Member.required("bytes", COUNT_TYPE, "their bytes");
  private static final Shape<ObjectStats.Group> GROUP =
      Shape.out(
          "ObjectGroup",
          List.of(NAME, COUNT, BYTES),
          (group, out) ->
              out.put(NAME, group.name()).put(COUNT, group.count()).put(BYTES, group.bytes()));
  private static final Member<List<ObjectStats.Group>> BY_CLASS =
      Member.required("byStorageClass", Type.list(Type.object(GROUP)), "by storage class");
  private static final Member<List<ObjectStats.Group>> BY_REASON =
      Member.required("byReason", Type.list(Type.object(GROUP)), "by reason");
  private static final Member<List<ObjectStats.Group>> BY_PREFIX =
      Member.required(
          "byPrefix",
          Type.list(Type.object(GROUP)),
          "by what stands before the next delimiter, if one is given");
  static final Shape<ObjectStats> STATS =
      Shape.out(
          "ObjectStats",
          List.of(COUNT, BYTES, BY_CLASS, BY_REASON, BY_PREFIX, COMPLETE),
          (stats, out) ->
              out.put(COUNT, stats.count())
                  .put(BYTES, stats.bytes())
                  .put(BY_CLASS, stats.byClass())
                  .put(BY_REASON, stats.byReason())
                  .put(BY_PREFIX, stats.byPrefix())
                  .put(COMPLETE, stats.isComplete()));

  private static final Member<List<String>> IDS =
      Member.required("ids", Type.list(Type.TEXT), "the rows whose attributes were changed");

  /// The rows that a patch changed.
  record PatchAnswer(List<UUID> ids, String revision) {}

  static final Shape<PatchAnswer> PATCHED =
      Shape.out(
          "AttributesPatched",
          List.of(IDS, WriteReceipt.REVISION),
          (answer, out) ->
              out.put(IDS, answer.ids.stream().map(UUID::toString).toList())
                  .put(WriteReceipt.REVISION, answer.revision));

  private static final Member<Long> IDX =
      Member.required("idx", COUNT_TYPE, "its number, in the order of acceptance");
  private static final Member<Instant> TIME = Member.required("time", Type.TIME, "when it came");
  private static final Member<String> FAILED_CODE =
      Member.required("code", Type.TEXT, "what is wrong");
  private static final Member<String> DETAIL = Member.required("detail", Type.TEXT, "in words");
  private static final Member<String> FAILED_POINTER =
      Member.required("pointer", Type.TEXT, "where in the message, as a JSON pointer");
  private static final Member<String> MESSAGE =
      Member.required("message", Type.TEXT, "what came, the first 4,000 characters of it");
  static final Shape<FailedEvent> FAILED =
      Shape.out(
          "FailedEvent",
          List.of(IDX, TIME, FAILED_CODE, DETAIL, FAILED_POINTER, MESSAGE),
          (failed, out) ->
              out.put(IDX, failed.idx())
                  .put(TIME, failed.time())
                  .put(FAILED_CODE, failed.code().name())
                  .put(DETAIL, failed.detail())
                  .put(FAILED_POINTER, failed.pointer())
                  .put(MESSAGE, failed.message()));

  private ObjectShapes() {}

  private static void write(EventResult result, AnswerObject out) {
    switch (result) {
      case EventResult.Ingested(UUID id) ->
          out.put(STATUS, "ingested").put(RESULT_ID, id.toString());
      case EventResult.Duplicate(UUID id) ->
          out.put(STATUS, "duplicate").put(RESULT_ID, id.toString());
      case EventResult.Skipped(String reason) ->
          out.put(STATUS, "skipped").put(REASON_TEXT, reason);
      case EventResult.Rejected(Problem problem) ->
          out.put(STATUS, "rejected")
              .put(CODE, problem.code().name())
              .put(REASON_TEXT, problem.detail())
              .put(POINTER, problem.pointer().filter(at -> !at.isEmpty()))
              .put(RETRYABLE, Optional.of(problem.retryable()).filter(may -> may));
    }
  }

  private static void write(ObjectRow row, AnswerObject out) {
    out.put(ID, row.id().toString())
        .put(TYPE, row.type().text())
        .put(BUCKET, row.object().bucket())
        .put(KEY, row.object().key())
        .put(VERSION, row.identity().versionId())
        .put(EVENT_TIME, row.eventTime())
        .put(SIZE, row.facts().size())
        .put(SHA256, row.facts().sha256())
        .put(LAST_MODIFIED, row.facts().lastModified())
        .put(E_TAG, row.facts().eTag())
        .put(STORAGE_CLASS, row.facts().storageClass())
        .put(SEQUENCER, row.sequencer())
        .put(MARKER, row.isMarker())
        .put(REASON, row.reason().text())
        .put(ARCHIVE_STATUS, row.facts().archiveStatus())
        .put(CURRENT, row.isCurrent())
        .put(ACCESSIBLE, row.isAccessible())
        .put(INGEST_ID, row.facts().ingestId())
        .put(ATTRIBUTES, row.attributes().map(node -> node))
        .put(DUPLICATES, row.duplicates())
        .put(DELETED_DATE, row.deletion().map(ObjectRow.Deletion::time))
        .put(DELETED_SEQUENCER, row.deletion().map(ObjectRow.Deletion::sequencer))
        .put(REORDERED, Optional.of(row.reordered()).filter(count -> count > 0));
  }

  /// A result as a line.
  static byte[] line(EventResult result) {
    return JsonText.write(Type.object(RESULT).writing().apply(result));
  }

  static JsonNode example() {
    ObjectNode example = JsonNodeFactory.instance.objectNode();
    ObjectNode record = example.putArray("Records").addObject();
    record.put("eventTime", "2026-01-31T12:00:00Z").put("eventName", "ObjectCreated:Put");
    ObjectNode s3 = record.putObject("s3");
    s3.putObject("bucket").put("name", "lab");
    s3.putObject("object")
        .put("key", "runs/2026/sample+1.bam")
        .put("size", 1024)
        .put("eTag", "d41d8cd98f00b204e9800998ecf8427e")
        .put("sequencer", "0055AED6DCD90281E5");
    return example;
  }

  static JsonNode patchExample() {
    ObjectNode example = JsonNodeFactory.instance.objectNode();
    return example.put("op", "add").put("path", "/project").put("value", "atlas");
  }
}
