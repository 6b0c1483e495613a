package dev.veridex.http.routes.access;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Vectors;
import dev.veridex.common.Waiting;
import dev.veridex.http.helidon.RawHttp;
import dev.veridex.identity.Token.Flag;
import dev.veridex.json.JsonText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The access index over HTTP.
final class AccessTest {
  private static final String ACCESS = "/v1/accounts/acme/access";

  @TempDir private Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder);
    fixture.arrange();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private Reply post(String secret, String target, String body) {
    return fixture.ask("POST", target, Optional.of(secret), Optional.of(body.replace('\'', '"')));
  }

  private List<String> statuses(String body) {
    Reply reply = post(ROOT, ACCESS + "/individuals", body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.response().headers().firstValue("Veridex-Revision"))
        .contains(reply.json().get("revision").asString());
    return reply
        .json()
        .get("results")
        .valueStream()
        .map(result -> result.get("status").asString())
        .toList();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  @Test
  void everyVectorHolds() {
    int number = 0;
    for (JsonNode vector : Vectors.read("access.json")) {
      String account = "/v1/accounts/case" + number++;
      fixture.ask("PUT", account, Optional.of(ROOT), Optional.of("{}"));
      Set<String> known = new HashSet<>();
      for (JsonNode step : vector.get("steps")) {
        Reply reply = post(ROOT, account + "/access/individuals", step.get("messages").toString());
        assertThat(reply.json().get("results").findValuesAsString("status"))
            .as("%s", vector.get("id"))
            .isEqualTo(step.get("status").valueStream().map(JsonNode::asString).toList());
        String revision = reply.json().get("revision").asString();
        index(account, step, known);
        rights(account, step, revision);
      }
    }
    JsonNode verified = fixture.get(ROOT, "/v1/admin/verify").json();
    assertThat(verified.get("ok").asBoolean()).as("%s", verified).isTrue();
  }

  private void index(String account, JsonNode step, Set<String> known) {
    step.get("index").propertyNames().forEach(known::add);
    for (String key : known) {
      String path = account + "/access/index/" + encoded(key);
      if (!step.get("index").has(key)) {
        assertThat(fixture.get(ROOT, path).status()).as(key).isEqualTo(404);
        continue;
      }
      Reply text = fixture.get(ROOT, path);
      assertThat(text.text()).isEqualTo(step.get("index").get(key).asString());
      assertThat(text.response().headers().firstValue("Content-Type").orElseThrow())
          .startsWith("text/plain");
      assertThat(fixture.get(ROOT, path + "?format=v2").text()).isEqualTo(text.text());
      assertThat(fixture.get(ROOT, path + "?format=v1").text())
          .isEqualTo(step.get("indexV1").get(key).asString());
      JsonNode json = fixture.get(ROOT, path + "?format=json").json();
      assertThat(json.get("key").asString()).isEqualTo(key);
      assertThat(json.get("records")).isNotEmpty();
    }
  }

  private void rights(String account, JsonNode step, String revision) {
    for (JsonNode expected : step.get("rights")) {
      String query =
          "?subject=%s&resource=%s&atLeast=%s"
              .formatted(
                  encoded(expected.get("subject").asString()),
                  encoded(expected.get("resource").asString()),
                  encoded(revision));
      if (expected.has("filter")) {
        query += "&filter=" + encoded(expected.get("filter").asString());
      }
      String rights = expected.get("rights").asString();
      JsonNode answer = fixture.get(ROOT, account + "/access/check" + query).json();
      assertThat(answer.get("allRights").asString()).as("%s", expected).isEqualTo(rights);
      assertThat(answer.get("granted").asBoolean()).isEqualTo(rights.equals("CRUD"));
      ObjectNode check = (ObjectNode) expected.deepCopy();
      check.put("rights", rights.isEmpty() ? "CRUD" : rights).put("explain", true);
      JsonNode batch = post(ROOT, account + "/access/check", "{\"checks\":[" + check + "]}").json();
      JsonNode same = batch.get("results").get(0);
      assertThat(same.get("rights").asString()).isEqualTo(rights);
      assertThat(same.get("granted").asBoolean()).isEqualTo(!rights.isEmpty());
      assertThat(same.get("trace").get("rights").asString()).isEqualTo(rights);
    }
  }

  @Test
  void oneObjectAnArrayOrLines() throws IOException {
    String one =
        "{'@id':'p','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'d','v-s:permissionSubject':'u','v-s:canRead':true}";
    assertThat(statuses(one)).containsExactly("applied");
    assertThat(statuses("[]")).isEmpty();
    assertThat(statuses("[" + one + "," + one.replace("'p'", "'q'") + ",7]"))
        .containsExactly("duplicate", "applied", "rejected");
    assertThat(post(ROOT, ACCESS + "/individuals", "{").status()).isEqualTo(400);
    assertThat(post(ROOT, ACCESS + "/individuals", "").status()).isEqualTo(400);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port());
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      OutputStream out = socket.getOutputStream();
      socket.setSoTimeout(20_000);
      out.write(
          "POST %s/individuals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
              .formatted(ACCESS, ROOT)
              .getBytes(UTF_8));
      List<String> answers = new ArrayList<>();
      for (String line :
          List.of(one.replace("'p'", "'l1'"), one.replace("'p'", "'l1'"), "{'@id':", "[1]")) {
        chunk(out, line.replace('\'', '"') + "\n");
        // The answer comes before the next line is sent.
        answers.add(answer(in));
      }
      // A line in two pieces, and one without an end.
      chunk(out, one.substring(0, 20).replace('\'', '"'));
      chunk(out, one.substring(20).replace("'p'", "'l2'").replace('\'', '"') + "\n\r\n\n");
      answers.add(answer(in));
      chunk(out, "{\"@id\":\"x\"}");
      out.write("0\r\n\r\n".getBytes(UTF_8));
      answers.add(answer(in));
      answers.add(answer(in));
      assertThat(answers.subList(0, 6).stream().map(AccessTest::status))
          .containsExactly("applied", "duplicate", "rejected", "rejected", "duplicate", "rejected");
      assertThat(JsonText.read(answers.getLast().getBytes(UTF_8)).has("revision")).isTrue();
    }
    assertThat(fixture.get(ROOT, ACCESS + "/index/Pd").text()).isEqualTo("u;R3;");
  }

  /// A request whose body comes line by line.
  private final class Stream implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    Stream(String secret) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port());
      socket.setSoTimeout(20_000);
      in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      socket
          .getOutputStream()
          .write(
              "POST %s/individuals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
                  .formatted(ACCESS, secret)
                  .getBytes(UTF_8));
    }

    String send(String line) throws IOException {
      chunk(socket.getOutputStream(), line.replace('\'', '"') + "\n");
      return answer(in);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static final String STATEMENT =
      "{'@id':'%s','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'d','v-s:permissionSubject':'u','v-s:canRead':true}";

  @Test
  void aStreamEndsWithItsTokenAndItsAccount() throws IOException {
    var minted = fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN);
    try (Stream stream = new Stream(minted.secret())) {
      assertThat(stream.send(STATEMENT.formatted("s1"))).contains("applied");
      fixture.ask(
          "DELETE", "/v1/tokens/" + minted.token().id(), Optional.of(ROOT), Optional.empty());
      assertThat(stream.send(STATEMENT.formatted("s2"))).contains("problem", "UNAUTHENTICATED");
    }
    try (Stream stream = new Stream(ROOT)) {
      assertThat(stream.send(STATEMENT.formatted("s3"))).contains("applied");
      fixture.ask("DELETE", "/v1/accounts/acme", Optional.of(ROOT), Optional.empty());
      fixture.server.domain().jobs().runAll();
      fixture.arrange();
      assertThat(stream.send(STATEMENT.formatted("s4"))).contains("problem", "GONE");
    }
    assertThat(fixture.get(ROOT, ACCESS + "/index/Pd").status()).isEqualTo(404);
  }

  @Test
  void streamsLeaveRoomForOthers() throws IOException {
    List<Stream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < 32; i++) {
        Stream stream = new Stream(ROOT);
        streams.add(stream);
        assertThat(stream.send(STATEMENT.formatted("s" + i))).contains("applied");
      }
      try (Stream more = new Stream(ROOT)) {
        assertThat(more.send(STATEMENT.formatted("more"))).contains("OVERLOADED");
      }
      assertThat(statuses(STATEMENT.formatted("plain"))).containsExactly("applied");
    } finally {
      for (Stream stream : streams) {
        stream.close();
      }
    }
    Waiting.until(
        "their places to be free",
        () -> {
          try (Stream again = new Stream(ROOT)) {
            return again.send(STATEMENT.formatted("again")).contains("status\":");
          } catch (IOException e) {
            return false;
          }
        });
  }

  @Test
  void whatIsRefusedTakesNoPlace() throws IOException {
    for (int i = 0; i < 40; i++) {
      try (RawHttp connection = new RawHttp(fixture.server.port())) {
        connection.send(
            "POST %s/individuals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/x-ndjson\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\n{}"
                .formatted(ACCESS, ROOT));
        assertThat(connection.reply().status()).isEqualTo(415);
      }
    }
    try (Stream stream = new Stream(ROOT)) {
      assertThat(stream.send(STATEMENT.formatted("s"))).contains("applied");
    }
  }

  @Test
  void oneRequestIsOnlySoLarge() {
    Reply many = post(ROOT, ACCESS + "/individuals", "[" + "1,".repeat(20_000) + "1]");
    assertThat(many.code()).isEqualTo("BODY_TOO_LARGE");
    String explained = "{'subject':'u','resource':'d','explain':true},".repeat(21);
    assertThat(
            post(
                    ROOT,
                    ACCESS + "/check",
                    "{'checks':[" + explained.substring(0, explained.length() - 1) + "]}")
                .json()
                .get("max")
                .asString())
        .isEqualTo("20");
  }

  @Test
  void manyFiltersAndGroupsAreAnsweredSoon() {
    StringBuilder groups = new StringBuilder();
    StringBuilder filters = new StringBuilder();
    for (int i = 0; i < 1500; i++) {
      groups.append(i == 0 ? "" : ",").append("'g").append(i).append("'");
      filters.append(i == 0 ? "" : ",").append("'f").append(i).append("'");
    }
    statuses(
        "[{'@id':'m','rdf:type':'v-s:Membership','v-s:resource':'d','v-s:memberOf':["
            + groups
            + "]},{'@id':'f','rdf:type':'v-s:PermissionFilter','v-s:permissionObject':'d','v-s:resource':["
            + filters
            + "],'v-s:canRead':true},"
            + "{'@id':'p','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'g7','v-s:permissionSubject':'u','v-s:canUpdate':true,'v-s:useFilter':'f9'},"
            + "{'@id':'q','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'g8','v-s:permissionSubject':'u','v-s:canRead':true,'v-s:canDelete':true}]");
    assertThat(rights(ACCESS + "/check?subject=u&resource=d")).isEqualTo("RU");
  }

  private static String status(String line) {
    return JsonText.read(line.getBytes(UTF_8)).get("status").asString();
  }

  private static void chunk(OutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    out.write((Integer.toHexString(bytes.length) + "\r\n").getBytes(UTF_8));
    out.write(bytes);
    out.write("\r\n".getBytes(UTF_8));
    out.flush();
  }

  /// The next line of the answer that is JSON: others are the head, and the lengths of chunks.
  private static String answer(BufferedReader in) throws IOException {
    String line = in.readLine();
    while (line != null && !line.startsWith("{")) {
      line = in.readLine();
    }
    return String.valueOf(line);
  }

  @Test
  void rejectionsSayWhereAndWhy() {
    JsonNode result =
        post(
                ROOT,
                ACCESS + "/individuals",
                "[{'cmd':'update','opId':7,'newState':{'@id':'p','rdf:type':'v-s:Membership','v-s:resource':'u','v-s:memberOf':[7]}}]")
            .json()
            .get("results")
            .get(0);
    assertThat(result.get("id").asString()).isEqualTo("p");
    assertThat(result.get("pointer").asString()).isEqualTo("/newState/v-s:memberOf/0");
    assertThat(result.get("reason").asString()).isEqualTo("a text is expected here");
    assertThat(fixture.get(ROOT, ACCESS + "/flow").json().get("opId").isNull()).isTrue();
    JsonNode nameless = post(ROOT, ACCESS + "/individuals", "{}").json().get("results").get(0);
    assertThat(nameless.get("id").isNull()).isTrue();
    assertThat(nameless.get("pointer").asString()).isEqualTo("/@id");
  }

  @Test
  void keysThatReadAlikeAreToldApart() {
    statuses(
        "[{'@id':'1','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'doc','v-s:permissionSubject':'u','v-s:canRead':true,'v-s:useFilter':'secret-'},"
            + "{'@id':'2','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'secret-doc','v-s:permissionSubject':'u','v-s:canUpdate':true}]");
    Reply both = fixture.get(ROOT, ACCESS + "/index/Psecret-doc");
    assertThat(both.status()).isEqualTo(409);
    assertThat(both.code()).isEqualTo("AMBIGUOUS_KEY");
    assertThat(both.json().get("keys").asString())
        .isEqualTo("filter '' on 'secret-doc', filter 'secret-' on 'doc'");
    assertThat(fixture.get(ROOT, ACCESS + "/index/Psecret-doc?filter=secret-").text())
        .isEqualTo("u;R;");
    assertThat(fixture.get(ROOT, ACCESS + "/index/Psecret-doc?filter=").text()).isEqualTo("u;U;");
    assertThat(fixture.get(ROOT, ACCESS + "/index/Psecret-doc?filter=other").status())
        .isEqualTo(404);
    assertThat(fixture.get(ROOT, ACCESS + "/index/secret-doc").status()).isEqualTo(404);
    assertThat(fixture.get(ROOT, ACCESS + "/index/P").status()).isEqualTo(404);
    assertThat(fixture.get(ROOT, ACCESS + "/index/Pdoc?format=v3").status()).isEqualTo(400);
  }

  @Test
  void loginsAndWhatIsKnownOfAnIndividual() {
    statuses(
        "[{'cmd':'create','opId':7,'newState':{'@id':'acc/1','rdf:type':'v-s:Account','v-s:login':'Alice@Example.com'}},"
            + "{'cmd':'create','opId':8,'newState':{'@id':'acc/2','rdf:type':'v-s:Account','v-s:login':['alice@example.com','al']}},"
            + "{'cmd':'create','opId':9,'newState':{'@id':'doc','rdf:type':'v-s:Document'}}]");
    assertThat(login("ALICE@example.com")).isEqualTo("acc/2");
    assertThat(fixture.get(ROOT, ACCESS + "/index/_L:alice@example.com").text()).isEqualTo("acc/2");
    statuses("{'cmd':'remove','opId':10,'prevState':{'@id':'acc/2'},'newState':null}");
    assertThat(login("alice@example.com")).as("it falls back").isEqualTo("acc/1");
    assertThat(fixture.get(ROOT, ACCESS + "/logins/al").status()).isEqualTo(404);
    JsonNode gone = fixture.get(ROOT, ACCESS + "/individuals/acc%2F2").json();
    assertThat(gone.get("deleted").asBoolean()).isTrue();
    assertThat(gone.get("op").get("opId").asLong()).isEqualTo(10);
    JsonNode there = fixture.get(ROOT, ACCESS + "/individuals/acc%2F1").json();
    assertThat(there.get("state").get("v-s:login").asString()).isEqualTo("Alice@Example.com");
    JsonNode foreign = fixture.get(ROOT, ACCESS + "/individuals/doc").json();
    assertThat(foreign.get("indexed").asBoolean()).isFalse();
    assertThat(foreign.has("state")).isFalse();
    JsonNode flow = fixture.get(ROOT, ACCESS + "/flow").json();
    assertThat(flow.get("opId").asLong()).isEqualTo(10);
  }

  private String login(String login) {
    return fixture.get(ROOT, ACCESS + "/logins/" + encoded(login)).json().get("account").asString();
  }

  @Test
  void oneAsksForOneselfAndOthersNeedMore() {
    String ada = fixture.person("tenant:acme", "ada");
    String service = fixture.service("tenant:acme", "crawler");
    String actor = fixture.service("tenant:acme", "crawler", Flag.IMPERSONATE);
    statuses(
        "{'@id':'p','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'d','v-s:permissionSubject':'ada','v-s:canRead':true}");
    String own = ACCESS + "/check?resource=d&rights=R";
    assertThat(fixture.get(ada, own).json().get("granted").asBoolean()).isTrue();
    assertThat(fixture.get(ada, own + "&subject=ada&explain=true").json().has("trace")).isTrue();
    assertThat(fixture.get(ada, own + "&subject=bob").code()).isEqualTo("FORBIDDEN");
    assertThat(
            post(
                    ada,
                    ACCESS + "/check",
                    "{'checks':[{'resource':'d'},{'resource':'d','subject':'bob'}]}")
                .status())
        .isEqualTo(403);
    assertThat(fixture.get(service, own + "&subject=ada").code()).isEqualTo("FORBIDDEN");
    assertThat(fixture.get(service, own).code()).isEqualTo("SUBJECT_REQUIRED");
    assertThat(fixture.get(actor, own + "&subject=ada").json().get("granted").asBoolean()).isTrue();
    assertThat(fixture.get(ada, ACCESS + "/index/Pd").code()).isEqualTo("FORBIDDEN");
    assertThat(fixture.get(ada, ACCESS + "/individuals/p").code()).isEqualTo("FORBIDDEN");
    String global = fixture.person("global", "ada");
    assertThat(fixture.get(global, own).code())
        .as("the subject of a global token need not be the tenant's")
        .isEqualTo("FORBIDDEN");
    assertThat(fixture.get(ada, own + "&env=prod").json().get("granted").asBoolean())
        .as("one request, one scope")
        .isFalse();
  }

  @Test
  void badQuestions() {
    assertThat(fixture.get(ROOT, ACCESS + "/check?subject=u").json().get("parameter").asString())
        .isEqualTo("resource");
    assertThat(fixture.get(ROOT, ACCESS + "/check?subject=u&resource=d&rights=RX").status())
        .isEqualTo(400);
    assertThat(fixture.get(ROOT, ACCESS + "/check?subject=u&resource=d&rights=").status())
        .isEqualTo(400);
    assertThat(fixture.get(ROOT, ACCESS + "/check?subject=u&resource=d&atLeast=x").code())
        .isEqualTo("UNKNOWN_REVISION");
    assertThat(fixture.get(ROOT, ACCESS + "/check?subject=u&resource=d&at=now").status())
        .as("not yet")
        .isEqualTo(400);
    assertThat(
            post(ROOT, ACCESS + "/check", "{'checks':[{'resource':'d','rights':'Q'}]}")
                .json()
                .get("pointer")
                .asString())
        .isEqualTo("/checks/0/rights");
    String many = "{'resource':'d','subject':'u'},".repeat(1001);
    assertThat(
            post(
                    ROOT,
                    ACCESS + "/check",
                    "{'checks':[" + many.substring(0, many.length() - 1) + "]}")
                .json()
                .get("max")
                .asString())
        .isEqualTo("1000");
    assertThat(fixture.get(ROOT, "/v1/accounts/none/access/check?subject=u&resource=d").status())
        .isEqualTo(404);
    assertThat(post(ROOT, "/v1/accounts/none/access/individuals", "[]").status()).isEqualTo(404);
    assertThat(post(ROOT, ACCESS + "/individuals?env=none", "[]").status()).isEqualTo(404);
  }

  @Test
  void bucketsAndFoldersAreImplicitGroups() {
    statuses(
        "[{'@id':'1','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'bucket:pages','v-s:permissionSubject':'ada','v-s:canRead':true},"
            + "{'@id':'2','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'s3://b/a/','v-s:permissionSubject':'ada','v-s:canUpdate':true}]");
    String check = ACCESS + "/check?subject=ada&resource=";
    assertThat(rights(check + "home")).isEmpty();
    assertThat(rights(check + "home&bucket=pages")).isEqualTo("R");
    assertThat(rights(check + "home&bucket=other")).isEmpty();
    assertThat(rights(check + "s3://b/a/c/d.txt")).isEqualTo("U");
    assertThat(rights(check + "s3://b/ab")).isEmpty();
    assertThat(rights(check + "s3://b/a/")).isEqualTo("U");
  }

  private String rights(String target) {
    return fixture.get(ROOT, target).json().get("allRights").asString();
  }

  @Test
  void itemsAskTheIndex() {
    String bucket = "/v1/accounts/acme/buckets/private";
    fixture.ask(
        "PUT",
        bucket,
        Optional.of(ROOT),
        Optional.of(
            "{'type':'items','acl':{'read':[{'userGroups':{'oneOf':['*']}}]},'settings':{'itemAccess':true}}"
                .replace('\'', '"')));
    for (String key : List.of("a", "b")) {
      fixture.ask("PUT", bucket + "/items/" + key, Optional.of(ROOT), Optional.of("x"));
    }
    String ada = fixture.person("tenant:acme", "ada");
    assertThat(fixture.get(ada, bucket + "/items/a").status()).isEqualTo(404);
    statuses(
        "{'@id':'1','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'a','v-s:permissionSubject':'ada','v-s:canRead':true}");
    assertThat(fixture.get(ada, bucket + "/items/a").status()).isEqualTo(200);
    assertThat(fixture.get(ada, bucket + "/items/b").status()).isEqualTo(404);
    assertThat(fixture.get(ada, bucket + "/items").json().get("items")).hasSize(1);
    statuses(
        "{'@id':'2','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'bucket:private','v-s:permissionSubject':'ada','v-s:canRead':true}");
    assertThat(fixture.get(ada, bucket + "/items").json().get("items")).hasSize(2);
    statuses(
        "{'@id':'3','rdf:type':'v-s:PermissionStatement','v-s:permissionObject':'b','v-s:permissionSubject':'ada','v-s:canRead':false}");
    assertThat(fixture.get(ada, bucket + "/items").json().get("items")).hasSize(1);
  }

  @Test
  void aUsersGroupsCountForAclsButNeverAdmin() {
    String bucket = "/v1/accounts/acme/buckets/team";
    fixture.ask(
        "PUT",
        bucket,
        Optional.of(ROOT),
        Optional.of(
            "{'type':'items','acl':{'read':[{'userGroups':{'oneOf':['staff']}}],'write':[{'userGroups':{'allOf':['staff','user']}}],'admin':[{'userGroups':{'oneOf':['admin']}}]}}"
                .replace('\'', '"')));
    String ada = fixture.person("tenant:acme", "ada", "user");
    String service = fixture.service("tenant:acme", "crawler");
    assertThat(fixture.get(ada, bucket).status()).isEqualTo(404);
    statuses(
        "[{'@id':'1','rdf:type':'v-s:Membership','v-s:resource':'ada','v-s:memberOf':['editors','admin','*']},"
            + "{'@id':'2','rdf:type':'v-s:Membership','v-s:resource':'editors','v-s:memberOf':'staff'},"
            + "{'@id':'3','rdf:type':'v-s:Membership','v-s:resource':'crawler','v-s:memberOf':'staff'}]");
    assertThat(fixture.get(ada, bucket).status()).isEqualTo(200);
    assertThat(fixture.ask("PUT", bucket + "/items/a", Optional.of(ada), Optional.of("x")).status())
        .as("one group from the token, one from the index")
        .isEqualTo(201);
    assertThat(fixture.ask("DELETE", bucket, Optional.of(ada), Optional.empty()).code())
        .isEqualTo("FORBIDDEN");
    assertThat(fixture.get(service, bucket).status()).as("not a user").isEqualTo(404);
    assertThat(fixture.get(fixture.person("global", "ada"), bucket).status()).isEqualTo(404);
    statuses("{'@id':'1','rdf:type':'v-s:Membership','v-s:deleted':true}");
    assertThat(fixture.get(ada, bucket).status()).as("at once").isEqualTo(404);
  }

  @Test
  void aRebuildChangesNothingAndIsAudited() {
    Reply rebuilt = post(ROOT, ACCESS + "/rebuild", "");
    assertThat(rebuilt.json().get("individuals").asLong()).isEqualTo(2);
    assertThat(login("ada")).isEqualTo("ada's");
    assertThat(fixture.get(ROOT, "/v1/audit?scope=tenant:acme").text())
        .contains("access.rebuild", "access.put");
  }
}
