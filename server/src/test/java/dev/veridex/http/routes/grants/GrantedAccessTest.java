package dev.veridex.http.routes.grants;

import static dev.veridex.ServerFixture.ROOT;
import static dev.veridex.http.routes.grants.GrantsFixture.key;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture.Reply;
import dev.veridex.identity.Token.Flag;
import dev.veridex.json.JsonText;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Approvals and membership relationships in every answer about rights, over HTTP, a microsecond
/// before, at and after their end. That every answer is right, `GrantDecisionsTest` and
/// `VisibilityModelTest` try with random grants.
final class GrantedAccessTest {
  private static final String SCOPE = "tenant:acme";
  private static final String ACME = "/v1/accounts/acme";
  private static final String EVERYBODY = "[{'userGroups':{'oneOf':['*']}}]";

  @TempDir private Path data;
  private GrantsFixture world;
  private String admin;
  private String alice;
  private String revision = "";
  private Instant end;

  @BeforeEach
  void start() {
    world = new GrantsFixture(data);
    ask(ROOT, "PUT", ACME, "{}");
    admin = world.token(SCOPE, "boss", Flag.ADMIN);
    alice = world.token(SCOPE, "alice");
    bucket("docs", "documents", EVERYBODY, "");
    bucket("pages", "items", EVERYBODY, "'itemAccess':true,'resourcePrefix':'p:'");
    for (String pk : List.of("memo", "plan", "news")) {
      write(pk, 1, "Red " + pk);
    }
    assertThat(ask(ROOT, "PUT", ACME + "/buckets/pages/items/home", "'hello'").status())
        .isEqualTo(201);
    statement("news", "alice");
    statement("plan", "editors");
    statement("p:home", "editors");
    end = world.server.clock.instant().truncatedTo(ChronoUnit.MICROS).plusSeconds(3600);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private Reply ask(String secret, String method, String target, String body) {
    return world.ask(secret, method, target, body);
  }

  private JsonNode answer(String secret, String method, String target, String body) {
    Reply reply = ask(secret, method, target, body);
    assertThat(reply.status()).as("%s %s: %s", method, target, reply.text()).isIn(200, 201);
    return reply.json();
  }

  private void bucket(String name, String type, String acl, String settings) {
    answer(
        ROOT,
        "PUT",
        ACME + "/buckets/" + name,
        "{'type':'%s','acl':{'read':%s,'write':%s},'settings':{%s}}"
            .formatted(type, acl, acl, settings));
  }

  private void write(String pk, int version, String title) {
    revision =
        answer(
                ROOT,
                "POST",
                ACME + "/buckets/docs/documents",
                "[{'pk':'%s','epoch':1,'version':%d,'modifiedAt':'2026-01-31T12:00:00Z','action':'UPSERT','fields':{'title':'%s','tag':'%s'}}]"
                    .formatted(pk, version, title, pk))
            .get("revision")
            .asString();
  }

  private void statement(String object, String subject) {
    answer(
        ROOT,
        "POST",
        ACME + "/access/individuals",
        "{'@id':'%s may %s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'%s','v-s:permissionSubject':'%s','v-s:canRead':true}"
            .formatted(subject, object, object, subject));
  }

  private void approve() {
    Reply reply =
        world.approve(admin, SCOPE, "alice", "memo", "Get", ",'expiresAt':'%s'".formatted(end));
    assertThat(reply.status()).as(reply.text()).isIn(200, 201);
  }

  private void relate(String subject, String group) {
    answer(
        admin,
        "PUT",
        "/v1/relationships",
        "{'scope':'tenant:acme','subject':'%s','relation':'member','object':'%s','type':'membership','expiresAt':'%s'}"
            .formatted(subject, group, end));
  }

  private void at(Instant time) {
    world.server.clock.set(time);
  }

  private boolean checked(String resource) {
    String question = "{'subject':'alice','resource':'%s','rights':'R'}".formatted(resource);
    String single = ACME + "/access/check?subject=alice&rights=R&resource=" + resource;
    boolean one = answer(admin, "GET", single, "").get("granted").asBoolean();
    boolean own = answer(alice, "GET", single, "").get("granted").asBoolean();
    boolean many =
        answer(admin, "POST", ACME + "/access/check", "{'checks':[%s]}".formatted(question))
            .at("/results/0/granted")
            .asBoolean();
    boolean zen =
        answer(
                admin,
                "POST",
                "/access/v1/evaluation",
                "{'subject':{'type':'user','id':'alice'},'action':{'name':'can_read'},'resource':{'type':'document','id':'%s'}}"
                    .formatted(resource))
            .get("decision")
            .asBoolean();
    assertThat(List.of(own, many, zen)).as(resource).containsOnly(one);
    return one;
  }

  private List<String> listed(String target, String member) {
    List<String> ids = new ArrayList<>();
    answer(admin, "GET", target, "").get(member).forEach(id -> ids.add(id.asString()));
    return ids;
  }

  private List<String> zen(String what, String body) {
    List<String> ids = new ArrayList<>();
    answer(admin, "POST", "/access/v1/search/" + what, body)
        .get("results")
        .forEach(each -> ids.add(each.get("id").asString()));
    return ids;
  }

  private JsonNode search(String secret, String members) {
    return answer(
        secret,
        "POST",
        ACME + "/buckets/docs/search",
        "{'query':'red','sort':['_pk'],'atLeast':'%s'%s}".formatted(revision, members));
  }

  private static List<String> hits(JsonNode answer) {
    List<String> hits = new ArrayList<>();
    answer.get("hits").forEach(hit -> hits.add(hit.get("pk").asString()));
    return hits;
  }

  /// Everything that tells of a right says the same.
  private void reads(boolean memo, boolean plan) {
    assertThat(checked("memo")).as("memo").isEqualTo(memo);
    assertThat(checked("plan")).as("plan").isEqualTo(plan);
    List<String> all = new ArrayList<>();
    if (memo) {
      all.add("memo");
    }
    all.add("news");
    if (plan) {
      all.addAll(List.of("p:home", "plan"));
    }
    List<String> documents = all.stream().filter(id -> !id.equals("p:home")).toList();
    assertThat(listed(ACME + "/access/resources?subject=alice&right=R", "items")).isEqualTo(all);
    assertThat(listed(ACME + "/access/subjects?resource=memo&right=R", "items").contains("alice"))
        .isEqualTo(memo);
    assertThat(
            zen(
                "resource",
                "{'subject':{'type':'user','id':'alice'},'action':{'name':'can_read'},'resource':{'type':'document'}}"))
        .isEqualTo(all);
    assertThat(
            zen(
                    "subject",
                    "{'subject':{'type':'user'},'action':{'name':'can_read'},'resource':{'type':'document','id':'plan'}}")
                .contains("alice"))
        .isEqualTo(plan);
    assertThat(ask(alice, "GET", ACME + "/buckets/pages/items/home", "").status())
        .isEqualTo(plan ? 200 : 404);
    JsonNode found = search(alice, ",'facets':{'tag':{}}");
    assertThat(hits(found)).isEqualTo(documents);
    assertThat(found.get("total").asInt()).isEqualTo(documents.size());
    List<String> counted = new ArrayList<>();
    found.at("/facets/tag/buckets").forEach(each -> counted.add(each.get("value").asString()));
    assertThat(counted).isEqualTo(documents);
    assertThat(hits(search(admin, ",'as':'alice'"))).isEqualTo(documents);
    for (String pk : List.of("memo", "plan", "news")) {
      assertThat(
              answer(
                      admin,
                      "POST",
                      ACME + "/buckets/docs/search/why",
                      "{'as':'alice','pk':'%s'}".formatted(pk))
                  .get("visible")
                  .asBoolean())
          .as(pk)
          .isEqualTo(documents.contains(pk));
    }
  }

  @Test
  void grantsCountEverywhereUntilTheirEnd() {
    reads(false, false);
    approve();
    reads(true, false);
    relate("alice", "editors");
    reads(true, true);
    String cursor = search(alice, ",'limit':1").get("cursor").asString();
    at(end.minus(1, ChronoUnit.MICROS));
    reads(true, true);
    for (Instant time : List.of(end, end.plus(1, ChronoUnit.MICROS))) {
      at(time);
      reads(false, false);
    }
    at(end.minusSeconds(600));
    reads(false, false);
    assertThat(cursor).isNotEmpty();
  }

  @Test
  void eachPageOfACursorCountsWhatIsAliveThen() {
    approve();
    relate("alice", "editors");
    at(end.minusSeconds(60));
    JsonNode first = search(alice, ",'limit':1");
    assertThat(hits(first)).containsExactly("memo");
    String next = ",'limit':5,'cursor':'%s'".formatted(first.get("cursor").asString());
    at(end.minus(1, ChronoUnit.MICROS));
    assertThat(hits(search(alice, next))).containsExactly("news", "plan");
    at(end);
    assertThat(hits(search(alice, next))).containsExactly("news");
  }

  @Test
  void aTraceTellsTheApprovalWithItsGrantorAndEnd() {
    approve();
    relate("alice", "editors");
    JsonNode trace =
        answer(
                admin,
                "GET",
                ACME + "/access/check?subject=alice&rights=R&resource=memo&explain=true",
                "")
            .get("trace");
    JsonNode approval = trace.at("/approvals/0");
    assertThat(approval.get("action").asString()).isEqualTo("Get");
    assertThat(approval.get("rights").asString()).isEqualTo("R");
    assertThat(approval.get("grantedBy").asString()).isEqualTo("boss");
    assertThat(approval.get("expiresAt").asString()).isEqualTo(end.toString());
    JsonNode related = trace.at("/relationships/0");
    assertThat(related.get("member").asString()).isEqualTo("alice");
    assertThat(related.get("relation").asString()).isEqualTo("member");
    assertThat(related.get("group").asString()).isEqualTo("editors");
    assertThat(related.get("grantedBy").asString()).isEqualTo("boss");
    assertThat(related.get("expiresAt").asString()).isEqualTo(end.toString());
  }

  @Test
  void groupsOfAclsCountButForTheGroupAdmin() {
    bucket("room", "items", "[{'userGroups':{'oneOf':['editors']}}]", "");
    answer(
        ROOT, "PUT", ACME, "{'bucketCreators':{'items':[{'userGroups':{'oneOf':['editors']}}]}}");
    assertThat(ask(ROOT, "PUT", ACME + "/buckets/room/items/note", "'hi'").status()).isEqualTo(201);
    String note = ACME + "/buckets/room/items/note";
    String own = ACME + "/buckets/own";
    assertThat(ask(alice, "GET", note, "").status()).isEqualTo(404);
    assertThat(ask(alice, "PUT", own, "{'type':'items'}").status()).isEqualTo(403);
    relate("alice", "admin");
    assertThat(ask(alice, "GET", note, "").status()).as("admin comes from tokens").isEqualTo(404);
    relate("alice", "writers");
    relate("writers", "editors");
    assertThat(ask(alice, "GET", note, "").status()).isEqualTo(200);
    assertThat(ask(alice, "PUT", own, "{'type':'items'}").status()).isEqualTo(201);
    at(end.minus(1, ChronoUnit.MICROS));
    assertThat(ask(alice, "GET", note, "").status()).isEqualTo(200);
    at(end);
    assertThat(ask(alice, "GET", note, "").status()).isEqualTo(404);
    assertThat(ask(alice, "PUT", ACME + "/buckets/more", "{'type':'items'}").status())
        .isEqualTo(403);
  }

  @Test
  void changesTellOfGrantsExtensionsAndRevocations() {
    String since = answer(ROOT, "GET", ACME + "/access/flow", "").get("revision").asString();
    approve();
    Instant later = end.plusSeconds(60);
    answer(
        admin,
        "POST",
        "/v1/approvals/extend",
        "{'scope':'tenant:acme','identity':'alice','resource':'memo','action':'Get','expiresAt':'%s'}"
            .formatted(later));
    relate("alice", "editors");
    // What is no right is told by nobody here.
    world.approve(admin, SCOPE, "alice", "memo", "publish", "");
    world.related(SCOPE, "alice", "knows", "bob", "role");
    assertThat(
            ask(admin, "DELETE", "/v1/approvals" + key(SCOPE, "alice", "memo", "Get"), "").status())
        .isEqualTo(200);
    at(later.plus(Duration.ofHours(1)));
    Reply told = world.server.get(ROOT, ACME + "/changes?follow=false&since=" + since);
    List<JsonNode> events = new ArrayList<>();
    told.text()
        .lines()
        .filter(line -> line.startsWith("data: {"))
        .forEach(line -> events.add(json(line.substring(6))));
    assertThat(told.text().lines().filter(line -> line.equals("event: grant"))).hasSize(4);
    assertThat(events)
        .extracting(event -> event.get("status").asString())
        .containsExactly("granted", "extended", "granted", "revoked");
    assertThat(events.get(0).at("/approval/expiresAt").asString()).isEqualTo(end.toString());
    assertThat(events.get(1).at("/approval/expiresAt").asString()).isEqualTo(later.toString());
    assertThat(events.get(1).at("/approval/rights").asString()).isEqualTo("R");
    assertThat(events.get(2).at("/relationship/object").asString()).isEqualTo("editors");
    assertThat(events.get(3).at("/approval/identity").asString()).isEqualTo("alice");
    assertThat(events.get(3).at("/approval/grantedBy").asString()).isEqualTo("boss");
  }

  private static JsonNode json(String text) {
    return JsonText.read(text.getBytes(UTF_8));
  }

  /// Whoever is told that an extension was made has the right beyond the old end; whoever is told
  /// that there was nothing to extend has not.
  @Test
  void anExtensionAndTheEndRace() throws Exception {
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < 30; i++) {
        end = world.server.clock.instant().truncatedTo(ChronoUnit.MICROS).plusSeconds(3600);
        approve();
        at(end.minus(1, ChronoUnit.MICROS));
        Instant later = end.plusSeconds(120);
        Future<Reply> extending =
            threads.submit(
                () ->
                    ask(
                        admin,
                        "POST",
                        "/v1/approvals/extend",
                        "{'scope':'tenant:acme','identity':'alice','resource':'memo','action':'Get','expiresAt':'%s'}"
                            .formatted(later)));
        at(end);
        Reply extended = extending.get();
        assertThat(extended.status()).as(extended.text()).isIn(200, 404);
        assertThat(checked("memo")).isEqualTo(extended.status() == 200);
        assertThat(hits(search(alice, ""))).hasSize(extended.status() == 200 ? 2 : 1);
        at(later);
        assertThat(checked("memo")).isFalse();
      }
    }
  }
}
