package dev.veridex.tenancy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.access.AccessIntegrity;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketSettings;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.buckets.Retention;
import dev.veridex.common.IntegrityScan;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Scope;
import dev.veridex.common.TtlPolicy;
import dev.veridex.common.Vectors;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.grants.GrantKey;
import dev.veridex.grants.GrantRequest;
import dev.veridex.grants.GrantScopes;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.identity.TokenIntegrity;
import dev.veridex.identity.TokenRequest;
import dev.veridex.identity.Tokens;
import dev.veridex.items.Items;
import dev.veridex.items.ReversedItemStore;
import dev.veridex.objects.AttributePatch;
import dev.veridex.objects.AttributeWriter;
import dev.veridex.objects.ObjectFilter;
import dev.veridex.objects.ObjectQuery;
import dev.veridex.objects.ObjectReader;
import dev.veridex.objects.catalogue.ObjectSelection;
import dev.veridex.objects.event.EventParser;
import dev.veridex.objects.event.ParsedRecord;
import dev.veridex.queue.MessageQueues;
import dev.veridex.quota.Quota;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// An account with one of everything is deleted; the clean-up is stopped after any number of steps
/// and goes on after a restart. In the end nothing of it is left in the raw store.
///
/// Whatever can be put into an account adds itself to [#EVERYTHING].
final class DeletionTest {
  static final String SECRET = "the root secret";

  /// Puts something into a scope of an account.
  private interface Filling {
    void fill(Domain domain, Token root, Scope scope);
  }

  /// What fills a scope of an account.
  private static final List<Filling> EVERYTHING =
      List.of(
          (domain, root, scope) -> {
            for (int i = 0; i < 600; i++) {
              domain.tenancy().tokens().mint(root, TokenRequest.plain(scope));
            }
          },
          (domain, root, scope) ->
              domain
                  .tenancy()
                  .services()
                  .put(root, Namespace.of(scope), "crawler", Optional.empty()),
          DeletionTest::fillBuckets,
          DeletionTest::fillDocuments,
          DeletionTest::fillObjects,
          DeletionTest::fillGrants,
          DeletionTest::fillAccess);

  /// Statements, commands, strikes and logins, and the leavings of a rebuild.
  private static void fillAccess(Domain domain, Token root, Scope scope) {
    List<MessageInput> inputs = new ArrayList<>();
    for (JsonNode step : Vectors.read("access.json").findValues("messages")) {
      step.forEach(message -> inputs.add(MessageInput.of(message)));
    }
    ObjectNode account = JsonNodeFactory.instance.objectNode();
    account.put("@id", "ada's").put("rdf:type", "v-s:Account").put("v-s:login", "ada");
    inputs.add(MessageInput.of(account));
    domain.access().index().put(root, Namespace.of(scope), inputs);
    TestDomain.rebuild(domain, root, Namespace.of(scope));
  }

  /// Approvals and relationships, one that was taken back, a request with an idempotency key, a TTL
  /// policy, and the mark of a deletion.
  private static void fillGrants(Domain domain, Token root, Scope scope) {
    for (GrantKey key :
        List.of(
            GrantKey.approval("alice", "r", "read"),
            GrantKey.approval("bob", "r", "read"),
            GrantKey.relationship("alice", "member", "editors"))) {
      domain
          .grants()
          .writer()
          .give(
              root,
              new GrantRequest(
                  scope,
                  false,
                  key,
                  Optional.empty(),
                  GrantRequest.WantedLife.USUAL,
                  Map.of(),
                  Optional.of("once " + Objects.hash(scope, key))));
    }
    domain.grants().writer().revoke(root, scope, GrantKey.approval("bob", "r", "read"));
    domain.tenancy().policies().put(root, scope, TtlPolicy.STANDARD);
    domain.grants().scopes().delete(root, GrantScopes.exactly(scope));
  }

