package dev.veridex.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.RightsPage;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.RightsLister;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Rights;
import dev.veridex.access.visibility.DecisionCache;
import dev.veridex.access.visibility.PermittedResources;
import dev.veridex.common.Seeds;
import dev.veridex.common.Utf8Order;
import dev.veridex.suite.Campaign;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The slow model, the check on the store and the check in memory, side by side: in many random
/// worlds they answer every question alike, and lists agree with them.
final class EvaluatorsTest {
  private static final int MESSAGES = 40;

  @Test
  @Tag("campaign")
  void threeEvaluatorsAgree() {
    long[] triples = new long[1];
    int worlds = Campaign.ACCESS_WORLDS.size();
    Seeds.forEach(worlds, seed -> triples[0] += new World(seed).compare());
    Campaign.ACCESS_WORLDS.count(triples[0], "questions");
    assertThat(triples[0] / worlds).as("questions a world").isGreaterThanOrEqualTo(500);
  }

  /// Objects with hundreds of subjects, and groups with hundreds of members, are kept in another
  /// way.
  @Test
  @Tag("campaign")
  void largeSetsAgree() {
    Campaign.ACCESS_LARGE_WORLDS.forEach(
        seed -> {
          Random random = new Random(seed);
          TestIndex index = new TestIndex();
          List<JsonNode> statements = new ArrayList<>();
          for (int i = 0; i < 40; i++) {
            statements.add(large(random, i));
          }
          index.applyAll(statements.subList(0, 20));
          CompiledIndex compiled = index.applyTo(index.loaded(), statements.subList(20, 40));
          CompiledCheck check = new CompiledCheck(compiled);
          DecisionCache decisions = new DecisionCache(1 << 20);
          for (int i = 0; i < 400; i++) {
            CheckRequest question =
                CheckRequest.of(
                    (random.nextInt(5) == 0 ? "g" : "u") + random.nextInt(700),
                    (random.nextInt(3) == 0 ? "g" : "d") + random.nextInt(3),
                    Optional.empty(),
                    Optional.empty());
            int rights = index.check(question).rights();
            assertThat(check.rights(question)).as("%s", question).isEqualTo(rights);
            PermittedResources permitted =
                decisions.of(compiled, question.subject(), List.of(), Rights.READ);
            assertThat(permitted.test(permitted.find(question.resource())))
                .as("%s", question)
                .isEqualTo((rights & Rights.READ) != 0);
          }
        });
  }

  private static JsonNode large(Random random, int number) {
    ObjectNode state = JsonNodeFactory.instance.objectNode();
    boolean membership = random.nextInt(3) == 0;
    state.put("@id", "i" + number);
    state.put("rdf:type", membership ? "v-s:Membership" : "v-s:PermissionStatement");
    ArrayNode many = state.putArray(membership ? "v-s:resource" : "v-s:permissionSubject");
    int from = random.nextInt(600);
    for (int n = from; n < from + 100; n++) {
      many.add("u" + n);
    }
    String one = (membership || random.nextInt(3) == 0 ? "g" : "d") + random.nextInt(3);
    state.put(membership ? "v-s:memberOf" : "v-s:permissionObject", one);
    if (!membership) {
      many.add("g" + random.nextInt(3));
      state.put("v-s:canRead", random.nextInt(8) > 0);
      state.put("v-s:canUpdate", random.nextInt(8) > 0);
      if (random.nextInt(10) == 0) {
        state.put("v-s:isExclusive", true);
      }
    }
    return JsonNodeFactory.instance
        .objectNode()
        .put("cmd", "update")
        .put("opId", number + 1)
        .set("newState", state);
  }

  /// A random world, which the compiled index follows commit by commit.
  private static final class World {
    private final Random random;
    private final Worlds made;
    private final AccessModel model = new AccessModel();
    private final TestIndex index = new TestIndex();
    private final DecisionCache decisions;
    private CompiledIndex compiled = CompiledIndex.empty(IndexKey.ALL_RESOURCES);

    private World(long seed) {
      random = new Random(seed);
      made = new Worlds(random);
      // Some forget nearly everything.
      decisions =
          new DecisionCache(random.nextBoolean() ? 1000 : 1 << 20, random.nextBoolean() ? 1000 : 5);
    }

    long compare() {
      List<JsonNode> messages = made.messages(MESSAGES);
      for (int from = 0; from < messages.size(); ) {
        int to = Math.min(messages.size(), from + random.nextInt(1, 8));
        List<JsonNode> batch = messages.subList(from, to);
        batch.forEach(model::apply);
        compiled = from == 0 ? first(batch) : index.applyTo(compiled, batch);
        decisions();
        from = to;
      }
      if (random.nextInt(4) == 0) {
        // One that was read from the store knows names in another order.
        compiled = index.loaded();
        decisions();
      }
      Optional<String> bucket =
          random.nextInt(3) == 0 ? Optional.of(Worlds.BUCKET) : Optional.empty();
      made.subjects().forEach(this::decisions);
      long asked = checks(bucket);
      lists(bucket);
      index.store.close();
      return asked;
    }

