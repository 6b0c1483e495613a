package dev.veridex.json;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// JSON as bytes, read strictly: one value in well-formed UTF-8, no member twice, nothing after it.
public final class JsonText {
  private static final int MAX_DEPTH = 200;

  /// A tree takes many times the memory of its text; this keeps the worst of them in bounds.
  private static final long MAX_TOKENS = 2_000_000;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxTokenCount(MAX_TOKENS)
                          .build())
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          // What is kept for others is kept to the last digit.
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private JsonText() {}

  /// The value of a text.
  ///
  /// @throws VeridexException `BAD_REQUEST`, saying where it is not JSON
  public static JsonNode read(byte[] bytes) {
    String text = decode(bytes);
    if (text.isBlank()) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "a JSON value is expected").at(""));
    }
    try {
      return MAPPER.readTree(text);
    } catch (NumberFormatException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "a number is beyond all bounds"), e);
    } catch (JacksonException e) {
      // The library's sentence may quote the text; it is the caller's own.
      Problem problem =
          Problem.of(ErrorCode.BAD_REQUEST, "this is not JSON as we read it")
              .with("found", e.getOriginalMessage());
      // Where a limit is exceeded, it does not say where.
      TokenStreamLocation at = e.getLocation();
      throw new VeridexException(
          at == null
              ? problem
              : problem.with("line", at.getLineNr()).with("column", at.getColumnNr()),
          e);
    }
  }

  private static String decode(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "the body is not well-formed UTF-8"), e);
    }
  }

  public static byte[] write(JsonNode node) {
    return MAPPER.writeValueAsBytes(node);
  }
}
