package dev.veridex.objects.catalogue;

import dev.veridex.common.ErrorCode;
import dev.veridex.json.JsonText;
import dev.veridex.objects.event.ParsedRecord;
import dev.veridex.records.JsonRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A record of a message that could not be read, as it is kept for a while.
///
/// @param idx its number, in the order of acceptance
/// @param message the beginning of what came
public record FailedEvent(
    long idx, Instant time, ErrorCode code, String detail, String pointer, String message) {
  /// How long one is kept.
  static final Duration KEPT = Duration.ofDays(30);

  private static final int MAX_MESSAGE = 4000;

  static byte[] encode(ParsedRecord.Malformed malformed, Instant now) {
    String message =
        malformed.given().isString()
            ? malformed.given().asString()
            : new String(JsonText.write(malformed.given()), StandardCharsets.UTF_8);
    ObjectNode object = JsonRecord.object();
    object.put("time", now.toString());
    object.put("code", malformed.problem().code().name());
    object.put("detail", malformed.problem().detail());
    object.put("pointer", malformed.problem().pointer().orElse(""));
    object.put("message", cut(message));
    return JsonRecord.bytes(object);
  }

  /// Never half a character.
  private static String cut(String text) {
    if (text.length() <= MAX_MESSAGE) {
      return text;
    }
    boolean half = Character.isHighSurrogate(text.charAt(MAX_MESSAGE - 1));
    return text.substring(0, half ? MAX_MESSAGE - 1 : MAX_MESSAGE) + "…";
  }

  static FailedEvent decode(long idx, byte[] bytes) {
    JsonNode node = JsonRecord.read(bytes);
    return new FailedEvent(
        idx,
        Instant.parse(node.get("time").asString()),
        ErrorCode.valueOf(node.get("code").asString()),
        node.get("detail").asString(),
        node.get("pointer").asString(),
        node.get("message").asString());
  }
}
