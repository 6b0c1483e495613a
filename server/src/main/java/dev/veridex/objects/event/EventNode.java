package dev.veridex.objects.event;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// A JSON value of an event and where it stands.
record EventNode(JsonNode node, String pointer) {
  /// The longest name of a storage class: objects are counted by it.
  static final int CLASS_BYTES = 64;

  private static final int MAX_TEXT_BYTES = 1024;
  private static final BigInteger MAX_SIZE = BigInteger.valueOf(Long.MAX_VALUE);
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

  private static final int SHOWN = 60;

  /// A member that is an object; required.
  EventNode object(String name) {
    EventNode member = new EventNode(node.path(name), JsonPointer.member(pointer, name));
    if (!member.node.isObject()) {
      throw member.wrong("%s is required, a JSON object.".formatted(name));
    }
    return member;
  }

  /// A member that may be an object; an empty one otherwise.
  EventNode objectOrNone(String name) {
    return new EventNode(node.path(name), JsonPointer.member(pointer, name));
  }

  VeridexException wrong(String detail) {
    return new VeridexException(EventParser.bad(detail, pointer));
  }

  /// A text member; required.
  String text(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new EventNode(node, JsonPointer.member(pointer, name))
                    .wrong("%s is required.".formatted(name)));
  }

  /// A text member; what is null or empty is absent.
  Optional<String> find(String name) {
    JsonNode member = node.path(name);
    if (member.isMissingNode() || member.isNull()) {
      return Optional.empty();
    }
    EventNode at = new EventNode(member, JsonPointer.member(pointer, name));
    if (!member.isString()) {
      throw at.wrong("%s must be a text, not %s.".formatted(name, shown(member)));
    }
    String text = member.asString();
    if (!KeyWriter.isWellFormed(text)) {
      throw at.wrong("%s must be well-formed Unicode.".formatted(name));
    }
    return Optional.of(text).filter(each -> !each.isEmpty());
  }

  /// A text member of at most 1024 bytes.
  Optional<String> brief(String name) {
    return brief(name, MAX_TEXT_BYTES);
  }

  /// A text member of at most so many bytes.
  Optional<String> brief(String name, int most) {
    Optional<String> text = find(name);
    if (text.filter(each -> each.getBytes(StandardCharsets.UTF_8).length > most).isPresent()) {
      throw new EventNode(node, JsonPointer.member(pointer, name))
          .wrong("%s has at most %d bytes of UTF-8.".formatted(name, most));
    }
    return text;
  }

  /// A point in time; required.
  Instant time(String name) {
    String text = text(name);
    try {
      Instant time = OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MICROS);
      if (!time.isBefore(FIRST) && !time.isAfter(LAST)) {
        return time;
      }
    } catch (DateTimeException e) {
      // It is told below.
    }
    throw new EventNode(node, JsonPointer.member(pointer, name))
        .wrong("%s must be a time as 2026-01-31T12:00:00Z, not \"%s\".".formatted(name, cut(text)));
  }

  /// The size of an object, if it is told.
  Optional<Long> size(String name) {
    JsonNode member = node.path(name);
    if (member.isMissingNode() || member.isNull()) {
      return Optional.empty();
    }
    boolean good =
        member.isIntegralNumber()
            && member.bigIntegerValue().signum() >= 0
            && member.bigIntegerValue().compareTo(MAX_SIZE) <= 0;
    if (!good) {
      throw new EventNode(member, JsonPointer.member(pointer, name))
          .wrong(
              "%s must be a whole number from 0 to 9223372036854775807, not %s."
                  .formatted(name, shown(member)));
    }
    return Optional.of(member.bigIntegerValue().longValueExact());
  }

  /// A sequencer, if there is one.
  Optional<Sequencer> sequencer(String name) {
    JsonNode member = node.path(name);
    if (member.isMissingNode() || member.isNull()) {
      return Optional.empty();
    }
    String text = member.isString() ? member.asString() : "";
    return Optional.of(
        Sequencer.of(text)
            .orElseThrow(
                () ->
                    new VeridexException(
                        Problem.of(
                                ErrorCode.BAD_SEQUENCER,
                                "A sequencer has 1 to 30 hexadecimal digits, unlike %s."
                                    .formatted(shown(member)))
                            .at(JsonPointer.member(pointer, name)))));
  }

  private static String shown(JsonNode node) {
    return cut(node.toString());
  }

  private static String cut(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
  }
}
