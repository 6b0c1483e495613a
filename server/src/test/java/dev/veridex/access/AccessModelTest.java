package dev.veridex.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.access.check.AccessIndexView;
import dev.veridex.access.check.Check;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.Explainer;
import dev.veridex.access.check.Trace;
import dev.veridex.access.check.TraceMutation;
import dev.veridex.access.check.TraceVerifier;
import dev.veridex.access.check.Verdict;
import dev.veridex.access.ledger.AccessIndexDerivation;
import dev.veridex.access.ledger.AccessKeys;
import dev.veridex.access.ledger.AccessRecordCodec;
import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.LedgerIndividual;
import dev.veridex.access.ledger.StoredRecords;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.MutableClock;
import dev.veridex.common.RecordKind;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.suite.Campaign;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Random histories against [AccessModel], delivered in order, shuffled, several times, in batches,
/// with restarts: always the same index, the same rights, and traces that hold.
final class AccessModelTest {
  private static final int MESSAGES = 24;

  @TempDir private Path folder;

  @Test
  @Tag("campaign")
  void memoryHoldsWhatTheModelHolds() {
    Campaign.ACCESS_HISTORIES.forEach(seed -> run(seed, () -> memory(seed)));
  }

  @Test
  @Tag("campaign")
  void rocksHoldsWhatTheModelHolds() {
    Campaign.ACCESS_ROCKS.forEach(
        seed -> {
          MutableClock clock = MutableClock.daysAgo(0);
          int[] stores = new int[1];
          run(
              seed,
              () -> {
                Path store = folder.resolve("store" + seed + "-" + stores[0]++);
                return () ->
                    RocksStore.open(store, RocksSettings.DEFAULT, clock, clock, new Random(seed));
              });
        });
  }

