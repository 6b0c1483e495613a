package dev.veridex.access;

import static dev.veridex.TestDomain.ACME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestDomain;
import dev.veridex.access.ledger.MessageStatus;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.identity.Token;
import dev.veridex.json.JsonText;
import dev.veridex.store.Store;
import dev.veridex.tenancy.IncarnationRecords;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// How much one individual, and one transaction, may hold.
final class AccessLimitsTest {
  private final TestDomain acme = TestDomain.inMemory();
  private final Store store = acme.store();
  private final Domain domain = acme.domain();
  private final Token root = acme.root();
  private final TestIndex index = new TestIndex(store);

  @AfterEach
  void close() {
    acme.close();
  }

  private static JsonNode json(String text) {
    return JsonText.read(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  private List<String> drift() {
    return new AccessIntegrity(store, new IncarnationRecords()).run(_ -> {}).drift();
  }

  private static ObjectNode large(int objects, int subjects, String id) {
    ObjectNode large = JsonNodeFactory.instance.objectNode();
    large.put("@id", "large").put("rdf:type", "v-s:Membership");
    IntStream.range(0, objects).forEach(i -> large.withArray("v-s:resource").add(id + i));
    IntStream.range(0, subjects).forEach(i -> large.withArray("v-s:memberOf").add("g" + i));
    return large;
  }

  private static ObjectNode command(int from, int count, boolean deleted) {
    ObjectNode command = JsonNodeFactory.instance.objectNode();
    command.put("@id", "command").put("rdf:type", "v-s:Membership").put("v-s:dropCount", true);
    command.put("v-s:memberOf", "g");
    IntStream.range(from, from + count)
        .forEach(i -> command.withArray("v-s:resource").add("u" + i));
    return deleted ? command.put("v-s:deleted", true) : command;
  }

  @Test
  void anIndividualNamesUpToAHundredThousandRecords() {
    List<AccessIndex.Result> results =
        domain
            .access()
            .index()
            .put(
                root,
                ACME,
                List.of(
                    MessageInput.of(large(100_001, 1, "r")),
                    MessageInput.of(large(317, 316, "r")),
                    MessageInput.of(large(90_000, 1, "r".repeat(1000))),
                    MessageInput.of(large(100_000, 1, "r".repeat(40)))))
            .results();
    assertThat(results)
        .extracting(AccessIndex.Result::status)
        .containsExactly(
            MessageStatus.REJECTED,
            MessageStatus.REJECTED,
            MessageStatus.REJECTED,
            MessageStatus.APPLIED);
    assertThat(results.getFirst().problem().orElseThrow().values())
        .containsEntry("tuples", "100001")
        .containsEntry("max", "100000");
    assertThat(index.recordsOf(IndexKey.memberships("r".repeat(40) + "99999"))).hasSize(1);
    ObjectNode gone = JsonNodeFactory.instance.objectNode();
    gone.put("@id", "large").put("rdf:type", "v-s:Membership").put("v-s:deleted", true);
    domain.access().index().put(root, ACME, List.of(MessageInput.of(gone)));
    assertThat(index.recordsOf(IndexKey.memberships("r".repeat(40) + "99999"))).isEmpty();
    assertThat(drift()).isEmpty();
  }

  @Test
  void whatCommandsKeepIsLimitedSoThatItCanAlwaysBeTakenBack() {
    List<AccessIndex.Result> results =
        domain
            .access()
            .index()
            .put(
                root,
                ACME,
                List.of(
                    MessageInput.of(command(0, 60_000, false)),
                    MessageInput.of(command(60_000, 60_000, false)),
                    MessageInput.of(command(0, 1, true)),
                    MessageInput.of(command(60_000, 60_000, false))))
            .results();
    assertThat(results)
        .extracting(AccessIndex.Result::status)
        .containsExactly(
            MessageStatus.APPLIED,
            MessageStatus.REJECTED,
            MessageStatus.APPLIED,
            MessageStatus.APPLIED);
    assertThat(results.get(1).problem().orElseThrow().values()).containsEntry("tuples", "120000");
    assertThat(index.read(reader -> reader.commands("command", 1_000_000)).size())
        .as("what a deletion ended is not kept")
        .isEqualTo(60_000);
    assertThat(index.recordsOf(IndexKey.memberships("u7"))).isEmpty();
    assertThat(index.recordsOf(IndexKey.memberships("u60007"))).hasSize(1);
    assertThat(drift()).isEmpty();
  }

  @Test
  void aBatchIsSplitByWhatItTakesBack() {
    List<MessageInput> stated = new ArrayList<>();
    List<MessageInput> removed = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      stated.add(MessageInput.of(large(15_000, 1, "r" + i).put("@id", "large" + i)));
      removed.add(
          MessageInput.of(
              json("{'cmd':'remove','prevState':{'@id':'large%d'},'newState':null}".formatted(i))));
    }
    domain.access().index().put(root, ACME, stated);
    long before = store.revision().sequence();
    assertThat(domain.access().index().put(root, ACME, removed).results())
        .extracting(AccessIndex.Result::status)
        .containsOnly(MessageStatus.APPLIED)
        .hasSize(4);
    assertThat(store.revision().sequence() - before).as("transactions").isEqualTo(2);
    assertThat(drift()).isEmpty();
  }

  /// Old and new state of the largest one that is taken fit into one transaction, with their past.
  @Test
  void aLargeIndividualCanBeReplaced() {
    for (String round : List.of("o", "q")) {
      ObjectNode large = JsonNodeFactory.instance.objectNode();
      large.put("@id", "i").put("rdf:type", "v-s:PermissionStatement").put("v-s:canRead", true);
      ArrayNode objects = large.putArray("v-s:permissionObject");
      ArrayNode subjects = large.putArray("v-s:permissionSubject");
      for (int n = 0; n < 120; n++) {
        objects.add(round + "p".repeat(1000) + n);
        subjects.add(round + "s".repeat(1000) + n);
      }
      assertThat(
              domain
                  .access()
                  .index()
                  .put(root, ACME, List.of(MessageInput.of(large)))
                  .results()
                  .getFirst()
                  .status())
          .isEqualTo(MessageStatus.APPLIED);
    }
  }
}
