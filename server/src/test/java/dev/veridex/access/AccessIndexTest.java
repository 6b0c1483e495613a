package dev.veridex.access;

import static dev.veridex.TestDomain.ACME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.veridex.Domain;
import dev.veridex.TestAccess;
import dev.veridex.TestDomain;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.ledger.AccessKeys;
import dev.veridex.access.ledger.AccessRecordCodec;
import dev.veridex.access.ledger.AclRecord;
import dev.veridex.access.ledger.MessageStatus;
import dev.veridex.access.ledger.Strikes;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.Individual;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.RecordId;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.IntegrityScan;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.jobs.Job;
import dev.veridex.json.JsonText;
import dev.veridex.store.CrashingStore;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.IncarnationRecords;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Bad input, corrupt stores, rebuilds and writers at the same time.
final class AccessIndexTest {
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

  private AccessIndex.BatchResult put(String... messages) {
    List<MessageInput> inputs = new ArrayList<>();
    for (String message : messages) {
      inputs.add(MessageInput.of(json(message)));
    }
    return domain.access().index().put(root, ACME, inputs);
  }

  private static String statement(String id, String object, String subject) {
    return "{'@id':'%s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'%s','v-s:permissionSubject':'%s','v-s:canRead':true}"
        .formatted(id, object, subject);
  }

  private List<String> drift() {
    return new AccessIntegrity(store, new IncarnationRecords()).run(_ -> {}).drift();
  }

  private String rejected(String message) {
    AccessIndex.Result result =
        put(statement("before", "d", "u"), message, statement("after", "d", "u")).results().get(1);
    assertThat(result.status()).as(message).isEqualTo(MessageStatus.REJECTED);
    Problem problem = result.problem().orElseThrow();
    return problem.pointer().orElse("") + " " + problem.detail();
  }

  @Test
  void badInputIsRejectedOneByOneWithAPointer() {
    String type = "'rdf:type':'v-s:PermissionStatement',";
    String lists = "'v-s:permissionObject':'d','v-s:permissionSubject':'u'";
    assertThat(rejected("7")).isEqualTo(" a message or an individual is an object");
    assertThat(rejected("[]")).isEqualTo(" a message or an individual is an object");
    assertThat(rejected("{" + type + lists + "}")).startsWith("/@id ");
    assertThat(rejected("{'@id':'',%s%s}".formatted(type, lists))).startsWith("/@id ");
    assertThat(rejected("{'@id':7,%s%s}".formatted(type, lists))).startsWith("/@id a text");
    assertThat(rejected("{'@id':'a\\u0000b',%s%s}".formatted(type, lists))).startsWith("/@id ");
    assertThat(rejected("{'@id':'\\ud800',%s%s}".formatted(type, lists))).startsWith("/@id ");
    assertThat(rejected("{'@id':'%s',%s%s}".formatted("x".repeat(1101), type, lists)))
        .isEqualTo("/@id ids take at most 1100 bytes");
    assertThat(rejected("{'@id':'%s',%s%s}".formatted("é".repeat(551), type, lists)))
        .isEqualTo("/@id ids take at most 1100 bytes");
    assertThat(rejected("{'@id':'a'," + lists + "}")).startsWith("/rdf:type ");
    assertThat(rejected("{'@id':'a','rdf:type':[''],%s}".formatted(lists))).startsWith("/rdf:type");
    assertThat(rejected("{'@id':'a','rdf:type':[7],%s}".formatted(lists)))
        .startsWith("/rdf:type/0 ");
    assertThat(rejected("{'@id':'a',%s'v-s:permissionObject':'d'}".formatted(type)))
        .startsWith("/v-s:permissionSubject ");
    assertThat(
            rejected(
                "{'@id':'a',%s'v-s:permissionSubject':'u','v-s:permissionObject':['']}"
                    .formatted(type)))
        .startsWith("/v-s:permissionObject ");
    assertThat(
            rejected(
                "{'@id':'a',%s'v-s:permissionSubject':'u','v-s:permissionObject':['d',null]}"
                    .formatted(type)))
        .startsWith("/v-s:permissionObject/1 ");
    for (String flag :
        List.of("canRead", "deleted", "dropCount", "isExclusive", "ignoreExclusive")) {
      assertThat(rejected("{'@id':'a',%s%s,'v-s:%s':'yes'}".formatted(type, lists, flag)))
          .isEqualTo("/v-s:" + flag + " true or false is expected here");
    }
    assertThat(rejected("{'@id':'a',%s%s,'v-s:updateCounter':1.5}".formatted(type, lists)))
        .startsWith("/v-s:updateCounter ");
    assertThat(rejected("{'@id':'a',%s%s,'v-s:updateCounter':-1}".formatted(type, lists)))
        .startsWith("/v-s:updateCounter ");
    assertThat(rejected("{'@id':'a',%s%s,'v-s:useFilter':['f']}".formatted(type, lists)))
        .startsWith("/v-s:useFilter ");
    assertThat(rejected("{'@id':'a','rdf:type':'v-s:Account'}")).startsWith("/v-s:login ");
    String state = statement("a", "d", "u");
    assertThat(rejected("{'cmd':'drop','newState':%s}".formatted(state))).startsWith("/cmd ");
    assertThat(rejected("{'newState':%s}".formatted(state))).startsWith("/cmd ");
    assertThat(rejected("{'cmd':'create','newState':null}")).startsWith("/newState ");
    assertThat(rejected("{'cmd':'remove','newState':null}")).startsWith("/prevState ");
    assertThat(rejected("{'cmd':'remove','prevState':{},'newState':null}"))
        .startsWith("/prevState/@id ");
    assertThat(rejected("{'cmd':'remove','newState':%s}".formatted(state)))
        .isEqualTo("/newState what is removed is not there any more, or deleted");
    assertThat(rejected("{'cmd':'update','newState':{'@id':'a','rdf:type':7}}"))
        .startsWith("/newState/rdf:type ");
    for (String opId : List.of("-1", "1.5", "'7'", "9223372036854775808")) {
      assertThat(rejected("{'cmd':'update','opId':%s,'newState':%s}".formatted(opId, state)))
          .startsWith("/opId ");
    }
    assertThat(index.entry("a")).as("nothing of it is kept").isEmpty();
    assertThat(index.texts(TextFormat.V2)).containsEntry("Pd", "u;R2;");
    assertThat(drift()).isEmpty();
  }