  private static Supplier<Store> memory(long seed) {
    MutableClock clock = MutableClock.daysAgo(0);
    MemoryDisk disk = new MemoryDisk(new Random(seed));
    return () -> new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7));
  }

  /// @param disks makes places that a store can be opened on again and again
  private static void run(long seed, Supplier<Supplier<Store>> disks) {
    Random random = new Random(seed);
    if (random.nextInt(3) == 0) {
      List<JsonNode> messages = new Histories(random).mixed(MESSAGES);
      try (Delivery inOrder = new Delivery(disks.get(), random)) {
        inOrder.deliver(messages, true);
        inOrder.compare();
      }
      return;
    }
    List<JsonNode> messages = new Histories(random).numbered(MESSAGES);
    Map<String, String> bytes;
    try (Delivery inOrder = new Delivery(disks.get(), random)) {
      inOrder.deliver(messages, true);
      inOrder.compare();
      bytes = inOrder.bytes();
    }
    List<JsonNode> shuffled = new ArrayList<>(messages);
    messages.stream().filter(_ -> random.nextInt(4) == 0).forEach(shuffled::add);
    Collections.shuffle(shuffled, random);
    try (Delivery another = new Delivery(disks.get(), random)) {
      another.deliver(shuffled, false);
      assertThat(another.bytes()).as("the index after another delivery").isEqualTo(bytes);
      another.compare();
    }
  }

  /// One delivery of a history, to the product and to the model.
  private static final class Delivery implements AutoCloseable {
    private final Supplier<Store> disk;
    private final Random random;
    private final AccessModel model = new AccessModel();
    private TestIndex index;

    Delivery(Supplier<Store> disk, Random random) {
      this.disk = disk;
      this.random = random;
      this.index = new TestIndex(disk.get());
    }

    /// @param each whether to look at the index after every batch
    void deliver(List<JsonNode> messages, boolean each) {
      int from = 0;
      while (from < messages.size()) {
        int to = Math.min(messages.size(), from + random.nextInt(1, 6));
        List<JsonNode> batch = messages.subList(from, to);
        List<String> expected = batch.stream().map(model::apply).toList();
        assertThat(index.applyAll(batch)).as("%s", batch).isEqualTo(expected);
        if (each && random.nextInt(4) == 0) {
          assertThat(records()).isEqualTo(modelRecords());
        }
        if (random.nextInt(12) == 0) {
          index.store.close();
          index = new TestIndex(disk.get());
        }
        from = to;
      }
    }

    void compare() {
      assertThat(records()).isEqualTo(modelRecords());
      Map<String, String> logins = new TreeMap<>();
      for (String login : List.of("ada", "bob")) {
        index.read(reader -> reader.account(login)).ifPresent(id -> logins.put(login, id));
      }
      assertThat(logins).isEqualTo(new TreeMap<>(model.logins()));
      for (String subject : Histories.IDS) {
        for (String resource : Histories.IDS) {
          check(CheckRequest.of(subject, resource, filter(), Optional.empty()));
        }
      }
      for (int i = 0; i < 6; i++) {
        check(
            new CheckRequest(
                pick(Histories.IDS), pick(Histories.IDS), filter(), List.of(pick(Histories.IDS))));
      }
      try (Snapshot snapshot = index.store.snapshot()) {
        assertThat(AccessIntegrity.run(snapshot, Incarnations.FIRST, _ -> {}).drift()).isEmpty();
      }
      rebuildsTheSame();
    }

    private Optional<String> filter() {
      return random.nextInt(3) == 0 ? Optional.of(pick(Histories.FILTERS)) : Optional.empty();
    }

    private String pick(List<String> from) {
      return from.get(random.nextInt(from.size()));
    }

    private void check(CheckRequest question) {
      FakeGrants grants = new FakeGrants(random);
      Verdict verdict =
          index.read(
              reader -> Check.of(grants.on(new AccessIndexView(reader, Instant.EPOCH)), question));
      assertThat(verdict.rights())
          .as("%s %s", question, grants)
          .isEqualTo(
              model.rights(
                  question.subject(),
                  question.resource(),
                  question.filter(),
                  question.implicit(),
                  grants.approved(),
                  grants.relationships()));
      if (random.nextInt(4) == 0) {
        Trace trace = index.read(reader -> Explainer.of(reader, verdict, Instant.EPOCH));
        Function<String, Optional<LedgerIndividual>> individuals =
            id -> index.read(reader -> reader.known(id, Integer.MAX_VALUE));
        assertThat(TraceVerifier.verify(trace, individuals, grants::isGiven))
            .as("%s %s", question, trace)
            .isEmpty();
        Trace mutated = new TraceMutation(random).of(trace);
        assertThat(TraceVerifier.verify(mutated, individuals, grants::isGiven))
            .as("%s was %s", mutated, trace)
            .isPresent();
      }
    }

    private void rebuildsTheSame() {
      Map<String, String> derived = new TreeMap<>();
      index.records(
          records -> {
            AccessIndexDerivation.Output output =
                (kind, key, value) -> derived.put(name(kind, key), hex(value));
            AccessIndexDerivation.fromLedger(records, output, (_, _) -> {});
            AccessIndexDerivation.fromContributions(records, output);
            return true;
          });
      assertThat(derived).isEqualTo(bytes());
    }

    /// All derived records.
    Map<String, String> bytes() {
      Map<String, String> bytes = new TreeMap<>();
      for (RecordKind kind : RecordKind.values()) {
        if (StoredRecords.isDerived(kind)) {
          index.records(
              records -> {
                records.scan(
                    kind,
                    new byte[0],
                    (key, value) -> {
                      bytes.put(name(kind, key), hex(value));
                      return true;
                    });
                return true;
              });
        }
      }
      return bytes;
    }

    private static String name(RecordKind kind, byte[] key) {
      return kind + " " + hex(key);
    }

    private static String hex(byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }

    private Map<String, String> records() {
      Map<String, String> texts = new TreeMap<>();
      index.records(
          records -> {
            records.scan(
                RecordKind.ACCESS_RECORD,
                new byte[0],
                (key, value) -> {
                  RecordId id = AccessKeys.ofRecord(key);
                  AclRecord record = AccessRecordCodec.record(value);
                  Map<Character, Integer> counters = new TreeMap<>();
                  for (int bit = 0; bit < 8; bit++) {
                    if (record.counter(bit) > 0) {
                      counters.put("crud!~-*".charAt(bit), record.counter(bit));
                    }
                  }
                  texts.put(
                      text(
                          id.key().prefix().letter(),
                          id.key().filter(),
                          id.key().object(),
                          id.subject()),
                      counters + " " + record.marker().text() + " " + record.isDeleted());
                  return true;
                });
            return true;
          });
      return texts;
    }

    private Map<String, String> modelRecords() {
      Map<String, String> texts = new TreeMap<>();
      model
          .index()
          .forEach(
              (key, records) ->
                  records.forEach(
                      (subject, record) ->
                          texts.put(
                              text(key.prefix(), key.filter(), key.object(), subject),
                              new TreeMap<>(record.counters())
                                  + " "
                                  + record.marker()
                                  + " "
                                  + record.deleted())));
      return texts;
    }

    private static String text(char prefix, String filter, String object, String subject) {
      return prefix + "|" + filter + "|" + object + "|" + subject;
    }

    @Override
    public void close() {
      index.store.close();
    }
  }
}
