package dev.veridex.http.routes.objects;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Seeds;
import dev.veridex.json.JsonText;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// Catalogues over HTTP: events in every shape, lists, attributes, rights, searches.
final class ObjectsTest {
  private static final String ACCOUNT = "/v1/accounts/acme";
  private static final String FILES = ACCOUNT + "/buckets/files";

  @TempDir private Path folder;
  private ServerFixture fixture;
  private String revision = "";

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder);
    assertThat(ask(ROOT, "PUT", ACCOUNT, "{}").status()).isEqualTo(201);
    bucket("files", "");
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private void bucket(String name, String settings) {
    String all = "[{'userGroups':{'oneOf':['*']}}]";
    Reply reply =
        ask(
            ROOT,
            "PUT",
            ACCOUNT + "/buckets/" + name,
            "{'type':'objects','acl':{'read':%s,'write':%s},'settings':{%s}}"
                .formatted(all, all, settings));
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
  }

  private Reply ask(String secret, String method, String target, String body) {
    return fixture.ask(
        method,
        target,
        Optional.of(secret),
        body.isEmpty() ? Optional.empty() : Optional.of(body.replace('\'', '"')));
  }

  private Reply get(String target) {
    return ask(ROOT, "GET", FILES + target, "");
  }

  private static String record(String name, String key, String more) {
    return "{'eventTime':'2026-01-31T12:00:00Z','eventName':'%s','s3':{'bucket':{'name':'lab'},'object':{'key':'%s'%s}}}"
        .formatted(name, key, more.isEmpty() ? "" : "," + more);
  }

  private static String created(String key, String more) {
    return record("ObjectCreated:Put", key, more);
  }

  private static String message(String... records) {
    return "{'Records':[%s]}".formatted(String.join(",", records));
  }

  private static String text(String json) {
    return "\"" + json.replace("'", "\\\"") + "\"";
  }

  private Reply send(String body) {
    Reply reply = ask(ROOT, "POST", FILES + "/events", body);
    revision = reply.json().path("revision").asString(revision);
    return reply;
  }

  private static List<String> statuses(Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply
        .json()
        .get("results")
        .valueStream()
        .map(each -> each.get("status").asString())
        .toList();
  }

  private void put(String key, String more) {
    assertThat(statuses(send(message(created(key, more))))).containsExactly("ingested");
  }

  private static List<String> keys(Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json().get("items").valueStream().map(each -> each.get("key").asString()).toList();
  }

  private List<String> listed(String query) {
    return keys(get("/objects?" + query));
  }

  private List<String> found(String secret, String members) {
    Reply reply =
        ask(
            secret,
            "POST",
            FILES + "/search",
            "{'atLeast':'%s','limit':1000,'sort':['_pk'],%s}".formatted(revision, members));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.json().get("total").asInt()).isEqualTo(reply.json().get("hits").size());
    return reply
        .json()
        .get("hits")
        .valueStream()
        .map(hit -> hit.get("fields").get("key").asString())
        .toList();
  }

  @Test
  void everyShapeIsTaken() {
    String bridge =
        "{'time':'2026-01-31T12:00:00Z','detail-type':'Object Created','detail':{'bucket':{'name':'lab'},'object':{'key':'a+b','size':5,'etag':'x','sequencer':'3'},'reason':'CopyObject'}}";
    assertThat(
            statuses(
                send(
                    message(created("one", "'sequencer':'1'"), created("two", "'sequencer':'1'")))))
        .containsExactly("ingested", "ingested");
    assertThat(statuses(send(bridge))).containsExactly("ingested");
    assertThat(
            statuses(
                send(
                    "{'Type':'Notification','Message':"
                        + text(message(created("sns", "'sequencer':'1'")))
                        + "}")))
        .containsExactly("ingested");
    assertThat(
            statuses(
                send(
                    "{'Messages':[{'Body':"
                        + text(message(created("sqs", "'sequencer':'1'")))
                        + "}]}")))
        .containsExactly("ingested");
    assertThat(statuses(send("{'body':" + text(bridge) + "}"))).containsExactly("duplicate");
    assertThat(
            statuses(
                send(
                    "["
                        + message(created("one", "'sequencer':'1'"))
                        + ","
                        + message(created("x+%2B", "'sequencer':'1'"))
                        + "]")))
        .containsExactly("duplicate", "ingested");
    Reply lines =
        fixture.send(
            "POST",
            FILES + "/events",
            Optional.of(ROOT),
            List.of("Content-Type", "application/x-ndjson"),
            (message(created("l1", "'sequencer':'1'")) + "\n{\n" + bridge + "\n")
                .replace('\'', '"')
                .getBytes(UTF_8));
    assertThat(
            lines
                .text()
                .lines()
                .map(line -> JsonText.read(line.getBytes(UTF_8)).path("status").asString("")))
        .containsExactly("ingested", "rejected", "duplicate", "");
    assertThat(listed("")).containsExactly("a+b", "l1", "one", "sns", "sqs", "two", "x +");
    JsonNode row = get("/objects?key=a%2Bb").json().get("items").get(0);
    assertThat(row.get("reason").asString()).isEqualTo("CreatedCopy");
    assertThat(row.get("eTag").asString()).isEqualTo("\"x\"");
    assertThat(row.get("numberDuplicateEvents").asInt()).isEqualTo(2);
  }

  /// One by one: each as specified, and the rest goes on.
  @Test
  void badInputCostsNobodyElse() {
    String good = created("good", "'sequencer':'1'");
    List<String> bad =
        List.of(
            record("ObjectCreated:Put", "%zz", "'sequencer':'1'"),
            record("ObjectCreated:Put", "%", "'sequencer':'1'"),
            record("ObjectCreated:Put", "%ff", "'sequencer':'1'"),
            record("ObjectCreated:Put", "", "'sequencer':'1'"),
            record("ObjectCreated:Put", "a%00", "'sequencer':'1'"),
            record("ObjectCreated:Put", "k".repeat(1025), "'sequencer':'1'"),
            created("size", "'sequencer':'1','size':9223372036854775808"),
            created("size", "'sequencer':'1','size':-1"),
            created("size", "'sequencer':'1','size':1.5"),
            "{'eventName':'ObjectCreated:Put','s3':{'bucket':{'name':'lab'},'object':{'key':'t'}}}",
            "{'eventTime':'yesterday','eventName':'ObjectCreated:Put','s3':{'bucket':{'name':'lab'},'object':{'key':'t'}}}",
            "{'eventTime':'2026-01-31T12:00:00Z','eventName':'ObjectCreated:Put','s3':{'object':{'key':'t'}}}",
            "{'eventTime':'2026-01-31T12:00:00Z','eventName':'ObjectCreated:Put','s3':7}",
            "7");
    for (String each : bad) {
      Reply reply = send(message(each, good));
      assertThat(statuses(reply)).as(each).startsWith("rejected").hasSize(2);
      assertThat(reply.json().at("/results/0/code").asString()).as(each).isEqualTo("BAD_EVENT");
      assertThat(reply.json().at("/results/0/reason").asString()).as(each).endsWith(".");
    }
    for (String sequencer : List.of("0".repeat(31), "xyz", "", "-1")) {
      Reply reply = send(message(created("s", "'sequencer':'" + sequencer + "'"), good));
      assertThat(reply.json().at("/results/0/code").asString()).isEqualTo("BAD_SEQUENCER");
    }
    assertThat(statuses(send("{'Service':'Amazon S3','Event':'s3:TestEvent'}")))
        .containsExactly("skipped");
    assertThat(statuses(send("null"))).containsExactly("skipped");
    assertThat(statuses(send(message(record("ReducedRedundancyLostObject", "x", "")))))
        .containsExactly("skipped");
    assertThat(statuses(send("[{'what':1}," + message(good) + "]")))
        .containsExactly("rejected", "duplicate");
    Reply single = send("{'what':1}");
    assertThat(single.status()).isEqualTo(400);
    assertThat(single.code()).isEqualTo("BAD_EVENT");
    String nested = message(good);
    for (int i = 0; i < 6; i++) {
      nested = "{'Message':" + JsonNodeFactory.instance.stringNode(nested.replace('\'', '"')) + "}";
    }
    assertThat(
            fixture
                .ask(
                    "POST",
                    FILES + "/events",
                    Optional.of(ROOT),
                    Optional.of(nested.replace('\'', '"')))
                .code())
        .isEqualTo("BAD_EVENT");
    assertThat(send("{").status()).isEqualTo(400);
    put("k".repeat(1024), "'sequencer':'" + "F".repeat(30) + "','size':9223372036854775807");
    put("folder%2F", "'sequencer':'1'");
    assertThat(listed("")).containsExactly("folder/", "good", "k".repeat(1024));

    Reply failed = get("/events/failed?limit=5");
    assertThat(failed.json().get("items")).hasSize(5);
    assertThat(failed.json().at("/items/0/code").asString()).isEqualTo("BAD_EVENT");
    int all = 5;
    JsonNode page = failed.json();
    while (!page.get("cursor").isNull()) {
      page = get("/events/failed?limit=5&cursor=" + page.get("cursor").asString()).json();
      all += page.get("items").size();
    }
    assertThat(all).isEqualTo(bad.size() + 4 + 3);
    assertThat(
            ask(fixture.person("tenant:acme", "eve"), "GET", FILES + "/events/failed", "").status())
        .isEqualTo(403);
  }

  @Test
  void filtersSortsAndPagesAgree() {
    for (int i = 0; i < 30; i++) {
      put("a/%02d.txt".formatted(i), "'sequencer':'1','size':%d".formatted(i % 7));
      put("b%2F" + i, "'sequencer':'2'");
    }
    assertThat(listed("key=a/0?.txt")).hasSize(10).first().isEqualTo("a/00.txt");
    assertThat(listed("key=A/0*&caseSensitive=false")).hasSize(10);
    assertThat(listed("key=A/0*")).isEmpty();
    assertThat(listed("key[]=a/01.txt&key[]=b/7")).containsExactly("a/01.txt", "b/7");
    assertThat(listed("key[and][]=a/*&key[and][]=*1.txt"))
        .containsExactly("a/01.txt", "a/11.txt", "a/21.txt");
    assertThat(listed("size[gte]=2&size[lt]=4&key=a/0*"))
        .containsExactly("a/02.txt", "a/03.txt", "a/09.txt");
    assertThat(listed("size=5&limit=2")).hasSize(2);
    assertThat(listed("bucket=none")).isEmpty();
    assertThat(
            listed("bucket=l*&eventTime=2026-01-31*&eventTime[lt]=2026-02-01T00:00:00Z&limit=1000"))
        .hasSize(60);
    assertThat(listed("sort=-size,key&size[gte]=0&limit=5"))
        .containsExactly("a/06.txt", "a/13.txt", "a/20.txt", "a/27.txt", "a/05.txt");
    for (String query :
        List.of("", "sort=-size", "currentState=false", "key=*1*", "sort=size,-key&key=a*")) {
      List<String> whole = listed(query + "&limit=1000");
      List<String> paged = new ArrayList<>();
      JsonNode page = get("/objects?" + query + "&limit=7").json();
      assertThat(page.get("total").asInt()).as(query).isEqualTo(whole.size());
      assertThat(page.get("totalIsExact").asBoolean()).isTrue();
      while (true) {
        page.get("items").forEach(each -> paged.add(each.get("key").asString()));
        String next = page.get("links").get("next").asString("");
        if (next.isEmpty()) {
          break;
        }
        page = ask(ROOT, "GET", next, "").json();
      }
      assertThat(paged).as(query).containsExactlyElementsOf(whole);
    }
    assertThat(get("/objects?size=big").json().get("detail").asString()).contains("\"big\"");
    assertThat(get("/objects?size[bigger]=1").json().get("detail").asString())
        .contains("\"bigger\"");
    assertThat(get("/objects?sizes=1").json().get("didYouMean").asString()).isEqualTo("size");
    assertThat(get("/objects?sort=sizes").json().get("didYouMean").asString()).isEqualTo("size");
    assertThat(get("/objects?limit=5&cursor=abc").status()).isEqualTo(400);
    String cursor = get("/objects?limit=5").json().get("cursor").asString();
    assertThat(get("/objects?limit=5&key=a*&cursor=" + cursor).status())
        .as("another list")
        .isEqualTo(400);
    assertThat(get("/objects/count?key=a/*").json().get("count").asInt()).isEqualTo(30);
    assertThat(get("/objects/count").json().get("count").asInt()).isEqualTo(60);
    JsonNode stats = get("/objects/stats?delimiter=/").json();
    assertThat(stats.get("byPrefix").valueStream().map(each -> each.get("name").asString()))
        .containsExactly("a/", "b/");
    assertThat(stats.get("bytes").asInt()).isEqualTo(IntStream.range(0, 30).map(i -> i % 7).sum());
    assertThat(get("/objects/stats").json().get("bytes")).isEqualTo(stats.get("bytes"));
  }

  @Test
  void historyTellsWhatWasWhenAndWhy() {
    Instant before = fixture.clock.instant();
    fixture.clock.advance(Duration.ofSeconds(10));
    put("k", "'sequencer':'1','size':1,'versionId':'v1'");
    Instant between = fixture.clock.instant();
    fixture.clock.advance(Duration.ofSeconds(10));
    put("k", "'sequencer':'2','size':2,'versionId':'v2'");
    send(
        message(
            record("ObjectRemoved:DeleteMarkerCreated", "k", "'sequencer':'3','versionId':'v3'")));
    assertThat(listed("")).isEmpty();
    assertThat(
            get("/objects/history?key=k")
                .json()
                .get("items")
                .valueStream()
                .map(row -> row.get("sequencer").asString()))
        .containsExactly("1", "2", "3");
    assertThat(get("/objects/history").status()).isEqualTo(400);
    fixture.clock.advance(Duration.ofSeconds(10));
    assertThat(listed("at=" + before)).isEmpty();
    assertThat(get("/objects?at=" + between).json().at("/items/0/versionId").asString())
        .isEqualTo("v1");
    assertThat(get("/objects?at=" + between.minus(Duration.ofDays(30))).status()).isNotEqualTo(200);
    assertThat(listed("eventAt=2026-01-31T11:59:59Z")).isEmpty();
    send(message(record("ObjectRemoved:Delete", "k", "'sequencer':'4','versionId':'v3'")));
    JsonNode row = get("/objects").json().get("items").get(0);
    assertThat(row.get("versionId").asString()).as("the marker was removed").isEqualTo("v2");
    JsonNode why = get("/objects/" + row.get("id").asString() + "?why=true").json();
    assertThat(why.get("isCurrentState").asBoolean()).isTrue();
    assertThat(why.get("why")).hasSize(4);
    assertThat(get("/objects/00000000-0000-4000-8000-000000000000").status()).isEqualTo(404);
    assertThat(get("/objects/x").status()).isEqualTo(404);
  }

  @Test
  void lateTransitionsTellWhereBytesLieAndReviveNothing() {
    put("k", "'sequencer':'1','size':7,'eTag':'e'");
    String transition =
        "{'eventTime':'2026-02-01T12:00:00Z','eventName':'LifecycleTransition','s3':{'bucket':{'name':'lab'},'object':{'key':'k'}},'lifecycleEventData':{'transitionEventData':{'destinationStorageClass':'GLACIER'}}}";
    send(message(transition));
    JsonNode row = get("/objects").json().get("items").get(0);
    assertThat(row.get("storageClass").asString()).isEqualTo("GLACIER");
    assertThat(row.get("isAccessible").asBoolean()).isFalse();
    assertThat(row.get("size").asInt()).as("what it is was told by its creation").isEqualTo(7);
    assertThat(row.get("sequencer").asString())
        .isEqualTo("1" + "0".repeat(29) + "-0100000000000000");
    send(
        message(
            transition
                .replace("2026-02-01", "2026-02-02")
                .replace("LifecycleTransition", "ObjectRestore:Completed")));
    assertThat(get("/objects").json().at("/items/0/isAccessible").asBoolean()).isTrue();
    send(message(record("ObjectRemoved:Delete", "k", "'sequencer':'2'")));
    send(message(transition.replace("2026-02-01", "2026-02-03")));
    assertThat(listed("")).isEmpty();
    assertThat(found(ROOT, "'query':'k'")).isEmpty();
  }

  @Test
  void attributesArePatchedAllOrNone() {
    put("a/1", "'sequencer':'1'");
    put("a/2", "'sequencer':'1'");
    put("b/1", "'sequencer':'1'");
    Reply patched =
        ask(
            ROOT,
            "PATCH",
            FILES + "/objects?key=a/*",
            "[{'op':'add','path':'/project','value':{'name':'atlas','year':2026}}]");
    assertThat(patched.json().get("ids")).as(patched.text()).hasSize(2);
    revision = patched.json().get("revision").asString();
    assertThat(listed("attributes[project][name]=at*")).containsExactly("a/1", "a/2");
    assertThat(found(ROOT, "'filter':{'attributes.project.year':{'gte':2026}}"))
        .containsExactly("a/1", "a/2");
    String id = get("/objects?key=a/1").json().at("/items/0/id").asString();
    assertThat(
            ask(
                    ROOT,
                    "PATCH",
                    FILES + "/objects/" + id,
                    "[{'op':'test','path':'/project/name','value':'atlas'},{'op':'replace','path':'/project/name','value':'other'},{'op':'remove','path':'/project/year'}]")
                .status())
        .isEqualTo(200);
    assertThat(get("/objects/" + id).json().get("attributes").toString())
        .isEqualTo("{\"project\":{\"name\":\"other\"}}");
    Reply refused =
        ask(
            ROOT,
            "PATCH",
            FILES + "/objects?key=a/*",
            "[{'op':'add','path':'/x','value':1},{'op':'test','path':'/project/name','value':'atlas'}]");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.json().get("pointer").asString()).isEqualTo("/1");
    assertThat(listed("attributes[x]=1")).as("none").isEmpty();
    assertThat(
            ask(
                    ROOT,
                    "PATCH",
                    FILES + "/objects?key=a/2",
                    "[{'op':'add','path':'/by','value':{'2024':'yes'}}]")
                .status())
        .isEqualTo(200);
    assertThat(listed("attributes[by][2024]=yes")).containsExactly("a/2");
    assertThat(listed("attributes[by][2024][]=no&attributes[by][2024][]=y*"))
        .containsExactly("a/2");
    assertThat(
            ask(ROOT, "PATCH", FILES + "/objects", "[{'op':'add','path':'/x','value':1}]").status())
        .isEqualTo(400);
    assertThat(
            ask(ROOT, "PATCH", FILES + "/objects?key=*", "[{'op':'increase','path':'/x'}]")
                .json()
                .get("detail")
                .asString())
        .contains("\"increase\"");
    // Another kind under the same name is kept, and only not searched for.
    assertThat(
            ask(
                    ROOT,
                    "PATCH",
                    FILES + "/objects?key=b/1",
                    "[{'op':'add','path':'/project','value':{'year':'soon'}}]")
                .status())
        .isEqualTo(200);
    assertThat(listed("attributes[project][year]=soon")).containsExactly("b/1");
  }

  private void state(String individual) {
    Reply reply = ask(ROOT, "POST", ACCOUNT + "/access/individuals", individual);
    assertThat(reply.text()).contains("applied");
    revision = reply.json().get("revision").asString();
  }

  private void permit(String id, String object, String subject, boolean may) {
    state(
        "{'@id':'%s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'%s','v-s:permissionSubject':'%s','v-s:canRead':%s}"
            .formatted(id, object, subject, may));
  }

  /// One statement opens or closes a folder, in lists, counts, reads and searches alike.
  @Test
  void aFolderIsOpenedAndClosedByOneStatement() {
    for (String key :
        List.of(
            "open/1",
            "open/sub/2",
            "open/secret/3",
            "shut/4",
            "open",
            "openly/5",
            "open%2Fsecret%2F")) {
      put(key, "'sequencer':'1','size':10");
    }
    String alice = fixture.person("tenant:acme", "alice");
    assertThat(keys(ask(alice, "GET", FILES + "/objects", ""))).isEmpty();
    assertThat(found(alice, "'query':'open'")).isEmpty();
    permit("p1", "s3://lab/open/", "alice", true);
    Set<String> open =
        new TreeSet<>(Set.of("open/1", "open/sub/2", "open/secret/3", "open/secret/"));
    agree(alice, open);
    permit("p2", "s3://lab/open/secret/", "alice", false);
    open.removeAll(Set.of("open/secret/3"));
    // An object whose key ends in a slash lies in the folder above, and is not the folder.
    agree(alice, open);
    permit("p3", "s3://lab/shut/4", "alice", true);
    open.add("shut/4");
    agree(alice, open);
    permit("p4", "bucket:files", "alice", true);
    open.addAll(Set.of("open", "openly/5"));
    agree(alice, open);
    String id = get("/objects?key=open/secret/3").json().at("/items/0/id").asString();
    assertThat(ask(alice, "GET", FILES + "/objects/" + id, "").status()).isEqualTo(404);
    assertThat(
            ask(alice, "PATCH", FILES + "/objects/" + id, "[{'op':'add','path':'/x','value':1}]")
                .status())
        .isEqualTo(404);
    String own = get("/objects?key=shut/4").json().at("/items/0/id").asString();
    assertThat(
            ask(alice, "PATCH", FILES + "/objects/" + own, "[{'op':'add','path':'/x','value':1}]")
                .status())
        .as("may read it")
        .isEqualTo(403);
    assertThat(ask(ROOT, "GET", FILES + "/objects?as=alice&key=shut/*", "").json().get("items"))
        .hasSize(1);
  }

  private void agree(String secret, Set<String> visible) {
    assertThat(new TreeSet<>(keys(ask(secret, "GET", FILES + "/objects?limit=1000", ""))))
        .isEqualTo(visible);
    assertThat(ask(secret, "GET", FILES + "/objects/count", "").json().get("count").asInt())
        .isEqualTo(visible.size());
    assertThat(ask(secret, "GET", FILES + "/objects/stats", "").json().get("bytes").asInt())
        .isEqualTo(10 * visible.size());
    assertThat(new TreeSet<>(found(secret, "'filter':{'size':{'gte':0}}"))).isEqualTo(visible);
    assertThat(new TreeSet<>(found(secret, "'query':'pe','fields':['key']")))
        .isEqualTo(new TreeSet<>(visible.stream().filter(key -> key.contains("pe")).toList()));
    for (String key : List.of("open/1", "shut/4", "open/secret/3")) {
      String resource = URLEncoder.encode("s3://lab/" + key, UTF_8);
      assertThat(
              ask(
                      ROOT,
                      "GET",
                      ACCOUNT
                          + "/access/check?subject=alice&rights=R&bucket=files&resource="
                          + resource,
                      "")
                  .json()
                  .get("granted")
                  .asBoolean())
          .as(key)
          .isEqualTo(visible.contains(key));
    }
  }

  /// Nobody makes the server work without end, or store what it cannot read again.
  @Test
  void patchesStayWithinBounds() {
    put("k", "'sequencer':'1'");
    String target = FILES + "/objects?key=k";
    String copies =
        IntStream.range(0, 40)
            .mapToObj(i -> "{'op':'copy','from':'','path':'/k" + i + "'}")
            .collect(Collectors.joining(","));
    assertThat(
            ask(ROOT, "PATCH", target, "[{'op':'add','path':'/a','value':'b'}," + copies + "]")
                .code())
        .isEqualTo("TOO_LARGE");
    StringBuilder deep = new StringBuilder();
    String path = "";
    for (int i = 0; i < 60; i++) {
      path += "/a";
      deep.append(i == 0 ? "" : ",")
          .append("{'op':'add','path':'")
          .append(path)
          .append("','value':{}}");
    }
    assertThat(ask(ROOT, "PATCH", target, "[" + deep + "]").status()).isEqualTo(400);
    assertThat(listed("attributes[a]=*")).isEmpty();
  }

  /// Who may write and not read learns nothing by patching.
  @Test
  void whoMayOnlyWriteReadsNothing() {
    String user = "[{'userGroups':{'oneOf':['feeder']}}]";
    assertThat(
            ask(
                    ROOT,
                    "PUT",
                    ACCOUNT + "/buckets/fed",
                    "{'type':'objects','acl':{'write':" + user + "}}")
                .status())
        .isEqualTo(201);
    String feeder = fixture.person("tenant:acme", "feed", "feeder");
    String fed = ACCOUNT + "/buckets/fed";
    assertThat(
            statuses(
                ask(feeder, "POST", fed + "/events", message(created("k", "'sequencer':'1'")))))
        .containsExactly("ingested");
    assertThat(
            ask(feeder, "PATCH", fed + "/objects?key=k", "[{'op':'test','path':'','value':{}}]")
                .status())
        .isIn(403, 404);
    assertThat(ask(feeder, "GET", fed + "/objects", "").status()).isIn(403, 404);
  }

  @Test
  void aHistoryIsPagedByItsLinks() {
    for (int i = 1; i <= 25; i++) {
      put("k", "'sequencer':'%02X'".formatted(i));
    }
    List<String> sequencers = new ArrayList<>();
    JsonNode page = get("/objects/history?key=k&limit=10").json();
    while (true) {
      page.get("items").forEach(row -> sequencers.add(row.get("sequencer").asString()));
      String next = page.get("links").get("next").asString("");
      if (next.isEmpty()) {
        break;
      }
      page = ask(ROOT, "GET", next, "").json();
    }
    assertThat(sequencers).hasSize(25).isSorted();
    String cursor = get("/objects/history?key=k&limit=10").json().get("cursor").asString();
    assertThat(get("/objects?key=k&limit=10&cursor=" + cursor).status())
        .as("another list")
        .isEqualTo(400);
  }

  /// Whatever is stated about folders, objects and groups: searches show what lists show, which ask
  /// the check about each object.
  @Test
  void searchesAndListsAgreeWhateverIsStated() {
    Random random = new Random(Seeds.first());
    List<String> keys = List.of("a", "a/1", "a/2", "a/b/1", "a/b/c/1", "a/b%2F", "ab/1", "z/1");
    keys.forEach(key -> put(key, "'sequencer':'1'"));
    List<String> targets =
        List.of(
            "s3://lab/",
            "s3://lab/a/",
            "s3://lab/a/b/",
            "s3://lab/a/b/c/",
            "s3://lab/x/",
            "s3://lab/a",
            "s3://lab/a/1",
            "s3://lab/a/b%2F",
            "s3://lab/a/b/1",
            "bucket:files",
            "g",
            "h");
    List<String> subjects = List.of("alice", "bob", "team");
    String alice = fixture.person("tenant:acme", "alice");
    String bob = fixture.person("tenant:acme", "bob");
    for (int i = 0; i < 80; i++) {
      String target = targets.get(random.nextInt(targets.size()));
      switch (random.nextInt(5)) {
        case 0 ->
            state(
                "{'@id':'m%d','rdf:type':'v-s:Membership','v-s:resource':'%s','v-s:memberOf':'%s'}"
                    .formatted(
                        i,
                        random.nextBoolean() ? target : "alice",
                        random.nextBoolean() ? "g" : "team"));
        case 1 ->
            state(
                "{'@id':'p%d','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'%s','v-s:permissionSubject':'%s','v-s:canRead':%s}"
                    .formatted(
                        random.nextInt(i + 1),
                        target,
                        subjects.get(random.nextInt(3)),
                        random.nextBoolean()));
        default -> permit("q" + i, target, subjects.get(random.nextInt(3)), random.nextInt(3) > 0);
      }
      for (String who : List.of(alice, bob)) {
        assertThat(new TreeSet<>(found(who, "'filter':{'reason':{'eq':'CreatedPut'}}")))
            .as("after statement %d, about %s", i, target)
            .isEqualTo(new TreeSet<>(keys(ask(who, "GET", FILES + "/objects", ""))));
      }
    }
  }

  /// Whatever comes, in whatever order: searches show the current rows, which `CatalogueModelTest`
  /// compares with a model.
  @Test
  void searchesAtRestShowTheCurrentRows() {
    Random random = new Random(Seeds.first());
    List<String> names =
        List.of(
            "ObjectCreated:Put",
            "ObjectCreated:Copy",
            "ObjectRemoved:Delete",
            "ObjectRemoved:DeleteMarkerCreated",
            "LifecycleExpiration:Delete",
            "LifecycleTransition",
            "ObjectRestore:Completed");
    for (int round = 0; round < 25; round++) {
      List<String> records = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        String name = names.get(random.nextInt(names.size()));
        boolean loose = name.startsWith("Lifecycle") || name.startsWith("ObjectRestore");
        records.add(
            record(
                    name,
                    "k" + random.nextInt(8),
                    "'versionId':'v%d','size':%d,'storageClass':'%s'%s"
                        .formatted(
                            random.nextInt(3),
                            random.nextInt(100),
                            random.nextBoolean() ? "GLACIER" : "STANDARD",
                            loose ? "" : ",'sequencer':'%03X'".formatted(random.nextInt(2000))))
                .replace("12:00:00Z", "12:00:%02dZ".formatted(random.nextInt(60))));
      }
      assertThat(statuses(send(message(records.toArray(String[]::new)))))
          .doesNotContain("rejected");
      Reply hits =
          ask(ROOT, "POST", FILES + "/search", "{'atLeast':'%s','limit':100}".formatted(revision));
      Set<String> found = new TreeSet<>();
      hits.json().get("hits").forEach(hit -> found.add(shown(hit.get("fields"))));
      Set<String> listed = new TreeSet<>();
      get("/objects?limit=100").json().get("items").forEach(row -> listed.add(shown(row)));
      assertThat(found).as("round %d", round).isEqualTo(listed);
      assertThat(hits.json().get("total").asInt()).isEqualTo(listed.size());
    }
  }

  private static String shown(JsonNode row) {
    return Stream.of(
            "key", "versionId", "size", "storageClass", "reason", "eventTime", "isAccessible")
        .map(name -> name + "=" + row.path(name).asString(""))
        .collect(Collectors.joining(" "));
  }

  /// What holds for documents holds for objects: what was redacted before a folder was opened is
  /// shown to nobody whom that let in.
  @Test
  void oldAttributesNeverMeetNewRights() {
    String dave = fixture.person("tenant:acme", "dave");
    for (int round = 0; round < 20; round++) {
      String key = "r" + round + "/a";
      put("r" + round + "%2Fa", "'sequencer':'1','size':5");
      String id =
          get("/objects?key=" + key.replace("/", "%2F")).json().at("/items/0/id").asString();
      String secret = "secret" + round;
      patch(id, secret);
      String all = "{'atLeast':'%s','limit':100}".formatted(revision);
      assertThat(ask(ROOT, "POST", FILES + "/search", all).text()).contains(secret);
      fixture.clock.advance(Duration.ofSeconds(1));
      patch(id, "redacted");
      Reply stated =
          ask(
              ROOT,
              "POST",
              "/v1/accounts/acme/access/individuals",
              "{'@id':'open-%d','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'s3://lab/r%d/','v-s:permissionSubject':'dave','v-s:canRead':true}"
                  .formatted(round, round));
      assertThat(stated.status()).isEqualTo(200);
      Reply now = ask(dave, "POST", FILES + "/search", "{'limit':100}");
      assertThat(now.status()).as(now.text()).isEqualTo(200);
      assertThat(now.text()).doesNotContain(secret + "\"");
    }
  }

  private void patch(String id, String label) {
    Reply reply =
        ask(
            ROOT,
            "PATCH",
            FILES + "/objects/" + id,
            "[{'op':'add','path':'/label','value':'%s'}]".formatted(label));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    revision = reply.json().get("revision").asString();
  }

  /// A page of the history of a key with many versions is read by itself, and a row of long ago is
  /// found by its id.
  @Test
  void theHistoryOfAKeyIsPagedHoweverLongItIs() {
    for (int from = 0; from < 3000; from += 500) {
      List<String> records = new ArrayList<>();
      for (int i = from; i < from + 500; i++) {
        records.add(created("hot", "'versionId':'v%d','sequencer':'%06X'".formatted(i, i + 1)));
      }
      send(message(records.toArray(String[]::new)));
    }
    List<String> sequencers = new ArrayList<>();
    String cursor = "";
    String first = "";
    do {
      Reply page = get("/objects/history?key=hot&limit=1000" + cursor);
      assertThat(page.status()).as(page.text()).isEqualTo(200);
      page.json().get("items").forEach(row -> sequencers.add(row.get("sequencer").asString()));
      first = first.isEmpty() ? page.json().at("/items/0/id").asString() : first;
      cursor =
          page.json().get("cursor").isNull()
              ? ""
              : "&cursor=" + page.json().get("cursor").asString();
    } while (!cursor.isEmpty());
    assertThat(sequencers).hasSize(3000).isSorted().doesNotHaveDuplicates();
    Reply row = get("/objects/" + first + "?why=true");
    assertThat(row.status()).as(row.text()).isEqualTo(200);
    assertThat(row.json().get("sequencer").asString()).isEqualTo("000001");
    assertThat(row.json().get("isCurrentState").asBoolean()).isFalse();
    assertThat(row.json().get("why")).as("the last of them").hasSize(1000);
    assertThat(row.json().at("/why/999/isCurrentState").asBoolean()).isTrue();
  }

  @Test
  void partsOfKeysAreFoundByTheIndex() {
    put("reports%2F2026%2FQ1-Summary.PDF", "'sequencer':'1','size':5");
    put("reports%2F2025%2Fsummary_final.pdf", "'sequencer':'1','size':6");
    put("photos%2F%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82.jpg", "'sequencer':'1'");
    String q1 = "reports/2026/Q1-Summary.PDF";
    String last = "reports/2025/summary_final.pdf";
    assertThat(found(ROOT, "'query':'ummar'")).containsExactly(last, q1);
    assertThat(found(ROOT, "'query':'Q1-s','fields':['key']")).containsExactly(q1);
    assertThat(found(ROOT, "'query':'/20','fields':['key']")).containsExactly(last, q1);
    assertThat(found(ROOT, "'query':'q','fields':['key']")).containsExactly(q1);
    assertThat(found(ROOT, "'query':'\\\"s/2025/su\\\"','fields':['key']")).containsExactly(last);
    assertThat(found(ROOT, "'query':'РИВ','fields':['key']")).hasSize(1);
    assertThat(found(ROOT, "'filter':{'key':{'wildcard':'*Summ*.PDF'}}")).containsExactly(q1);
    assertThat(found(ROOT, "'filter':{'key':{'wildcard':'*summ*'}}"))
        .as("as it is written")
        .containsExactly(last);
    assertThat(found(ROOT, "'filter':{'key':{'wildcard':'reports/202?/*y*'}}"))
        .containsExactly(last, q1);
    assertThat(found(ROOT, "'filter':{'key':{'wildcard':'*mm*'}}")).containsExactly(last, q1);
    assertThat(found(ROOT, "'filter':{'key':{'wildcard':'" + last + "'}}"))
        .as("no wildcard in it")
        .containsExactly(last);
    assertThat(found(ROOT, "'filter':{'key':{'prefix':'reports/2025'}}")).containsExactly(last);
    assertThat(found(ROOT, "'filter':{'path':{'eq':'2026'}}")).containsExactly(q1);
    assertThat(found(ROOT, "'query':'final','fields':['path']")).containsExactly(last);
    assertThat(found(ROOT, "'filter':{'extension':{'in':['pdf','PDF']},'size':{'gt':5}}"))
        .containsExactly(last);
    Reply facets =
        ask(
            ROOT,
            "POST",
            FILES + "/search",
            "{'atLeast':'%s','facets':{'path':{'size':3}}}".formatted(revision));
    assertThat(facets.json().at("/facets/path/buckets/0/value").asString()).isEqualTo("reports");
    Reply suggested = ask(ROOT, "POST", FILES + "/suggest", "{'prefix':'sum'}");
    assertThat(suggested.text()).contains("\"summary\"").doesNotContain("\"sum\"");
  }

  @Test
  void pairedRowsAreOneForACreationAndItsDeletion() {
    bucket("pairs", "'mode':'paired'");
    Reply reply =
        ask(
            ROOT,
            "POST",
            ACCOUNT + "/buckets/pairs/events",
            message(
                record("ObjectRemoved:Delete", "k", "'sequencer':'2'"),
                created("k", "'sequencer':'1'"),
                record("LifecycleTransition", "k", ""),
                created("k", "'sequencer':'3'")));
    assertThat(statuses(reply)).containsExactly("ingested", "ingested", "skipped", "ingested");
    Reply all = ask(ROOT, "GET", ACCOUNT + "/buckets/pairs/objects?currentState=false", "");
    assertThat(all.json().get("items")).hasSize(2);
    assertThat(all.json().at("/items/0/deletedSequencer").asString()).isEqualTo("2");
    assertThat(all.json().at("/items/1/isCurrentState").asBoolean()).isTrue();
    Reply usage = ask(ROOT, "GET", ACCOUNT + "/usage", "");
    assertThat(usage.text()).contains("\"objects\":2");
    assertThat(
            ask(
                    ROOT,
                    "PUT",
                    ACCOUNT + "/buckets/pairs",
                    "{'type':'objects','settings':{'mode':'unpaired'}}")
                .status())
        .isEqualTo(409);
  }

  @Test
  void quotasCountRows() {
    assertThat(
            ask(
                    ROOT,
                    "PUT",
                    ACCOUNT + "/buckets/small",
                    "{'type':'objects','quotas':{'objects':2}}")
                .status())
        .isEqualTo(201);
    String events = ACCOUNT + "/buckets/small/events";
    Reply reply =
        ask(
            ROOT,
            "POST",
            events,
            message(
                created("a", "'sequencer':'1'"),
                created("b", "'sequencer':'1'"),
                created("c", "'sequencer':'1'"),
                created("a", "'sequencer':'1'")));
    assertThat(statuses(reply)).containsExactly("ingested", "ingested", "rejected", "duplicate");
    assertThat(reply.json().at("/results/2/code").asString()).isEqualTo("QUOTA_EXCEEDED");
    assertThat(
            ask(ROOT, "PUT", ACCOUNT + "/buckets/ends", "{'type':'objects','ttl':{'default':60}}")
                .status())
        .as("rows are never lost")
        .isEqualTo(400);
  }

  @Test
  void theAnswerToVerifyAndRebuildCoversObjects() {
    Stream.of("a", "b").forEach(key -> put(key, "'sequencer':'1'"));
    send(message(record("ObjectRemoved:Delete", "b", "'sequencer':'2'")));
    assertThat(found(ROOT, "'filter':{'size':{'exists':false}}")).containsExactly("a");
    assertThat(ask(ROOT, "POST", FILES + "/rebuild", "").status()).isEqualTo(200);
    Reply verify = ask(ROOT, "GET", "/v1/admin/verify", "");
    assertThat(verify.status()).as(verify.text()).isEqualTo(200);
    assertThat(verify.text()).contains("\"drift\":[]").doesNotContain("is not what its events say");
    assertThat(get("/queues").json().get("items").isEmpty()).isFalse();
  }
}
