package dev.veridex.objects.event;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/// Reads messages about objects: S3 notifications and EventBridge events, as they are, in an SNS
/// envelope, or as the body of an SQS message.
///
/// A message is a foreign format: members that are not known are ignored. What cannot be read is a
/// result of its own, and costs no other record anything.
public final class EventParser {
  private static final int MAX_ENVELOPES = 4;
  private static final int MAX_RECORDS = 20_000;
  private static final String RECORDS = "Records";

  private EventParser() {}

  /// The records of a message, in their order.
  public static List<ParsedRecord> parse(JsonNode message) {
    List<ParsedRecord> parsed = new ArrayList<>();
    new Message(parsed).read(message, "", 0);
    return parsed;
  }

  /// A message that is not JSON.
  public static ParsedRecord malformed(Problem problem, byte[] given) {
    return new ParsedRecord.Malformed(
        bad(problem.detail(), "").with("found", problem.values().getOrDefault("found", "")),
        StringNode.valueOf(new String(given, StandardCharsets.UTF_8)));
  }

  static Problem bad(String detail, String pointer) {
    return Problem.of(ErrorCode.BAD_EVENT, detail).at(pointer);
  }

  private record Message(List<ParsedRecord> parsed) {
    private void read(JsonNode node, String pointer, int envelopes) {
      if (node.isNull()) {
        parsed.add(new ParsedRecord.Skipped("null"));
      } else if (node.isString()) {
        inner(node, pointer, envelopes);
      } else if (!node.isObject()) {
        malformed("A message is a JSON object.", pointer, node);
      } else if (node.path("Event").asString("").equals("s3:TestEvent")) {
        parsed.add(new ParsedRecord.Skipped("s3:TestEvent"));
      } else if (node.has(RECORDS) || node.has("Messages")) {
        records(node, pointer, envelopes);
      } else if (node.has("detail") || node.has("detail-type")) {
        record(node, pointer, new EventBridgeEvent());
      } else if (node.has("s3")) {
        record(node, pointer, new S3Record());
      } else {
        envelope(node, pointer, envelopes);
      }
    }

    /// The text in an envelope is a message again.
    private void envelope(JsonNode node, String pointer, int envelopes) {
      for (String name : List.of("Message", "Body", "body", "Sns")) {
        if (node.has(name)) {
          if (envelopes == MAX_ENVELOPES) {
            malformed("A message lies in at most four envelopes.", pointer, node);
          } else {
            read(node.get(name), JsonPointer.member(pointer, name), envelopes + 1);
          }
          return;
        }
      }
      malformed(
          "This is neither an S3 notification, nor an EventBridge event, nor an SNS or SQS envelope"
              + " around one: Records, detail, Message or body is required.",
          pointer,
          node);
    }

    private void inner(JsonNode text, String pointer, int envelopes) {
      JsonNode inner;
      try {
        inner = JsonText.read(text.asString().getBytes(StandardCharsets.UTF_8));
      } catch (VeridexException e) {
        malformed("The text in this envelope is not JSON.", pointer, text);
        return;
      }
      if (inner.isString()) {
        malformed("The text in this envelope is a text again, and no message.", pointer, text);
      } else {
        read(inner, pointer, envelopes);
      }
    }

    private void records(JsonNode node, String pointer, int envelopes) {
      String name = node.has(RECORDS) ? RECORDS : "Messages";
      String all = JsonPointer.member(pointer, name);
      JsonNode records = node.get(name);
      if (!records.isArray()) {
        malformed("A list of records is required.", all, records);
        return;
      }
      if (records.size() > MAX_RECORDS) {
        malformed(
            "A message has at most %d records, and this one has %d."
                .formatted(MAX_RECORDS, records.size()),
            all,
            StringNode.valueOf("%d records".formatted(records.size())));
        return;
      }
      for (int i = 0; i < records.size(); i++) {
        JsonNode each = records.get(i);
        String at = JsonPointer.element(all, i);
        boolean enveloped = each.has("body") || each.has("Body") || each.has("Sns");
        if (enveloped && !each.has("s3")) {
          envelope(each, at, envelopes);
        } else {
          record(each, at, new S3Record());
        }
      }
    }

    private void record(JsonNode node, String pointer, RecordShape shape) {
      try {
        parsed.add(shape.read(new EventNode(node, pointer)));
      } catch (VeridexException e) {
        parsed.add(new ParsedRecord.Malformed(e.problem(), node));
      }
    }

    private void malformed(String detail, String pointer, JsonNode given) {
      parsed.add(new ParsedRecord.Malformed(bad(detail, pointer), given));
    }
  }

  /// Reads a record of one shape.
  @FunctionalInterface
  interface RecordShape {
    /// What a record comes to.
    ///
    /// @throws VeridexException `BAD_EVENT`, `BAD_SEQUENCER`
    ParsedRecord read(EventNode node);
  }
}
