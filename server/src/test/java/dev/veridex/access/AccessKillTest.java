package dev.veridex.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.access.statement.MessageParser;
import dev.veridex.common.ChildJvm;
import dev.veridex.common.Namespace;
import dev.veridex.common.Seeds;
import dev.veridex.identity.Token;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.IncarnationRecords;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Kills a process again and again that delivers a history, some of it twice, and rebuilds the
/// index between. What it acknowledged must be there afterwards, nothing half, and the index must
/// be the one that follows from it.
final class AccessKillTest {
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final int MESSAGES = 1200;
  private static final int BATCH = 7;

  @TempDir private Path parent;

  private static List<JsonNode> history() {
    return new Histories(new Random(Seeds.first())).numbered(MESSAGES);
  }

  private static RocksStore open(Path folder) {
    InstantSource system = InstantSource.system();
    return RocksStore.open(folder, RocksSettings.DEFAULT, system, system, new Random(1));
  }

  private static Domain domain(RocksStore store) {
    Random random = new Random(2);
    return Domain.on(
        store,
        new Domain.Parts(random, random, Domain.itemVersions(), _ -> false, TestAccess.SETTINGS));
  }

  @Test
  @Tag("campaign")
  void whatWasAcknowledgedSurvivesAKillAndTheIndexFollowsFromIt() throws Exception {
    int kills = Campaign.ACCESS_KILLS.size();
    SplittableRandom random = new SplittableRandom(Seeds.first());
    int acknowledged = 0;
    for (int kill = 0; kill < kills; kill++) {
      Path folder = parent.resolve("store" + kill / 4);
      acknowledged = kill % 4 == 0 ? 0 : acknowledged;
      int enough = acknowledged + random.nextInt(1, 250);
      Process process =
          ChildJvm.start(parent, Child.class, folder.toString(), String.valueOf(acknowledged));
      try (BufferedReader output = process.inputReader(UTF_8)) {
        String line = output.readLine();
        while (line != null) {
          if (line.matches("ack \\d+\\.")) {
            acknowledged = Integer.parseInt(line.substring(4, line.length() - 1));
          }
          if (acknowledged >= enough) {
            process.toHandle().destroyForcibly();
          }
          line = output.readLine();
        }
      }
      assertThat(process.waitFor()).as("killed, not failed").isEqualTo(137);
      check(folder, acknowledged);
    }
  }

  private static void check(Path folder, int acknowledged) {
    List<JsonNode> history = history();
    try (RocksStore store = open(folder)) {
      TestIndex index = new TestIndex(store);
      assertThat(new AccessIntegrity(store, new IncarnationRecords()).run(_ -> {}).drift())
          .isEmpty();
      List<Map<String, String>> possible = new ArrayList<>();
      // What was sent last may have been applied without being acknowledged any more.
      for (int applied : List.of(acknowledged, Math.min(acknowledged + BATCH, history.size()))) {
        possible.add(newest(history.subList(0, applied)));
      }
      assertThat(possible).contains(newest(index, history));
    }
  }

  /// The places of the newest states, of all individuals.
  private static Map<String, String> newest(List<JsonNode> messages) {
    TestIndex model = new TestIndex();
    messages.forEach(model::apply);
    return newest(model, messages);
  }

  private static Map<String, String> newest(TestIndex index, List<JsonNode> messages) {
    Map<String, String> newest = new TreeMap<>();
    for (JsonNode message : messages) {
      String id = MessageParser.idOf(message).orElseThrow();
      index.entry(id).ifPresent(entry -> newest.put(id, entry.op() + " " + entry.deletion()));
    }
    newest.putAll(index.texts(TextFormat.V2));
    return newest;
  }

  /// Delivers the history and says how far it has come.
  static final class Child {
    private Child() {}

    static void main(String[] arguments) {
      RocksStore store = open(Path.of(arguments[0]));
      Domain domain = domain(store);
      Token root = domain.tenancy().tokens().adoptRoot("the root secret of this test");
      domain
          .tenancy()
          .accounts()
          .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
      List<MessageInput> inputs = history().stream().map(MessageInput::of).toList();
      int from = Integer.parseInt(arguments[1]);
      // Some of what is there already comes again.
      int again = Math.max(0, from - 50);
      domain.access().index().put(root, ACME, inputs.subList(again, from));
      while (from < inputs.size()) {
        int to = Math.min(inputs.size(), from + BATCH);
        domain.access().index().put(root, ACME, inputs.subList(from, to));
        from = to;
        System.out.println("ack " + from + ".");
        if (from % (5 * BATCH) == 0) {
          TestDomain.rebuild(domain, root, ACME);
        }
      }
      while (true) {
        TestDomain.rebuild(domain, root, ACME);
      }
    }
  }
}
