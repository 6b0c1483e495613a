package dev.veridex.http.shape;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.json.JsonText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class ShapeTest {
  private static final Member<String> NAME = Member.required("name", Type.ID, "a name");
  private static final Member<Long> SIZE = Member.optional("size", Type.whole(1, 9), "a size");
  private static final Member<List<Scope>> SCOPES =
      Member.optional("scopes", Type.list(Type.SCOPE), "scopes");
  private static final Member<Boolean> GOOD = Member.optional("good", Type.BOOLEAN, "good?");

  private record Thing(
      String name, Optional<Long> size, List<Scope> scopes, Optional<Boolean> good) {}

  private static final Shape<Thing> SHAPE =
      Shape.of(
          "Thing",
          List.of(NAME, SIZE, SCOPES, GOOD),
          given ->
              new Thing(
                  given.get(NAME),
                  given.find(SIZE),
                  given.find(SCOPES).orElse(List.of()),
                  given.find(GOOD)),
          (thing, out) ->
              out.put(NAME, thing.name)
                  .put(SIZE, thing.size)
                  .put(SCOPES, thing.scopes)
                  .put(GOOD, thing.good));

  private static Thing read(String json) {
    return SHAPE.read(JsonText.read(json.getBytes(UTF_8)), "");
  }

  private static Problem problem(String json) {
    try {
      read(json);
    } catch (VeridexException e) {
      return e.problem();
    }
    throw new AssertionError("accepted: " + json);
  }

  @Test
  void whatIsWrittenIsRead() {
    Thing thing =
        new Thing("a/b", Optional.of(3L), List.of(Scope.parse("tenant:x")), Optional.of(true));
    JsonNode json = SHAPE.write(thing);
    assertThat(SHAPE.read(json, "")).isEqualTo(thing);
    assertThat(read("{\"name\":\"n\",\"size\":null}"))
        .isEqualTo(new Thing("n", Optional.empty(), List.of(), Optional.empty()));
  }

  @Test
  void theMemberAtFaultIsNamed() {
    Map<String, String> faults =
        Map.ofEntries(
            Map.entry("[]", ""),
            Map.entry("{}", "/name"),
            Map.entry("{\"name\":null}", "/name"),
            Map.entry("{\"name\":1}", "/name"),
            Map.entry("{\"name\":\"\"}", "/name"),
            Map.entry("{\"name\":\"" + "é".repeat(551) + "\"}", "/name"),
            Map.entry("{\"name\":\"\\ud800\"}", "/name"),
            Map.entry("{\"name\":\"n\",\"size\":0}", "/size"),
            Map.entry("{\"name\":\"n\",\"size\":10}", "/size"),
            Map.entry("{\"name\":\"n\",\"size\":1.5}", "/size"),
            Map.entry("{\"name\":\"n\",\"size\":1e400}", "/size"),
            Map.entry("{\"name\":\"n\",\"size\":99999999999999999999}", "/size"),
            Map.entry("{\"name\":\"n\",\"size\":\"3\"}", "/size"),
            Map.entry("{\"name\":\"n\",\"good\":\"true\"}", "/good"),
            Map.entry("{\"name\":\"n\",\"scopes\":{}}", "/scopes"),
            Map.entry("{\"name\":\"n\",\"scopes\":[\"global\",\"x\"]}", "/scopes/1"),
            Map.entry("{\"name\":\"n\",\"a/b~c\":1}", "/a~1b~0c"));
    faults.forEach(
        (json, pointer) -> assertThat(problem(json).pointer()).as(json).contains(pointer));
  }

  @Test
  void aMisspeltMemberIsGuessed() {
    assertThat(problem("{\"nmae\":\"n\"}").values()).containsEntry("didYouMean", "name");
    assertThat(problem("{\"" + "x".repeat(10_000) + "\":1}").values()).isEmpty();
  }

  @Test
  void anUndeclaredMemberIsAFaultOfOurs() {
    Shape<String> wrong = Shape.out("Wrong", List.of(NAME), (_, out) -> out.put(SIZE, 1L));
    assertThatIllegalStateException().isThrownBy(() -> wrong.write("x"));
    Shape<String> missing = Shape.out("Missing", List.of(NAME), (_, _) -> {});
    assertThatIllegalStateException().isThrownBy(() -> missing.write("x"));
    assertThatThrownBy(() -> missing.read(JsonText.read("{}".getBytes(UTF_8)), ""))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
