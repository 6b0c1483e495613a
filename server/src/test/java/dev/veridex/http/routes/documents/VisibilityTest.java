package dev.veridex.http.routes.documents;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.identity.Token.Flag;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Who sees what in searches, over HTTP. That it is exactly what may be read, `VisibilityModelTest`
/// tries with random rights.
final class VisibilityTest {
  private static final String ACCOUNT = "/v1/accounts/acme";
  private static final String DOCS = ACCOUNT + "/buckets/docs";

  @TempDir private Path folder;
  private ServerFixture fixture;
  private String revision = "";

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder);
    arrange();
  }

  private void arrange() {
    ask(ROOT, "PUT", ACCOUNT, "{}");
    bucket("docs", "");
    put("docs", "plan", "'title':'Red plan','tag':'a'");
    put("docs", "pay", "'title':'Red pay','tag':'secret'");
    put("docs", "news", "'title':'Red news','tag':'a'");
    member("alice", "staff");
    member("plan", "work");
    permit("staff-reads-work", "work", "staff", "'v-s:canRead':true");
    permit("boss-reads-all", "bucket:docs", "boss", "'v-s:canRead':true,'v-s:canUpdate':true");
    permit("not-the-news", "news", "boss", "'v-s:canRead':false");
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  /// A bucket that everybody reads and writes.
  private void bucket(String name, String settings) {
    String all = "[{'userGroups':{'oneOf':['*']}}]";
    Reply reply =
        ask(
            ROOT,
            "PUT",
            ACCOUNT + "/buckets/" + name,
            "{'type':'documents','acl':{'read':%s,'write':%s,'delete':%s},'settings':{%s}}"
                .formatted(all, all, all, settings));
    assertThat(reply.status()).as(reply.text()).isLessThan(300);
  }

  private Reply ask(String secret, String method, String target, String body) {
    return fixture.ask(
        method,
        target,
        Optional.of(secret).filter(each -> !each.isEmpty()),
        Optional.of(body.replace('\'', '"')));
  }

  private void put(String bucket, String pk, String fields) {
    assertThat(write(ROOT, bucket, pk, 1, fields)).isEqualTo("ACK");
  }

  /// @return the code of the refusal, or ACK
  private String write(String secret, String bucket, String pk, int version, String fields) {
    String action = fields.isEmpty() ? "'action':'DELETE'" : "'action':'UPSERT','fields':{%s}";
    Reply reply =
        ask(
            secret,
            "POST",
            ACCOUNT + "/buckets/" + bucket + "/documents",
            ("[{'pk':'%s','epoch':1,'version':%d,'modifiedAt':'2026-01-31T12:00:00Z',"
                    + action
                    + "}]")
                .formatted(pk, version, fields));
    revision = reply.json().path("revision").asString(revision);
    JsonNode result = reply.json().at("/results/0");
    return result.path("code").asString(result.path("status").asString(reply.text()));
  }

  private void state(String individual) {
    Reply reply = ask(ROOT, "POST", ACCOUNT + "/access/individuals", individual);
    assertThat(reply.text()).contains("applied");
    revision = reply.json().get("revision").asString();
  }

  private void member(String member, String group) {
    state(
        "{'@id':'%s in %s','rdf:type':'v-s:Membership','v-s:resource':'%s','v-s:memberOf':'%s'}"
            .formatted(member, group, member, group));
  }

  private void permit(String id, String object, String subject, String flags) {
    state(
        "{'@id':'%s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'%s','v-s:permissionSubject':'%s',%s}"
            .formatted(id, object, subject, flags));
  }

  private Reply search(String secret, String members) {
    return ask(
        secret,
        "POST",
        DOCS + "/search",
        "{'atLeast':'%s','sort':['_pk']%s}"
            .formatted(revision, members.isEmpty() ? "" : "," + members));
  }

  private static List<String> found(Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    List<String> found = new ArrayList<>();
    reply.json().get("hits").forEach(hit -> found.add(hit.get("pk").asString()));
    assertThat(reply.json().get("total").asInt()).isGreaterThanOrEqualTo(found.size());
    return found;
  }

  /// What was redacted before a right was given is not shown under it: not on the next page of a
  /// search that began before, not with its reason.
  @Test
  void oldContentNeverMeetsNewRights() {
    oldContentNeverMeetsNewRights(Duration.ZERO);
  }

  /// @param later how long somebody waits before going on with a cursor
  private void oldContentNeverMeetsNewRights(Duration later) {
    for (String pk : List.of("a1", "a2", "a3")) {
      put("docs", pk, "'title':'old " + pk + "'");
    }
    for (String pk : List.of("a1", "a2")) {
      permit("dave-" + pk, pk, "dave", "'v-s:canRead':true");
    }
    String dave = fixture.person("tenant:acme", "dave");
    Reply first = search(dave, "'limit':1");
    assertThat(found(first)).containsExactly("a1");
    String cursor = first.json().get("cursor").asString();

    fixture.clock.advance(Duration.ofSeconds(1));
    assertThat(write(ROOT, "docs", "a2", 2, "'title':'redacted'")).isEqualTo("ACK");
    assertThat(write(ROOT, "docs", "a3", 2, "'title':'redacted'")).isEqualTo("ACK");
    permit("dave-a3", "a3", "dave", "'v-s:canRead':true");
    fixture.clock.advance(later);

    Reply next = search(dave, "'limit':10,'explain':true,'cursor':'" + cursor + "'");
    assertThat(next.status()).as(next.text()).isEqualTo(200);
    assertThat(next.text()).doesNotContain("old a2", "old a3");
    assertThat(found(search(dave, ""))).containsExactly("a1", "a2", "a3");
  }

  /// Nor where changes of rights are kept for a shorter time than a cursor.
  @Test
  void oldContentNeverMeetsNewRightsThatAreForgotten() {
    fixture.close();
    fixture = new ServerFixture(folder.resolve("forgetful"), "access.pastRetention=60s");
    arrange();
    oldContentNeverMeetsNewRights(Duration.ofSeconds(130));
  }

  /// The search right after the acknowledgement of a right is no exception, however far the index
  /// is behind; nor are its highlights, reasons and suggestions.
  @Test
  void oldContentNeverMeetsNewRightsRightAfterTheAcknowledgement() {
    String dave = fixture.person("tenant:acme", "dave");
    String search =
        "{'query':'secret*','fields':['title'],'highlight':['title'],'explain':true,'limit':20}";
    for (int round = 0; round < 30; round++) {
      String pk = "r" + round;
      String secret = "secret" + round;
      put("docs", pk, "'title':'%s'".formatted(secret));
      assertThat(found(search(ROOT, "'query':'" + secret + "'"))).containsExactly(pk);
      if (round % 3 == 0) {
        assertThat(write(ROOT, "docs", pk, 2, "")).isEqualTo("ACK");
      } else {
        assertThat(write(ROOT, "docs", pk, 2, "'title':'redacted'")).isEqualTo("ACK");
      }
      permit("dave-" + pk, pk, "dave", "'v-s:canRead':true");
      Reply now = ask(dave, "POST", DOCS + "/search", search);
      assertThat(now.status()).as(now.text()).isEqualTo(200);
      assertThat(now.text()).doesNotContain(secret);
      Reply why = ask(ROOT, "POST", DOCS + "/search/why", "{'as':'dave','pk':'" + pk + "'}");
      assertThat(why.status()).as(why.text()).isEqualTo(200);
      assertThat(why.text()).doesNotContain(secret);
      Reply words = ask(dave, "POST", DOCS + "/suggest", "{'prefix':'secret'}");
      assertThat(words.status()).as(words.text()).isEqualTo(200);
      assertThat(words.text()).doesNotContain(secret);
    }
  }

  /// A token that is minted after a document was redacted may bring groups that its bearer had not.
  @Test
  void oldContentNeverMeetsTheGroupsOfALaterToken() {
    ask(
        ROOT,
        "PUT",
        ACCOUNT + "/buckets/ops",
        "{'type':'documents','acl':{'read':[{'userGroups':{'oneOf':['ops']}}],'write':[{'userGroups':{'oneOf':['*']}}]},'settings':{'itemAccess':false}}");
    for (int round = 0; round < 10; round++) {
      String pk = "d" + round;
      put("ops", pk, "'title':'secret'");
      Reply before =
          ask(
              operator("olga"),
              "POST",
              ACCOUNT + "/buckets/ops/search",
              "{'atLeast':'" + revision + "','query':'secret'}");
      assertThat(found(before)).containsExactly(pk);
      // With many others, so that the index has something to do.
      StringBuilder batch = new StringBuilder("[" + upsert(pk, 2, "redacted"));
      for (int i = 0; i < 300; i++) {
        batch.append(',').append(upsert("o" + round + "-" + i, 1, "word ".repeat(50) + i));
      }
      Reply written =
          ask(ROOT, "POST", ACCOUNT + "/buckets/ops/documents", batch.append(']').toString());
      assertThat(written.json().at("/results/0/status").asString()).isEqualTo("ACK");
      Reply now =
          ask(operator("eve"), "POST", ACCOUNT + "/buckets/ops/search", "{'query':'secret'}");
      assertThat(now.status()).as(now.text()).isEqualTo(200);
      assertThat(now.json().get("hits")).as(now.text()).isEmpty();
    }
  }

  /// Who moves a document away from its readers has moved it with the acknowledgement.
  @Test
  void whatIsMovedAwayIsGoneAtOnce() {
    bucket("moved", "'resourceField':'folder'");
    permit("dave-reads", "open", "dave", "'v-s:canRead':true");
    String dave = fixture.person("tenant:acme", "dave");
    for (int version = 1; version <= 20; version++) {
      assertThat(write(ROOT, "moved", "doc", 2 * version, "'folder':'open','title':'shown'"))
          .isEqualTo("ACK");
      String search = "{'atLeast':'" + revision + "'}";
      Reply before = ask(dave, "POST", ACCOUNT + "/buckets/moved/search", search);
      assertThat(found(before)).containsExactly("doc");
      assertThat(write(ROOT, "moved", "doc", 2 * version + 1, "'folder':'shut','title':'x'"))
          .isEqualTo("ACK");
      Reply after = ask(dave, "POST", ACCOUNT + "/buckets/moved/search", "{}");
      assertThat(after.json().get("hits")).as("with the acknowledgement").isEmpty();
    }
  }

  private static String upsert(String pk, int version, String title) {
    return "{'pk':'%s','epoch':1,'version':%d,'modifiedAt':'2026-01-31T12:00:00Z','action':'UPSERT','fields':{'title':'%s'}}"
        .formatted(pk, version, title);
  }

  private String operator(String subject) {
    String request = "{'scope':'tenant:acme','subject':'" + subject + "','groups':['ops']}";
    return ask(ROOT, "POST", "/v1/tokens", request).json().get("token").asString();
  }

  @Test
  void everyKindOfCallerSeesWhatItMay() {
    String alice = fixture.person("tenant:acme", "alice");
    String admin = fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret();
    String service = fixture.service("tenant:acme", "crawler");
    String impersonating = fixture.service("tenant:acme", "crawler", Flag.IMPERSONATE);
    assertThat(found(search(alice, ""))).containsExactly("plan");
    assertThat(found(search(alice, "'as':'alice'"))).containsExactly("plan");
    assertThat(search(alice, "'as':'boss'").code()).isEqualTo("FORBIDDEN");
    assertThat(found(search(admin, ""))).containsExactly("news", "pay", "plan");
    assertThat(found(search(admin, "'as':'boss'"))).containsExactly("pay", "plan");
    assertThat(search(service, "").code()).isEqualTo("SUBJECT_REQUIRED");
    assertThat(search(service, "'as':'alice'").code()).isEqualTo("FORBIDDEN");
    assertThat(found(search(impersonating, "'as':'alice'"))).containsExactly("plan");
    assertThat(found(search("", ""))).as("nobody in particular").isEmpty();
    permit("all-read-news", "news", "anonymous", "'v-s:canRead':true");
    assertThat(found(search("", ""))).containsExactly("news");
    assertThat(search("", "'as':'anonymous'").code()).isEqualTo("UNAUTHENTICATED");
    Reply elsewhere = ask(alice, "POST", ACCOUNT + "/search", "{}");
    assertThat(found(elsewhere)).containsExactly("plan");
    ask(ROOT, "PUT", ACCOUNT + "/buckets/hidden", "{'type':'documents','acl':{}}");
    assertThat(found(ask(alice, "POST", ACCOUNT + "/search", "{}"))).containsExactly("plan");
    assertThat(ask(alice, "POST", ACCOUNT + "/search", "{'buckets':['hidden']}").status())
        .isEqualTo(404);
    assertThat(ask(alice, "POST", ACCOUNT + "/buckets/hidden/search", "{}").status())
        .isEqualTo(404);
  }

  @Test
  void countsWordsAndPagesAreTrimmed() {
    Reply counted = search(ROOT, "'as':'alice','query':'red','facets':{'tag':{}}");
    assertThat(counted.json().get("total").asInt()).isEqualTo(1);
    assertThat(counted.json().at("/facets/tag/buckets").toString())
        .isEqualTo("[{\"value\":\"a\",\"count\":1}]");
    Reply words = ask(ROOT, "POST", DOCS + "/suggest", "{'prefix':'p','as':'alice'}");
    assertThat(words.json().get("suggestions").toString())
        .isEqualTo("[{\"text\":\"plan\",\"count\":1}]");
    String page = "'as':'boss','limit':1";
    Reply first = search(ROOT, page);
    assertThat(found(first)).containsExactly("pay");
    permit("no-plans", "plan", "boss", "'v-s:canRead':false");
    Reply second = search(ROOT, page + ",'cursor':'" + first.json().get("cursor").asString() + "'");
    assertThat(found(second)).as("a page is trimmed when it is asked for").isEmpty();
    assertThat(second.json().get("total").asInt()).isEqualTo(1);
    assertThat(
            search(
                    ROOT,
                    "'as':'alice','limit':1,'cursor':'%s'"
                        .formatted(first.json().get("cursor").asString()))
                .code())
        .as("a list is its asker's")
        .isEqualTo("BAD_CURSOR");
  }

  @Test
  void hitsAndTheirAbsenceAreExplained() {
    String alice = fixture.person("tenant:acme", "alice");
    JsonNode hit = search(alice, "'explain':true").json().at("/hits/0");
    assertThat(hit.get("why")).hasSize(1);
    assertThat(hit.at("/why/0/resource").asString()).isEqualTo("plan");
    assertThat(hit.at("/why/0/rights").asString()).isEqualTo("R");
    assertThat(hit.get("why").toString()).contains("staff-reads-work", "alice in staff");
    assertThat(search(ROOT, "'explain':true").json().at("/hits/0").has("why")).isFalse();
    assertThat(why(ROOT, "plan", "alice").at("/visible").asBoolean()).isTrue();
    JsonNode hidden = why(ROOT, "news", "boss");
    assertThat(hidden.get("visible").asBoolean()).isFalse();
    assertThat(hidden.get("because").asString()).isEqualTo("no-right");
    assertThat(hidden.get("why").toString()).contains("not-the-news", "boss-reads-all");
    assertThat(why(ROOT, "nothing", "boss").get("because").asString()).isEqualTo("not-there");
    Reply refused = ask(alice, "POST", DOCS + "/search/why", "{'pk':'pay','as':'alice'}");
    assertThat(refused.code()).isEqualTo("FORBIDDEN");
    assertThat(ask(ROOT, "POST", DOCS + "/search/why", "{'pk':'pay'}").code())
        .isEqualTo("SUBJECT_REQUIRED");
  }

  private JsonNode why(String secret, String pk, String subject) {
    Reply reply =
        ask(secret, "POST", DOCS + "/search/why", "{'pk':'%s','as':'%s'}".formatted(pk, subject));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json();
  }

  @Test
  void resourcesMayHaveAPrefixOrBeNamedByAField() {
    bucket("prefixed", "'resourcePrefix':'doc:'");
    put("prefixed", "x", "'n':1");
    permit("x", "doc:x", "carol", "'v-s:canRead':true");
    assertThat(in("prefixed", "carol")).containsExactly("x");
    bucket("open", "'itemAccess':false");
    put("open", "x", "'n':1");
    assertThat(in("open", "nobody")).containsExactly("x");
    bucket("fields", "'resourceField':'folder'");
    put("fields", "one", "'folder':'f1'");
    put("fields", "both", "'folder':['f1','f2']");
    put("fields", "none", "'n':1");
    permit("f1", "f1", "carol", "'v-s:canRead':true,'v-s:canUpdate':true,'v-s:canCreate':true");
    assertThat(in("fields", "carol")).containsExactly("one");
    permit("f2", "f2", "carol", "'v-s:canRead':true");
    assertThat(in("fields", "carol")).containsExactly("both", "one");
    permit("all", "bucket:fields", "dave", "'v-s:canRead':true");
    assertThat(in("fields", "dave")).as("what is in no folder is nobody's").doesNotContain("none");
    assertThat(in("fields", "dave")).containsExactly("both", "one");
    assertThat(why("fields", "none", "dave", ROOT).get("because").asString())
        .isEqualTo("no-resource");
    assertThat(write(ROOT, "fields", "bad", 1, "'folder':'bucket:fields'")).isEqualTo("BAD_KEY");
    assertThat(write(ROOT, "fields", "bad", 1, "'folder':7")).isEqualTo("BAD_KEY");
    Reply changed =
        ask(
            ROOT,
            "PUT",
            ACCOUNT + "/buckets/fields",
            "{'type':'documents','settings':{'resourceField':'other'}}");
    assertThat(changed.status()).as(changed.text()).isEqualTo(409);
    assertThat(changed.json().get("pointer").asString()).isEqualTo("/settings/resourceField");
  }

  private JsonNode why(String bucket, String pk, String subject, String secret) {
    return ask(
            secret,
            "POST",
            ACCOUNT + "/buckets/" + bucket + "/search/why",
            "{'pk':'%s','as':'%s'}".formatted(pk, subject))
        .json();
  }

  private List<String> in(String bucket, String subject) {
    return found(
        ask(
            ROOT,
            "POST",
            ACCOUNT + "/buckets/" + bucket + "/search",
            "{'as':'%s','atLeast':'%s','sort':['_pk']}".formatted(subject, revision)));
  }

  @Test
  void whoMovesADocumentNeedsRightsOnBothEnds() {
    bucket("fields", "'resourceField':'folder'");
    String carol = fixture.person("tenant:acme", "carol");
    String dave = fixture.person("tenant:acme", "dave");
    permit(
        "f1",
        "f1",
        "carol",
        "'v-s:canRead':true,'v-s:canUpdate':true,'v-s:canCreate':true,'v-s:canDelete':true");
    permit("f2", "f2", "carol", "'v-s:canRead':true");
    assertThat(write(carol, "fields", "x", 1, "'folder':'f1'")).isEqualTo("ACK");
    assertThat(write(carol, "fields", "y", 1, "'folder':'f2'")).isEqualTo("FORBIDDEN");
    assertThat(write(carol, "fields", "y", 1, "'folder':'f3'")).isEqualTo("NOT_FOUND");
    assertThat(write(carol, "fields", "y", 1, "'n':1")).as("nobody's").isEqualTo("NOT_FOUND");
    assertThat(write(carol, "fields", "x", 2, "'folder':'f2'")).isEqualTo("FORBIDDEN");
    assertThat(write(dave, "fields", "x", 2, "'folder':'f1'")).isEqualTo("NOT_FOUND");
    permit("f2-too", "f2", "carol", "'v-s:canUpdate':true");
    assertThat(write(carol, "fields", "x", 2, "'folder':'f2'")).isEqualTo("ACK");
    String x = ACCOUNT + "/buckets/fields/documents/x";
    assertThat(fixture.get(carol, x).status()).isEqualTo(200);
    assertThat(fixture.get(dave, x).status()).isEqualTo(404);
    assertThat(write(carol, "fields", "x", 3, "")).as("no D on f2").isEqualTo("FORBIDDEN");
    assertThat(write(dave, "fields", "x", 3, "")).isEqualTo("NOT_FOUND");
    assertThat(write(carol, "fields", "x", 3, "'folder':'f1'")).isEqualTo("ACK");
    assertThat(write(carol, "fields", "x", 4, "")).isEqualTo("ACK");
    assertThat(fixture.get(carol, x).status()).isEqualTo(404);
  }

  /// Where only an older state of a document can be shown, it is shown to those who may read both
  /// that one and the newest.
  @Test
  void aDocumentOfANewerEpochIsShownToWhomItIsAndWasThere() {
    bucket("fields", "'resourceField':'folder'");
    permit("f1", "f1", "carol", "'v-s:canRead':true");
    permit("secret", "secret", "dave", "'v-s:canRead':true");
    for (String folder : List.of("f1", "secret")) {
      permit("erin-" + folder, folder, "erin", "'v-s:canRead':true");
    }
    for (String pk : List.of("gone", "moved", "stays")) {
      put("fields", pk, "'folder':'f1','n':1");
    }
    put("fields", "opened", "'folder':'secret','n':1");
    assertThat(in("fields", "carol")).containsExactly("gone", "moved", "stays");
    ask(ROOT, "POST", ACCOUNT + "/buckets/fields/epochs", "{}");
    // What n is now cannot be told where it is a number.
    putLater("moved", "'folder':'secret','n':'text'");
    putLater("opened", "'folder':'f1','n':'text'");
    putLater("stays", "'folder':['f1','f1'],'n':'text'");
    putLater("gone", "'n':'text'");
    assertThat(in("fields", "carol")).containsExactly("stays");
    assertThat(in("fields", "dave")).isEmpty();
    assertThat(in("fields", "erin")).containsExactly("moved", "opened", "stays");
    assertThat(why("fields", "moved", "carol", ROOT).get("visible").asBoolean()).isFalse();
    assertThat(why("fields", "moved", "erin", ROOT).get("visible").asBoolean()).isTrue();
    permit("secret-too", "secret", "carol", "'v-s:canRead':true");
    assertThat(in("fields", "carol")).containsExactly("moved", "opened", "stays");
  }

  private void putLater(String pk, String fields) {
    Reply reply =
        ask(
            ROOT,
            "POST",
            ACCOUNT + "/buckets/fields/documents",
            "[{'pk':'%s','epoch':2,'version':2,'modifiedAt':'2026-01-31T12:00:00Z','action':'UPSERT','fields':{%s}}]"
                .formatted(pk, fields));
    assertThat(reply.json().at("/results/0/status").asString()).isEqualTo("ACK");
    revision = reply.json().get("revision").asString();
  }

  @Test
  void nobodyHearsMoreThanTheyMay() {
    String alice = fixture.person("tenant:acme", "alice");
    String service = fixture.service("tenant:acme", "crawler");
    String global = fixture.person("global", "alice");
    assertThat(found(search(global, ""))).as("another alice than the tenant's").isEmpty();
    assertThat(fixture.get(global, DOCS + "/documents/plan").status()).isEqualTo(404);
    bucket("fields", "'resourceField':'folder'");
    put("fields", "x", "'folder':'f1'");
    for (String pk : List.of("x", "nothing")) {
      assertThat(fixture.get(service, ACCOUNT + "/buckets/fields/documents/" + pk).code())
          .isEqualTo("SUBJECT_REQUIRED");
    }
    ask(ROOT, "PUT", ACCOUNT + "/buckets/hidden", "{'type':'documents','acl':{}}");
    String hidden = ask(alice, "POST", ACCOUNT + "/search", "{'buckets':['hidden']}").text();
    assertThat(ask(alice, "POST", ACCOUNT + "/search", "{'buckets':['nowhere']}").text())
        .isEqualTo(hidden);
    assertThat(search("", "'explain':true").code()).isEqualTo("UNAUTHENTICATED");
    Reply much = search(alice, "'explain':true,'limit':21");
    assertThat(much.status()).isEqualTo(400);
    assertThat(much.json().get("pointer").asString()).isEqualTo("/limit");
  }

  /// One token says how fresh documents and rights have to be, whichever it came from.
  @Test
  void oneRevisionIsAsFreshAsDocumentsAndRights() {
    for (int i = 0; i < 20; i++) {
      put("docs", "new" + i, "'title':'New'");
      permit("new" + i, "new" + i, "erin", "'v-s:canRead':true");
      assertThat(found(search(ROOT, "'as':'erin','limit':100"))).hasSize(i + 1);
    }
    permit("new3", "new3", "erin", "'v-s:canRead':true,'v-s:deleted':true");
    assertThat(found(search(ROOT, "'as':'erin','limit':100"))).hasSize(19);
  }
}