  @Test
  void aNumberTooFarAheadIsRejectedAndShutsNobodyOut() {
    String message = "{'cmd':'update','opId':%s,'newState':" + statement("a", "d", "u") + "}";
    assertThat(put(message.formatted(5_000_000_000L)).results().getFirst().status())
        .as("the first one of all may be any")
        .isEqualTo(MessageStatus.APPLIED);
    AccessIndex.Result far =
        put(message.formatted(5_000_000_000L + (1L << 32) + 1)).results().getFirst();
    assertThat(far.status()).isEqualTo(MessageStatus.REJECTED);
    assertThat(far.problem().orElseThrow().pointer()).contains("/opId");
    assertThat(put(message.formatted(5_000_000_000L + (1L << 32))).results().getFirst().status())
        .isEqualTo(MessageStatus.APPLIED);
    assertThat(domain.access().index().flow(ACME).value().largest())
        .contains(5_000_000_000L + (1L << 32));
  }

  private static ObjectNode large(int objects, int subjects, String id) {
    ObjectNode large = JsonNodeFactory.instance.objectNode();
    large.put("@id", "large").put("rdf:type", "v-s:Membership");
    IntStream.range(0, objects).forEach(i -> large.withArray("v-s:resource").add(id + i));
    IntStream.range(0, subjects).forEach(i -> large.withArray("v-s:memberOf").add("g" + i));
    return large;
  }

  @Test
  void whatIsForeignNeverKeepsAnIndividualFromBeingTakenBack() {
    String poison =
        "{'@id':'p','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'d','v-s:permissionSubject':'u','v-s:canRead':true,%s}";
    List<String> foreign =
        List.of(
            "'x':" + "1".repeat(998) + "e99",
            "'x':-0.0,'y':1e-400,'z':123456789012345678901234567890",
            "'x':" + "[".repeat(190) + "]".repeat(190),
            "'" + "n".repeat(40_000) + "':'" + "v".repeat(100_000) + "'",
            "'\\u0000\\u001f\\\\':'\\u0000'");
    for (String each : foreign) {
      assertThat(put(poison.formatted(each)).results().getFirst().status())
          .isEqualTo(MessageStatus.APPLIED);
      assertThat(index.entry("p")).isPresent();
      assertThat(drift()).isEmpty();
      put("{'cmd':'remove','prevState':{'@id':'p'},'newState':null}");
      assertThat(index.texts(TextFormat.V2)).doesNotContainKey("Pd");
    }
    assertThat(rejected(poison.formatted("'\\ud800':1"))).contains("surrogate");
    assertThat(rejected(poison.formatted("'x':{'y':['\\udc00']}"))).contains("surrogate");
  }