    /// What an index begins with is only in the store.
    private CompiledIndex first(List<JsonNode> batch) {
      index.applyAll(batch);
      return index.loaded();
    }

    private long checks(Optional<String> bucket) {
      CompiledCheck check = new CompiledCheck(compiled);
      long asked = 0;
      for (String subject : made.subjects()) {
        for (String resource : made.resources()) {
          for (Optional<String> filter : made.filters()) {
            CheckRequest question = CheckRequest.of(subject, resource, filter, bucket);
            int expected = rights(question);
            assertThat(check.rights(question)).as("in memory, %s", question).isEqualTo(expected);
            assertThat(index.check(question).rights())
                .as("on the store, %s", question)
                .isEqualTo(expected);
            asked++;
          }
        }
      }
      return asked;
    }

    private int rights(CheckRequest question) {
      return model.rights(
          question.subject(),
          question.resource(),
          question.filter(),
          question.implicit(),
          List.of(),
          List.of());
    }

    /// What a subject may see of everything at once.
    private void decisions() {
      List<String> subjects = made.subjects();
      decisions(subjects.get(random.nextInt(subjects.size())));
      decisions(subjects.get(random.nextInt(subjects.size())));
    }

    private void decisions(String subject) {
      int right = 1 << random.nextInt(4) | (random.nextInt(6) == 0 ? Rights.READ : 0);
      // What was decided once is said again in another way.
      List<String> resources = new ArrayList<>(made.resources());
      resources.addAll(made.resources());
      Collections.shuffle(resources, random);
      for (List<String> implicit : List.of(List.<String>of(), List.of("bucket:b"))) {
        PermittedResources permitted = decisions.of(compiled, subject, implicit, right);
        List<String> asked = random.nextInt(10) == 0 ? resources : List.of();
        // Many may ask at a time.
        Map<String, Boolean> together =
            asked.parallelStream()
                .distinct()
                .collect(
                    Collectors.toConcurrentMap(
                        resource -> resource,
                        resource -> permitted.test(permitted.find(resource))));
        Map<String, Boolean> model = new HashMap<>();
        boolean all = true;
        boolean none = true;
        for (String resource : resources) {
          boolean expected =
              model.computeIfAbsent(
                  resource,
                  each ->
                      (rights(new CheckRequest(subject, each, Optional.empty(), implicit)) & right)
                          == right);
          assertThat(permitted.test(permitted.find(resource)))
              .as("%s of %s on %s, also in %s", right, subject, resource, implicit)
              .isEqualTo(together.getOrDefault(resource, expected))
              .isEqualTo(expected);
          all &= expected;
          none &= !expected;
        }
        assertThat(all || !permitted.isEverything()).as("not everything").isTrue();
        assertThat(none || !permitted.isNothing()).as("not nothing").isTrue();
      }
    }

    private void lists(Optional<String> bucket) {
      CompiledCheck check = new CompiledCheck(compiled);
      CheckRequest any = CheckRequest.of("nobody", "nothing", Optional.empty(), bucket);
      check.implicit(any.implicit());
      RightsLister listing = new RightsLister(check, CheckRequest::folders);
      for (String subject : made.subjects()) {
        int rights = 1 << random.nextInt(4) | (random.nextInt(4) == 0 ? Rights.READ : 0);
        boolean all = has(subject, "never seen", bucket, rights);
        Set<String> expected = new TreeSet<>(Utf8Order.INSTANCE);
        for (String resource : made.resources()) {
          if (model.bearsRecord(resource) && has(subject, resource, bucket, rights) != all) {
            expected.add(resource);
          }
        }
        List<String> found = new ArrayList<>();
        Optional<String> after = Optional.of("");
        while (after.isPresent()) {
          RightsPage part =
              listing.resources(subject, rights, false, after.get(), random.nextInt(1, 5));
          assertThat(part.all()).as("all for %s", subject).isEqualTo(all);
          found.addAll(part.ids());
          after = part.next();
        }
        assertThat(found)
            .as("%s of %s in %s, all %s", Rights.letters(rights), subject, bucket, all)
            .containsExactlyElementsOf(expected);
      }
      for (String resource : made.resources()) {
        int rights = 1 << random.nextInt(4);
        Set<String> expected = new TreeSet<>(Utf8Order.INSTANCE);
        for (String subject : made.everybody()) {
          if (has(subject, resource, bucket, rights)) {
            expected.add(subject);
          }
        }
        check.implicit(CheckRequest.of("nobody", resource, Optional.empty(), bucket).implicit());
        List<String> found = new ArrayList<>();
        Optional<String> after = Optional.of("");
        while (after.isPresent()) {
          RightsPage part = listing.subjects(resource, rights, after.get(), random.nextInt(1, 5));
          found.addAll(part.ids());
          after = part.next();
        }
        assertThat(found)
            .as("who has %s on %s in %s", Rights.letters(rights), resource, bucket)
            .containsExactlyElementsOf(expected);
      }
    }

    private boolean has(String subject, String resource, Optional<String> bucket, int rights) {
      return (rights(CheckRequest.of(subject, resource, Optional.empty(), bucket)) & rights)
          == rights;
    }
  }
}
