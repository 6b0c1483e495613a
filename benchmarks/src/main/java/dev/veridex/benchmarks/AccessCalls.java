package dev.veridex.benchmarks;

import dev.veridex.Domain;
import dev.veridex.access.AccessSettings;
import dev.veridex.access.RightsChecker;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.identity.Token;
import dev.veridex.json.JsonText;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.tenancy.Account;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Individuals applied durably, next to RocksDB writing the same keys in batches of the same size;
/// and checks straight from the store.
final class AccessCalls {
  private static final Namespace ACME = new Namespace("acme", Optional.empty());
  private static final int STATEMENTS = Integer.getInteger("statements", 1_000_000);
  private static final int USERS = 100_000;
  private static final int GROUPS = 20_000;

  /// Nothing is in memory.
  private static final AccessSettings ACCESS =
      new AccessSettings(0, AccessSettings.PAST_RETENTION, Runnable::run);

  private AccessCalls() {}

  static void run(List<String> what) {
    if (what.isEmpty() || what.contains("put")) {
      System.out.println(
          "| individuals a batch | raw batches/s | individuals/s | p50/p99 µs | ours from JSON trees, individuals/s | p50/p99 µs | ours/raw | from JSON text | text/raw |");
      System.out.println("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
      for (int size :
          Arrays.stream(System.getProperty("sizes", "1,100,1000").split(",", -1))
              .mapToInt(Integer::parseInt)
              .toArray()) {
        put(size);
      }
    }
    if (what.isEmpty() || what.contains("check")) {
      check();
    }
  }

  private static Domain domain(Store store) {
    Random random = new Random(1);
    return Domain.on(
        store, new Domain.Parts(random, random, Domain.itemVersions(), _ -> false, ACCESS));
  }

  private static Token begin(Domain domain) {
    Token root = domain.tenancy().tokens().adoptRoot("the root secret of this benchmark");
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    return root;
  }

  private static ObjectNode statement(long n) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("@id", "d:permission_" + n)
        .put("rdf:type", "v-s:PermissionStatement")
        .put("v-s:permissionObject", "d:document_" + n)
        .put("v-s:permissionSubject", "d:user_" + n % USERS)
        .put("v-s:canRead", true)
        .put("v-s:canUpdate", true);
  }

  private static void put(int size) {
    Path rawFolder = Data.folder();
    Path treeFolder = Data.folder();
    Path textFolder = Data.folder();
    List<Driver.Result> raw = new ArrayList<>();
    List<Driver.Result> trees = new ArrayList<>();
    List<Driver.Result> texts = new ArrayList<>();
    try (RawRocks rocks = new RawRocks(rawFolder.resolve("db"));
        Store treeStore = Data.store(treeFolder.resolve("store"), InstantSource.system());
        Store textStore = Data.store(textFolder.resolve("store"), InstantSource.system())) {
      Domain ofTrees = domain(treeStore);
      Domain ofTexts = domain(textStore);
      Token treeRoot = begin(ofTrees);
      Token textRoot = begin(ofTexts);
      for (int round = 0; round <= Driver.ROUNDS; round++) {
        Driver.Result rawRound = Driver.drive(1, round, _ -> n -> writeRaw(rocks, n, size), false);
        Driver.Result treeRound =
            Driver.drive(1, round, _ -> n -> apply(ofTrees, treeRoot, n, size, false), false);
        Driver.Result textRound =
            Driver.drive(1, round, _ -> n -> apply(ofTexts, textRoot, n, size, true), false);
        if (round > 0) {
          raw.add(rawRound);
          trees.add(treeRound);
          texts.add(textRound);
        }
      }
    } finally {
      Data.delete(rawFolder);
      Data.delete(treeFolder);
      Data.delete(textFolder);
    }
    Driver.Result rawMedian = Driver.median(raw);
    Driver.Result tree = Driver.median(trees);
    Driver.Result text = Driver.median(texts);
    System.out.printf(
        "| %d | %,.0f | %,.0f | %d / %d | %,.0f | %d / %d | %.2f | %,.0f | %.2f |%n",
        size,
        rawMedian.perSecond(),
        rawMedian.perSecond() * size,
        rawMedian.p50Micros(),
        rawMedian.p99Micros(),
        tree.perSecond() * size,
        tree.p50Micros(),
        tree.p99Micros(),
        tree.perSecond() / rawMedian.perSecond(),
        text.perSecond() * size,
        text.perSecond() / rawMedian.perSecond());
  }