  @Test
  void whatCannotBeReadIsNamedAndTheNextIndexIsLookedAt() {
    put(statement("p", "doc", "u"));
    domain
        .tenancy()
        .accounts()
        .put(root, "other", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    domain
        .access()
        .index()
        .put(
            root,
            new Namespace("other", Optional.empty()),
            List.of(MessageInput.of(json(statement("p", "doc", "u")))));
    RecordId id = new RecordId(IndexKey.permission("doc"), "u");
    byte[] garbage = {99};
    for (var damage :
        List.of(
            List.of(RecordKind.ACCESS_LEDGER, AccessKeys.individual("p"), "individual p"),
            List.of(
                RecordKind.ACCESS_CONTRIBUTION,
                AccessKeys.contribution(id, "p"),
                "contributes to Pdoc u"),
            List.of(RecordKind.ACCESS_STRIKE, AccessKeys.record(id), "contributes to Pdoc u"),
            List.of(RecordKind.ACCESS_GENERATION, AccessKeys.ONE, "tenant:acme"),
            List.of(RecordKind.ACCESS_FLOW, AccessKeys.ONE, "tenant:acme"))) {
      RecordKind kind = (RecordKind) damage.get(0);
      byte[] key = (byte[]) damage.get(1);
      Optional<byte[]> before = index.records(records -> records.get(kind, key));
      byte[] whole = index.records(records -> records.key(kind, key));
      write(whole, Optional.of(garbage));
      IntegrityScan.Outcome outcome =
          new AccessIntegrity(store, new IncarnationRecords()).run(_ -> {});
      assertThat(outcome.drift()).as("%s", kind).isNotEmpty();
      assertThat(outcome.drift().getFirst()).contains((String) damage.get(2));
      assertThat(outcome.examined()).as("of the other").isGreaterThanOrEqualTo(6);
      write(whole, before);
      assertThat(drift()).as("%s", kind).isEmpty();
    }
    damage(RecordKind.ACCESS_FLOW, AccessKeys.ONE, Optional.empty());
    assertThat(drift().getFirst()).contains("the flow is behind the newest state of p");
  }

  @Test
  void aRebuildOfWhatIsDeletedLeavesNothing() {
    AtomicInteger calls = new AtomicInteger(Integer.MAX_VALUE);
    Domain[] hooked = new Domain[1];
    CrashingStore interfering =
        new CrashingStore(
            store,
            () -> {
              if (calls.decrementAndGet() == 0) {
                hooked[0].tenancy().accounts().delete(root, "acme", Optional.empty());
                hooked[0].jobs().steps().runAll();
              }
              return false;
            });
    hooked[0] = TestDomain.on(interfering, TestAccess.SETTINGS).domain();
    // So many that they are written in several transactions.
    hooked[0].access().index().put(root, ACME, List.of(MessageInput.of(large(15_000, 1, "r"))));
    hooked[0].access().rebuild().start(root, ACME);
    calls.set(4);
    hooked[0].jobs().runAll();
    assertThat(calls.get()).isNegative();
    try (Snapshot snapshot = store.snapshot();
        Cursor all = snapshot.scan(KeyRange.ALL, Direction.FORWARD)) {
      while (all.next()) {
        assertThat(all.key()[0]).isLessThan((byte) RecordKind.ACCESS_GENERATION.code());
      }
    }
  }

  @Test
  void oneRebuildOfAnIndexAtATime() {
    Job first = domain.access().rebuild().start(root, ACME);
    assertThatThrownBy(() -> domain.access().rebuild().start(root, ACME))
        .isInstanceOfSatisfying(
            VeridexException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
              assertThat(e.problem().values()).containsEntry("job", first.id());
            });
    domain.jobs().runAll();
    assertThat(domain.tenancy().jobs().find(root, first.id()).state()).isEqualTo(Job.State.DONE);
    domain.access().rebuild().start(root, ACME);
  }

