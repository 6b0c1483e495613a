package dev.veridex.settings;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLParser;

/// A YAML text, and on which line each of its values stands.
///
/// @param lines by the JSON pointer of the value
public record YamlText(JsonNode root, Map<String, Integer> lines) {
  public YamlText {
    lines = Map.copyOf(lines);
  }

  /// Reads a text.
  ///
  /// @throws VeridexException `BAD_REQUEST` naming the line
  public static YamlText read(String text) {
    YAMLMapper yaml =
        YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    Map<String, Integer> lines = new HashMap<>();
    try (JsonParser parser = yaml.createParser(text)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (parser instanceof YAMLParser one && one.isCurrentAlias()) {
          // It would be read as the text that it is called by.
          throw new VeridexException(
              Problem.of(ErrorCode.BAD_REQUEST, "aliases are not read here: write it out")
                  .with("line", parser.currentTokenLocation().getLineNr()));
        }
        if (token != JsonToken.PROPERTY_NAME) {
          lines.putIfAbsent(
              parser.streamReadContext().pathAsPointer().toString(),
              parser.currentTokenLocation().getLineNr());
        }
      }
      return new YamlText(yaml.readTree(text), lines);
    } catch (JacksonException e) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "this is not YAML")
              .with("line", e.getLocation() == null ? 0 : e.getLocation().getLineNr()),
          e);
    }
  }

  /// The line of a value.
  public int line(String pointer) {
    return lines.getOrDefault(pointer, 0);
  }
}
