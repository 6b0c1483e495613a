package dev.veridex.access.visibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.access.TestIndex;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Rights;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// What a subject may see of everything at once, where groups are exclusive. That it is what the
/// check says, `EvaluatorsTest` tries in random worlds.
final class DecisionCacheTest {
  private static final String EXCLUSIVE = "v-s:isExclusive";
  private static final String IGNORING = "v-s:ignoreExclusive";

  private final TestIndex index = new TestIndex();
  private final List<JsonNode> messages = new ArrayList<>();
  private final DecisionCache decisions = new DecisionCache(1 << 20);

  private void state(ObjectNode state) {
    int op = messages.size() + 1;
    state.put("@id", "i" + op);
    messages.add(
        JsonNodeFactory.instance
            .objectNode()
            .put("cmd", "update")
            .put("opId", op)
            .set("newState", state));
  }

  private void member(String what, String of, String... markers) {
    ObjectNode state = JsonNodeFactory.instance.objectNode();
    state.put("rdf:type", "v-s:Membership").put("v-s:resource", what).put("v-s:memberOf", of);
    for (String marker : markers) {
      state.put(marker, true);
    }
    state(state);
  }

  private void permit(String who, String on) {
    state(
        JsonNodeFactory.instance
            .objectNode()
            .put("rdf:type", "v-s:PermissionStatement")
            .put("v-s:permissionSubject", who)
            .put("v-s:permissionObject", on)
            .put("v-s:canRead", true));
  }

  private CompiledIndex done() {
    index.applyAll(messages);
    return index.loaded();
  }

  private boolean agreed(CompiledIndex compiled, String subject, String resource) {
    CheckRequest question = CheckRequest.of(subject, resource, Optional.empty(), Optional.of("b"));
    boolean may = (index.check(question).rights() & Rights.READ) != 0;
    PermittedResources permitted =
        decisions.of(compiled, subject, List.of("bucket:b"), Rights.READ);
    assertThat(permitted.test(permitted.find(resource)))
        .as("%s on %s", subject, resource)
        .isEqualTo(may);
    return may;
  }

  @Test
  void whoIsKeptInSeesWhatIsInTheSameGroup() {
    permit("u", IndexKey.ALL_RESOURCES);
    member("u", "g", EXCLUSIVE);
    member("in", "g");
    member("out", "folder");
    CompiledIndex compiled = done();
    assertThat(agreed(compiled, "u", "in")).isTrue();
    assertThat(agreed(compiled, "u", "out")).isFalse();
    assertThat(agreed(compiled, "u", "nowhere")).isTrue();
  }

  @Test
  void whatIsBeyondAMembershipThatIgnoresItKeepsNobodyIn() {
    permit("u", IndexKey.ALL_RESOURCES);
    member("u", "g1", IGNORING);
    member("g1", "g2", EXCLUSIVE);
    member("doc", "folder");
    assertThat(agreed(done(), "u", "doc")).isTrue();
  }

  @Test
  void whoIsKeptInWhereEverythingIsSeesEverything() {
    permit("u", IndexKey.ALL_RESOURCES);
    permit("v", IndexKey.ALL_RESOURCES);
    member("u", "bucket:b", EXCLUSIVE);
    member("v", IndexKey.ALL_RESOURCES, EXCLUSIVE);
    member("doc", "folder");
    CompiledIndex compiled = done();
    assertThat(agreed(compiled, "u", "doc")).isTrue();
    assertThat(agreed(compiled, "v", "doc")).isTrue();
  }

  /// Those who pass for the same ones share what was decided.
  @Test
  void whatIsDecidedForOneHoldsForTheOther() {
    permit("all", IndexKey.ALL_RESOURCES);
    member("u", "all");
    member("v", "all");
    member("u", "g1", IGNORING);
    member("g1", "g2", EXCLUSIVE);
    member("doc", "folder");
    CompiledIndex compiled = done();
    assertThat(agreed(compiled, "u", "doc")).isTrue();
    assertThat(agreed(compiled, "v", "doc")).isTrue();
    assertThat(decisions.of(compiled, "u", List.of(), Rights.READ))
        .isSameAs(decisions.of(compiled, "v", List.of(), Rights.READ));
  }

  /// Groups in a circle, and groups in more groups than anybody has.
  @Test
  void circlesAndDepthsAreFollowedToTheEnd() {
    permit("u", "top");
    for (int i = 0; i < 1000; i++) {
      member(i == 0 ? "doc" : "level" + i, i == 999 ? "top" : "level" + (i + 1));
    }
    member("top", "level5");
    member("other", "level7");
    CompiledIndex compiled = done();
    assertThat(agreed(compiled, "u", "doc")).isTrue();
    assertThat(agreed(compiled, "u", "other")).isTrue();
    assertThat(agreed(compiled, "u", "nowhere")).isFalse();
  }
}