  @Test
  void anIndexIsNotTheOneThatWasDeleted() {
    AccessIndex.Target before = domain.access().index().target(ACME);
    domain.tenancy().accounts().delete(root, "acme", Optional.empty());
    domain.jobs().runAll();
    domain
        .tenancy()
        .accounts()
        .put(root, "acme", Account.Definition.PLAIN, Optional.empty(), Optional.empty());
    assertThatThrownBy(
            () ->
                domain
                    .access()
                    .index()
                    .put(root, before, List.of(MessageInput.of(json(statement("p", "doc", "u"))))))
        .isInstanceOfSatisfying(
            VeridexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GONE));
    assertThat(index.entry("p")).isEmpty();
  }

  private void damage(RecordKind kind, byte[] key, Optional<byte[]> value) {
    write(index.records(records -> records.key(kind, key)), value);
  }

  private void write(byte[] whole, Optional<byte[]> value) {
    store.transact(
        transaction -> {
          value.ifPresentOrElse(
              bytes -> transaction.put(whole, bytes), () -> transaction.delete(whole));
          return true;
        });
  }

  @Test
  void aCounterThatWouldFallBelowZeroStopsAtTheMessageAndNamesTheRecord() {
    put(statement("p", "doc", "u"));
    RecordId id = new RecordId(IndexKey.permission("doc"), "u");
    damage(RecordKind.ACCESS_RECORD, AccessKeys.record(id), Optional.empty());
    assertThatThrownBy(
            () ->
                put(
                    statement("q", "other", "u"),
                    statement("p", "elsewhere", "u"),
                    statement("r", "other", "u")))
        .isInstanceOfSatisfying(
            VeridexException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORE);
              assertThat(e.problem().values()).containsEntry("record", "Pdoc u");
            });
    assertThat(index.texts(TextFormat.V2))
        .as("what came before is applied, what came after is not")
        .containsEntry("Pother", "u;R;");
    assertThat(index.entry("r")).isEmpty();
  }

  @Test
  void everyDriftIsFoundAndNamedAndRepaired() {
    put(statement("p", "doc", "u"), "{'@id':'ada-s','rdf:type':'v-s:Account','v-s:login':'Ada'}");
    assertThat(drift()).isEmpty();
    RecordId id = new RecordId(IndexKey.permission("doc"), "u");
    RecordId other = new RecordId(IndexKey.permission("doc"), "nobody");
    byte[] counted =
        AccessRecordCodec.encode(new AclRecord(new int[] {0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
    byte[] login = AccessKeys.login("ada", new Op(0, 2), "ada-s");
    byte[] claim = AccessKeys.login("eve", new Op(0, 2), "ada-s");
    byte[] none = new byte[0];
    record Damage(RecordKind kind, byte[] key, Optional<byte[]> value, String told) {}
    List<Damage> damages =
        List.of(
            new Damage(
                RecordKind.ACCESS_RECORD,
                AccessKeys.record(id),
                Optional.of(counted),
                "record Pdoc u"),
            new Damage(
                RecordKind.ACCESS_RECORD, AccessKeys.record(id), Optional.empty(), "record Pdoc u"),
            new Damage(
                RecordKind.ACCESS_RECORD,
                AccessKeys.record(other),
                Optional.of(counted),
                "Pdoc nobody"),
            new Damage(
                RecordKind.ACCESS_BY_SUBJECT,
                AccessKeys.bySubject(id),
                Optional.empty(),
                "record Pdoc u"),
            new Damage(
                RecordKind.ACCESS_BY_SUBJECT,
                AccessKeys.bySubject(other),
                Optional.of(none),
                "Pdoc nobody"),
            new Damage(
                RecordKind.ACCESS_CONTRIBUTION,
                AccessKeys.contribution(id, "p"),
                Optional.empty(),
                "what p"),
            new Damage(RecordKind.ACCESS_LOGIN, login, Optional.empty(), "a login of ada-s"),
            new Damage(RecordKind.ACCESS_LOGIN, claim, Optional.of(none), "a login of ada-s"));
    for (Damage damage : damages) {
      damage(damage.kind, damage.key, damage.value);
      IntegrityScan.Outcome outcome =
          new AccessIntegrity(store, new IncarnationRecords()).run(_ -> {});
      assertThat(outcome.drift()).as("%s", damage).isNotEmpty();
      assertThat(outcome.drift().getFirst()).contains("tenant:acme", damage.told);
      TestDomain.rebuild(domain, root, ACME);
      assertThat(drift()).as("%s", damage).isEmpty();
    }
    assertThat(index.texts(TextFormat.V2)).containsEntry("Pdoc", "u;R;");
    assertThat(domain.access().index().login(ACME, "ADA").orElseThrow().value()).isEqualTo("ada-s");
    assertThat(domain.access().index().login(ACME, "eve")).isEmpty();
  }

  @Test
  void placesAreNeverGivenOutTwice() {
    put(statement("a", "d", "u"));
    assertThat(index.entry("a").orElseThrow().op()).isEqualTo(new Op(0, 1));
    put("{'cmd':'update','opId':0,'newState':%s}".formatted(statement("b", "d", "u")));
    put(statement("a", "e", "u"));
    assertThat(index.entry("a").orElseThrow().op()).isEqualTo(new Op(0, 2));
    put("{'cmd':'update','opId':7,'newState':%s}".formatted(statement("b", "e", "u")));
    put(statement("a", "f", "u"));
    assertThat(index.entry("a").orElseThrow().op()).isEqualTo(new Op(7, 1));
  }

  @Test
  void ofTwoWhoStrikeAtOnceTheSameIsNamedInAnyOrder() {
    for (List<String> order : List.of(List.of("a", "b"), List.of("b", "a"))) {
      TestIndex other = new TestIndex();
      for (String id : order) {
        other.apply(
            json(
                "{'cmd':'create','opId':5,'newState':{'@id':'%s','rdf:type':'v-s:Membership','v-s:resource':'u','v-s:memberOf':'g','v-s:deleted':true}}"
                    .formatted(id)));
      }
      RecordId id = new RecordId(IndexKey.memberships("u"), "g");
      Strikes strikes = other.read(reader -> reader.strikes(id));
      assertThat(strikes.by(1)).contains("a");
    }
  }

  @Test
  void aNewIndexKnowsTheSystemAndTakesNoRoom() {
    long before = store.revision().sequence();
    CheckRequest system =
        CheckRequest.of("cfg:VedaSystem", "anything", Optional.empty(), Optional.empty());
    assertThat(
            domain
                .access()
                .checker()
                .check(
                    Caller.of(root),
                    ACME,
                    List.of(new RightsChecker.Query(system, true)),
                    AsOf.now())
                .value()
                .getFirst()
                .rights())
        .isEqualTo(Rights.CREATE);
    assertThat(store.revision().sequence()).isEqualTo(before);
    AccessIndex.BatchResult again =
        put(
            "{'rdf:type':'v-s:PermissionStatement','@id':'cfg:VedaSystemPermission','v-s:canCreate':true,'v-s:permissionSubject':'cfg:VedaSystem','v-s:permissionObject':'v-s:AllResourcesGroup'}");
    assertThat(again.results().getFirst().status())
        .as("in another order of its members")
        .isEqualTo(MessageStatus.DUPLICATE);
  }

  @Test
  void writersOfOneScopeWaitForEachOther() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 64; i++) {
        int thread = i;
        threads.execute(
            () -> {
              for (int j = 0; j < 20; j++) {
                put(statement("s" + thread + "-" + j, "doc", "u"));
              }
            });
      }
    }
    assertThat(index.texts(TextFormat.V2)).containsEntry("Pdoc", "u;R1280;");
    assertThat(domain.access().index().flow(ACME).value().n()).isEqualTo(1280);
    assertThat(drift()).isEmpty();
  }

  @Test
  void whatIsForeignIsKeptToTheLastDigit() {
    put(
        "{'@id':'p','rdf:type':['x','v-s:PermissionStatement'],'v-s:permissionObject':'d','v-s:permissionSubject':'u','x:exact':[0.10000000000000000001,1e400,{'b':null,'a':'é'}]}");
    Individual kept = index.entry("p").orElseThrow().individual().orElseThrow();
    assertThat(new String(kept.content(), StandardCharsets.UTF_8))
        .contains("0.10000000000000000001", "1E+400", "{\"a\":\"é\",\"b\":null}");
  }
}