  /// Objects with few and many versions, some that float, with attributes; messages that cannot be
  /// read.
  private static void fillObjects(Domain domain, Token root, Scope scope) {
    Namespace namespace = Namespace.of(scope);
    Caller caller = Caller.of(root);
    domain
        .buckets()
        .buckets()
        .put(
            caller,
            namespace,
            "files",
            "objects",
            Bucket.Definition.PLAIN.settling(BucketSettings.usual("objects")),
            Optional.empty(),
            Optional.empty());
    List<ParsedRecord> records = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String name = i % 7 == 0 ? "LifecycleExpiration:DeleteMarkerCreated" : "ObjectCreated:Put";
      ObjectNode record = JsonNodeFactory.instance.objectNode();
      record.put("eventTime", "2026-01-01T00:00:%02dZ".formatted(i)).put("eventName", name);
      ObjectNode s3 = record.putObject("s3");
      s3.putObject("bucket").put("name", "of-" + namespace.account());
      ObjectNode object = s3.putObject("object");
      object.put("key", i == 3 ? "%" : "k" + i % 2).put("versionId", "v" + i);
      if (i % 7 > 0) {
        object.put("sequencer", "%X".formatted(i));
      }
      ObjectNode message = JsonNodeFactory.instance.objectNode();
      message.putArray("Records").add(record);
      records.addAll(EventParser.parse(message));
    }
    ActingCaller actor = new ActingCaller(caller, Optional.empty());
    domain.objects().receiver().receive(actor, namespace, "files", records);
    domain
        .objects()
        .attributes()
        .patch(
            new ObjectReader.Request(actor, namespace, "files"),
            new AttributeWriter.Target.Many(
                new ObjectQuery(
                    ObjectFilter.of(Map.of("key", "*"), true),
                    new ObjectSelection.State.Current(),
                    Optional.empty())),
            new AttributePatch(
                List.of(
                    JsonNodeFactory.instance
                        .objectNode()
                        .put("op", "add")
                        .put("path", "/of")
                        .put("value", namespace.account()))));
  }

  /// Documents, some deleted, some that expire, in two epochs, sent to their topics, sent anew, and
  /// some that wait; a queue with messages and a group that reads them.
  private static void fillDocuments(Domain domain, Token root, Scope scope) {
    Namespace namespace = Namespace.of(scope);
    Caller caller = Caller.of(root);
    for (String name : List.of("offers", "jobs")) {
      String type = name.equals("jobs") ? "queue" : "documents";
      domain
          .buckets()
          .buckets()
          .put(
              caller,
              namespace,
              name,
              type,
              Bucket.Definition.PLAIN.settling(BucketSettings.usual(type)),
              Optional.empty(),
              Optional.empty());
    }
    ActingCaller actor = new ActingCaller(caller, Optional.empty());
    domain.documents().epochs().open(caller, namespace, "offers", Optional.empty());
    List<DocumentInput> inputs = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      inputs.add(
          DocumentJson.read(
              JsonNodeFactory.instance
                  .objectNode()
                  .put("pk", "of " + namespace.account() + i % 12)
                  .put("epoch", 1 + i % 2)
                  .put("version", i)
                  .put("modifiedAt", "2026-01-01T00:00:00Z")
                  .put("action", i % 5 == 0 ? "DELETE" : "UPSERT")
                  .set(
                      "fields",
                      JsonNodeFactory.instance.objectNode().put("of", namespace.account()))));
    }
    domain.documents().receiver().receive(actor, namespace, "offers", inputs);
    domain.documents().publishers().runOnce();
    TestDomain.rebuild(domain, caller, namespace, "offers");
    MessageQueues.Request request = new MessageQueues.Request(actor, namespace, "jobs");
    domain
        .queues()
        .messages()
        .send(
            request,
            List.of(new MessageQueues.Message("k", ("of " + namespace.account()).getBytes(UTF_8))));
    domain
        .queues()
        .messages()
        .lease(request, "readers", Optional.empty(), "one", Duration.ofMinutes(1));
  }

  /// A bucket with items, past revisions, tombstones and what expires, one with an upgrade under
  /// way, one that was deleted.
  private static void fillBuckets(Domain domain, Token root, Scope scope) {
    Namespace namespace = Namespace.of(scope);
    Caller caller = Caller.of(root);
    for (String name : List.of("pages", "upgrading", "gone")) {
      domain
          .buckets()
          .buckets()
          .put(caller, namespace, name, "items/1", KEEPS_TWO, Optional.empty(), Optional.empty());
      for (int i = 0; i < 30; i++) {
        put(domain, root, namespace, name, "k" + i % 8, i % 5 == 0);
      }
      domain.items().items().delete(request(root, namespace, name, "k1"), Items.Conditions.NONE);
    }
    domain.buckets().upgrades().begin(caller, namespace, "upgrading", Optional.empty());
    put(domain, root, namespace, "upgrading", "while-upgrading", false);
    domain.buckets().buckets().delete(caller, namespace, "gone", Optional.empty());
  }

  private static final Bucket.Definition KEEPS_TWO =
      new Bucket.Definition(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Map.of(Quota.ITEMS, 1000L),
          Optional.empty(),
          Bucket.Placement.SHARED,
          new ItemSettings(false, "", new Retention.Latest(2, Duration.ofHours(1))));

  private static Items.Request request(Token root, Namespace namespace, String bucket, String key) {
    return new Items.Request(
        new ActingCaller(Caller.of(root), Optional.empty()), namespace, bucket, key);
  }

  private static void put(
      Domain domain, Token root, Namespace namespace, String bucket, String key, boolean brief) {
    domain
        .items()
        .items()
        .put(
            request(root, namespace, bucket, key),
            new Items.Content(
                "text/plain",
                new TreeMap<>(Map.of("x-store-of", namespace.account())),
                ("of " + namespace.account()).getBytes(UTF_8),
                brief ? Optional.of(Duration.ofMinutes(2)) : Optional.empty()),
            Items.Conditions.NONE);
  }

  private final MutableClock clock = MutableClock.daysAgo(0);

  private static final class World {
    private final MemoryStore store;
    private final Domain domain;
    private final Token root;

    private World(MemoryDisk disk, MutableClock clock) {
      store = new MemoryStore(disk, clock, Duration.ofHours(1), Duration.ofDays(7));
      Random random = new Random(2);
      domain =
          Domain.on(
              store,
              new Domain.Parts(
                  random,
                  random,
                  ReversedItemStore.asSecondVersion(),
                  _ -> false,
                  TestAccess.SETTINGS));
      root = domain.tenancy().tokens().adoptRoot(SECRET);
    }

    private Tokens tokens() {
      return domain.tenancy().tokens();
    }
  }

  @Test
  void nothingIsLeftWhereverTheCleanUpWasStopped() {
    for (int stoppedAfter = 0; stoppedAfter < 12; stoppedAfter++) {
      MemoryDisk disk = new MemoryDisk(new Random(1));
      World before = new World(disk, clock);
      fill(before.domain, before.root, "acme-corp");
      before.domain.jobs().runAll();
      fill(before.domain, before.root, "acme");
      long neighbours = records(before, "acme-corp");
      assertThat(before.domain.tenancy().accounts().delete(before.root, "acme", Optional.empty()))
          .isInstanceOf(ChangeResult.Deleted.class);
      assertThat(before.domain.tenancy().accounts().missing("acme").code().name())
          .isEqualTo("GONE");
      for (int step = 0; step < stoppedAfter; step++) {
        before.domain.jobs().steps().runOnce();
      }
      before.store.close();

      World after = new World(disk, clock);
      after.domain.jobs().runAll();
      assertThat(after.domain.tenancy().accounts().missing("acme").code().name())
          .isEqualTo("NOT_FOUND");
      assertThat(Leftovers.records(after.store, "acme"))
          .as("stopped after %s steps", stoppedAfter)
          .isEmpty();
      assertThat(Leftovers.counters(after.store, "acme")).isEmpty();
      assertThat(records(after, "acme-corp")).as("the neighbour").isEqualTo(neighbours);
      assertThat(after.domain.jobs().steps().runOnce()).as("nothing more to do").isFalse();
      after.store.close();
    }
  }

  @Test
  void anEnvironmentLeavesNothingEither() {
    World world = new World(new MemoryDisk(new Random(1)), clock);
    fill(world.domain, world.root, "acme");
    Scope dev = new Scope.TenantEnvironment("acme", "dev");
    Scope prod = new Scope.TenantEnvironment("acme", "prod");
    assertThat(world.domain.tenancy().environments().delete(world.root, "acme", "dev"))
        .isInstanceOf(ChangeResult.Deleted.class);
    world.tokens().mint(world.root, TokenRequest.plain(dev));
    world.domain.jobs().runAll();
    assertThat(world.tokens().list(world.root, dev, Optional.empty(), 1000).items()).hasSize(1);
    assertThat(world.tokens().list(world.root, prod, Optional.empty(), 1000).items()).hasSize(600);
    assertThat(
            new ContentIntegrity(world.store, Domain.contents(ReversedItemStore.asSecondVersion()))
                .run(_ -> {})
                .drift())
        .isEmpty();
    assertThat(new TokenIntegrity(world.store).run(_ -> {}).drift()).isEmpty();
    IntegrityScan.Outcome access =
        new AccessIntegrity(world.store, new IncarnationRecords()).run(_ -> {});
    assertThat(access.drift()).isEmpty();
    assertThat(access.examined()).as("of the account and of prod").isGreaterThan(100);
    assertThat(new TokenIntegrity(world.store).run(_ -> {}).examined())
        .isEqualTo(1 + 600 + 600 + 1);
    assertThat(
            world
                .domain
                .buckets()
                .usageReport()
                .of(Caller.of(world.root), new Namespace("acme", Optional.empty()))
                .used())
        .as("what was in it is given back")
        .containsEntry(Quota.BUCKETS, 10L)
        .containsEntry(Quota.DOCUMENTS, 2 * 10L)
        .containsEntry(Quota.ITEMS, 2 * 7L + 2 * 8L);
    world.domain.tenancy().accounts().delete(world.root, "acme", Optional.empty());
    world.domain.jobs().runAll();
    assertThat(Leftovers.records(world.store, "acme")).isEmpty();
    assertThat(Leftovers.counters(world.store, "acme")).isEmpty();
    world.store.close();
  }

  @Test
  void aLargeAccountKeepsNobodyWaiting() {
    World world = new World(new MemoryDisk(new Random(1)), clock);
    Namespace other = new Namespace("zebra", Optional.empty());
    world
        .domain
        .tenancy()
        .accounts()
        .put(world.root, "zebra", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    world
        .domain
        .tenancy()
        .accounts()
        .put(world.root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    world
        .domain
        .buckets()
        .buckets()
        .put(
            Caller.of(world.root),
            other,
            "pages",
            "items/1",
            KEEPS_TWO,
            Optional.empty(),
            Optional.empty());
    for (int i = 0; i < 130; i++) {
      world
          .tokens()
          .mint(world.root, TokenRequest.plain(new Scope.TenantEnvironment("acme", "e" + i)));
    }
    world.domain.tenancy().accounts().delete(world.root, "acme", Optional.empty());
    world
        .domain
        .buckets()
        .buckets()
        .delete(Caller.of(world.root), other, "pages", Optional.empty());
    int steps = 0;
    boolean givenBack = false;
    while (world.domain.jobs().steps().runOnce()) {
      steps++;
      boolean acmeIsLeft = !Leftovers.records(world.store, "acme").isEmpty();
      long buckets =
          world
              .domain
              .buckets()
              .usageReport()
              .of(Caller.of(world.root), other)
              .used()
              .getOrDefault(Quota.BUCKETS, 0L);
      givenBack |= acmeIsLeft && buckets == 0;
    }
    assertThat(steps).as("some environments at a time").isGreaterThan(4);
    assertThat(givenBack).as("each order has its turn").isTrue();
    assertThat(Leftovers.records(world.store, "acme")).isEmpty();
    world.store.close();
  }

  @Test
  void whatIsMadeAgainIsNotCleanedUp() {
    World world = new World(new MemoryDisk(new Random(1)), clock);
    fill(world.domain, world.root, "acme");
    world.domain.tenancy().accounts().delete(world.root, "acme", Optional.empty());
    fill(world.domain, world.root, "acme");
    world.domain.jobs().runAll();
    assertThat(world.tokens().list(world.root, new Scope.Tenant("acme"), Optional.empty(), 1000))
        .satisfies(page -> assertThat(page.items()).hasSize(600));
    assertThat(
            new ContentIntegrity(world.store, Domain.contents(ReversedItemStore.asSecondVersion()))
                .run(_ -> {})
                .drift())
        .as("its buckets, items and what is counted for them")
        .isEmpty();
    assertThat(
            world
                .domain
                .buckets()
                .usageReport()
                .of(Caller.of(world.root), new Namespace("acme", Optional.empty()))
                .used())
        .containsEntry(Quota.BUCKETS, 15L)
        .containsEntry(Quota.DOCUMENTS, 3 * 10L)
        .containsEntry(Quota.ITEMS, 3 * (7L + 8L));
    world.store.close();
  }

  static void fill(Domain domain, Token root, String account) {
    domain
        .tenancy()
        .accounts()
        .put(root, account, Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    domain.tenancy().environments().put(root, account, "dev");
    domain.tenancy().environments().put(root, account, "prod");
    for (Scope scope :
        List.of(
            new Scope.Tenant(account),
            new Scope.TenantEnvironment(account, "dev"),
            new Scope.TenantEnvironment(account, "prod"))) {
      EVERYTHING.forEach(filling -> filling.fill(domain, root, scope));
    }
  }

  private static long records(World world, String account) {
    long count = 0;
    try (Snapshot snapshot = world.store.snapshot();
        Cursor all = snapshot.scan(KeyRange.ALL, Direction.FORWARD)) {
      while (all.next()) {
        count += new String(all.key(), ISO_8859_1).contains(account) ? 1 : 0;
      }
    }
    return count;
  }
}
