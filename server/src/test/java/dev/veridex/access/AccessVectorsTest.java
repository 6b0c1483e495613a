package dev.veridex.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;

/// The cases of `access.json`, on the rules alone.
final class AccessVectorsTest {
  @TestFactory
  List<DynamicTest> cases() {
    List<DynamicTest> tests = new ArrayList<>();
    Vectors.read("access.json")
        .forEach(
            each ->
                tests.add(
                    DynamicTest.dynamicTest(
                        each.get("id").asString() + " " + each.get("name").asString(),
                        () -> run(each))));
    return tests;
  }

  private static void run(JsonNode vector) {
    TestIndex index = new TestIndex();
    for (JsonNode step : vector.get("steps")) {
      List<String> statuses = new ArrayList<>();
      step.get("messages").forEach(message -> statuses.add(index.apply(message).text()));
      assertThat(statuses)
          .isEqualTo(step.get("status").valueStream().map(JsonNode::asString).toList());
      assertThat(index.texts(TextFormat.V2)).isEqualTo(texts(step.get("index")));
      assertThat(index.texts(TextFormat.V1)).isEqualTo(texts(step.get("indexV1")));
      for (JsonNode expected : step.get("rights")) {
        CheckRequest question =
            CheckRequest.of(
                expected.get("subject").asString(),
                expected.get("resource").asString(),
                Optional.ofNullable(expected.get("filter")).map(JsonNode::asString),
                Optional.empty());
        assertThat(Rights.letters(index.check(question).rights()))
            .as("%s", expected)
            .isEqualTo(expected.get("rights").asString());
      }
    }
  }

  private static Map<String, String> texts(JsonNode object) {
    Map<String, String> texts = new TreeMap<>();
    object.forEachEntry((key, value) -> texts.put(key, value.asString()));
    return texts;
  }
}