  private static void apply(Domain domain, Token root, long n, int size, boolean text) {
    List<MessageInput> inputs = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      ObjectNode statement = statement(n * size + i);
      inputs.add(MessageInput.of(text ? JsonText.read(JsonText.write(statement)) : statement));
    }
    domain.access().index().put(root, ACME, inputs);
  }

  /// The records that an individual becomes, as they are.
  private static void writeRaw(RawRocks rocks, long n, int size) {
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = 0; i < size; i++) {
        long number = n * size + i;
        ObjectNode statement = statement(number);
        String id = statement.get("@id").asString();
        String object = statement.get("v-s:permissionObject").asString();
        String subject = statement.get("v-s:permissionSubject").asString();
        byte[] small = new byte[7];
        batch.put(key(RecordKind.ACCESS_LEDGER).string(id).toKey(), JsonText.write(statement));
        batch.put(
            derived(RecordKind.ACCESS_CONTRIBUTION)
                .octet('P')
                .string("")
                .string(object)
                .string(subject)
                .string(id)
                .toKey(),
            small);
        batch.put(
            derived(RecordKind.ACCESS_RECORD)
                .octet('P')
                .string("")
                .string(object)
                .string(subject)
                .toKey(),
            small);
        batch.put(
            derived(RecordKind.ACCESS_BY_SUBJECT)
                .string(subject)
                .octet('P')
                .string("")
                .string(object)
                .toKey(),
            new byte[0]);
        batch.put(
            key(RecordKind.ACCESS_PAST)
                .octet('P')
                .string(object)
                .string("")
                .string(subject)
                .unsigned(number)
                .toKey(),
            new byte[0]);
        batch.put(
            key(RecordKind.ACCESS_CHANGE).unsigned(number).toKey(), JsonText.write(statement));
      }
      rocks.db.write(rocks.synced, batch);
    } catch (RocksDBException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyWriter key(RecordKind kind) {
    return new KeyWriter().scope(kind.code(), new Scope.Tenant("acme"), 0);
  }

  private static KeyWriter derived(RecordKind kind) {
    return key(kind).unsigned(1);
  }

  /// Users in groups, groups in groups up to five deep, statements for users and groups.
  private static void check() {
    Path folder = Data.folder();
    try (Store store = Data.store(folder.resolve("store"), InstantSource.system())) {
      Domain domain = domain(store);
      Token root = begin(domain);
      long begin = System.nanoTime();
      List<MessageInput> batch = new ArrayList<>();
      SplittableRandom random = new SplittableRandom(1);
      for (int user = 0; user < USERS; user++) {
        add(domain, root, batch, member("d:user_" + user, "d:group_" + random.nextInt(GROUPS)));
      }
      for (int group = GROUPS / 5; group < GROUPS; group++) {
        // Each fifth of the groups is inside the one before.
        int above = random.nextInt(GROUPS / 5) + (group / (GROUPS / 5) - 1) * (GROUPS / 5);
        add(domain, root, batch, member("d:group_" + group, "d:group_" + above));
      }
      for (int n = 0; n < STATEMENTS; n++) {
        ObjectNode statement = statement(n);
        if (n % 2 == 0) {
          statement.put("v-s:permissionSubject", "d:group_" + random.nextInt(GROUPS));
        }
        add(domain, root, batch, statement);
      }
      domain.access().index().put(root, ACME, batch);
      System.out.printf(
          "%n%,d statements and %,d memberships stated in %.1f s%n%n",
          STATEMENTS, USERS + GROUPS - GROUPS / 5, (System.nanoTime() - begin) / 1e9);
      System.out.println("| checks | threads | /s | p50/p99 µs |");
      System.out.println("|---|---:|---:|---:|");
      for (int threads : new int[] {1, 2}) {
        List<Driver.Result> results = new ArrayList<>();
        for (int round = 0; round <= Driver.ROUNDS; round++) {
          Driver.Result result =
              Driver.drive(
                  threads,
                  round,
                  worker -> {
                    SplittableRandom own = new SplittableRandom(worker);
                    return _ -> ask(store, domain.access().checker(), own);
                  },
                  false);
          if (round > 0) {
            results.add(result);
          }
        }
        Driver.Result median = Driver.median(results);
        System.out.printf(
            "| straight from the store | %d | %,.0f | %d / %d |%n",
            threads, median.perSecond(), median.p50Micros(), median.p99Micros());
      }
    } finally {
      Data.delete(folder);
    }
  }

  private static void ask(Store store, RightsChecker index, SplittableRandom random) {
    try (Snapshot snapshot = store.snapshot()) {
      index.rights(
          snapshot,
          ACME.scope(),
          CheckRequest.of(
              "d:user_" + random.nextInt(USERS),
              "d:document_" + random.nextInt(STATEMENTS),
              Optional.empty(),
              Optional.empty()));
    }
  }

  private static ObjectNode member(String member, String group) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("@id", "d:membership_" + member)
        .put("rdf:type", "v-s:Membership")
        .put("v-s:resource", member)
        .put("v-s:memberOf", group);
  }

  private static void add(
      Domain domain, Token root, List<MessageInput> batch, ObjectNode individual) {
    batch.add(MessageInput.of(individual));
    if (batch.size() == 1000) {
      domain.access().index().put(root, ACME, batch);
      batch.clear();
    }
  }
}
