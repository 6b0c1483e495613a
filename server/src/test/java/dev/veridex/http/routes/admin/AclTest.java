package dev.veridex.http.routes.admin;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.identity.Token.Flag;
import dev.veridex.tenancy.Service;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who may do what to a bucket, through real tokens over HTTP.
final class AclTest {
  private static final String ACME = "tenant:acme";
  private static final String BUCKET = "/v1/accounts/acme/buckets/pages";
  private static final String ITEM = BUCKET + "/items/home";
  private static final String SIGNATURE = Service.signature("crawler");

  private static final String EXAMPLE =
      """
      {"read":  [{"userGroups": {"oneOf": ["*", "user", "admin"]}}],
       "write": [{"userGroups": {"oneOf": ["user", "admin"]},
                  "serviceSignatures": {"oneOf": ["%s"]}}]}
      """
          .formatted(SIGNATURE);

  @TempDir private Path data;
  private ServerFixture fixture;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(data);
    fixture.ask("PUT", "/v1/accounts/acme", Optional.of(ROOT), Optional.of("{\"owner\":\"olga\"}"));
    fixture.ask("PUT", "/v1/accounts/acme/services/crawler", Optional.of(ROOT), Optional.empty());
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /// Somebody who asks: with a token or without, with the tokens of services.
  private record Caller(String name, Optional<String> secret, List<String> services) {}

  private static Caller caller(String name, String secret, String... services) {
    return new Caller(name, Optional.of(secret), List.of(services));
  }

  private Caller anonymous(String... services) {
    return new Caller("anonymous", Optional.empty(), List.of(services));
  }

  private Reply ask(Caller caller, String method, String target, String body) {
    List<String> headers = new ArrayList<>();
    for (String service : caller.services) {
      headers.add("Veridex-Service-Token");
      headers.add(service);
    }
    return fixture.send(method, target, caller.secret, headers, body.getBytes(UTF_8));
  }

  private void bucket(String members) {
    Reply reply =
        fixture.ask(
            "PUT", BUCKET, Optional.of(ROOT), Optional.of("{\"type\":\"items\"" + members + "}"));
    assertThat(reply.status()).as(reply.text()).isIn(200, 201);
    fixture.ask("PUT", ITEM, Optional.of(ROOT), Optional.of("hello"));
  }

  private void acl(String acl) {
    bucket(",\"owner\":\"berta\",\"acl\":" + acl);
  }

  /// Checks what a caller may do: `r`ead, `w`rite, `d`elete, `a`dminister.
  private void may(Caller caller, String letters) {
    boolean reads = letters.contains("r");
    String shown = letters.contains("a") || reads ? "200" : "404";
    assertThat(ask(caller, "GET", ITEM, "").status())
        .as("%s reads", caller)
        .isEqualTo(expected(caller, letters.contains("r"), 200, false));
    assertThat(ask(caller, "PUT", ITEM, "new").status())
        .as("%s writes", caller)
        .isEqualTo(expected(caller, letters.contains("w"), 201, reads));
    assertThat(ask(caller, "DELETE", ITEM, "").status())
        .as("%s deletes", caller)
        .isEqualTo(expected(caller, letters.contains("d"), 200, reads));
    fixture.ask("PUT", ITEM, Optional.of(ROOT), Optional.of("hello"));
    assertThat(ask(caller, "POST", BUCKET + "/upgrade/abort", "").status())
        .as("%s administers", caller)
        .isEqualTo(expected(caller, letters.contains("a"), 409, reads));
    int expected = caller.secret.isEmpty() && shown.equals("404") ? 401 : Integer.parseInt(shown);
    assertThat(ask(caller, "GET", BUCKET, "").status()).as("%s looks", caller).isEqualTo(expected);
  }

  private static int expected(Caller caller, boolean may, int success, boolean reads) {
    return may ? success : caller.secret.isEmpty() ? 401 : reads ? 403 : 404;
  }

  @Test
  void theTruthTableOfTheExample() {
    acl(EXAMPLE);
    String crawler = fixture.service(ACME, "crawler");
    String other = fixture.service(ACME, "other");
    may(anonymous(), "r");
    may(caller("nobody's member", fixture.person(ACME, "ada")), "r");
    may(caller("a user", fixture.person(ACME, "ada", "user")), "r");
    may(caller("an admin group", fixture.person(ACME, "ada", "admin")), "r");
    may(caller("a user with it", fixture.person(ACME, "ada", "user"), crawler), "rwd");
    may(caller("an admin with it", fixture.person(ACME, "ada", "admin"), crawler), "rwd");
    may(caller("another group with it", fixture.person(ACME, "ada", "other"), crawler), "r");
    may(caller("a user with another", fixture.person(ACME, "ada", "user"), other), "r");
    may(caller("both services", fixture.person(ACME, "ada", "user"), other, crawler), "rwd");
    may(caller("the service alone", crawler), "r");
    may(anonymous(crawler), "r");
    may(
        caller("an administrator", fixture.mint(ACME, Optional.empty(), Flag.ADMIN).secret()),
        "rwda");
    may(caller("the owner", fixture.person(ACME, "berta")), "rwda");
    may(caller("the account's owner", fixture.person(ACME, "olga")), "ra");
    may(caller("Global", fixture.person("global", "ada", "other")), "r");
    may(caller("Global admin", ROOT), "rwda");
    may(caller("Global with the owner's name", fixture.person("global", "berta")), "r");
  }

  @Test
  void whatIsMissingOrEmptyLetsNobodyIn() {
    String user = fixture.person(ACME, "ada", "user", "*");
    String crawler = fixture.service(ACME, "crawler");
    for (String entries :
        List.of(
            "[]",
            "[{}]",
            "[{\"userGroups\":{}}]",
            "[{\"userGroups\":{\"oneOf\":[]}}]",
            "[{\"userGroups\":{\"allOf\":[]}}]",
            "[{\"userGroups\":{\"oneOf\":[\"user\"],\"allOf\":[]}}]",
            "[{\"userGroups\":{\"oneOf\":[\"user\"]},\"serviceSignatures\":{\"oneOf\":[]}}]",
            "[{\"userGroups\":{\"oneOf\":[\"user\"]},\"serviceSignatures\":{}}]")) {
      acl("{\"read\":" + entries + ",\"write\":" + entries + "}");
      may(caller(entries, user, crawler), "");
      may(anonymous(), "");
    }
    acl("{}");
    may(caller("no action at all", user, crawler), "");
    may(caller("the account's owner", fixture.person(ACME, "olga")), "a");
  }

  @Test
  void actionsFallBackAsTheyShould() {
    String user = fixture.person(ACME, "ada", "user");
    String users = "[{\"userGroups\":{\"oneOf\":[\"user\"]}}]";
    acl("{\"write\":" + users + "}");
    may(caller("write implies delete, not read", user), "wd");
    acl("{\"read\":" + users + ",\"write\":" + users + ",\"delete\":[]}");
    may(caller("an empty delete is nobody", user), "rw");
    acl("{\"read\":" + users + ",\"delete\":" + users + "}");
    may(caller("delete alone", user), "rd");
    acl("{\"admin\":" + users + "}");
    may(caller("admin alone", user), "a");
    may(caller("the account's owner is not asked then", fixture.person(ACME, "olga")), "");
    acl("{\"read\":" + users + ",\"admin\":[]}");
    may(caller("the account's owner", fixture.person(ACME, "olga")), "");
    may(caller("the owner always", fixture.person(ACME, "berta")), "rwda");
  }

  @Test
  void allOfNeedsAll() {
    acl("{\"read\":[{\"userGroups\":{\"allOf\":[\"a\",\"b\"]}}]}");
    may(caller("one of them", fixture.person(ACME, "ada", "a")), "");
    may(caller("both", fixture.person(ACME, "ada", "a", "b", "c")), "r");
    acl("{\"read\":[{\"userGroups\":{\"allOf\":[\"*\",\"b\"]}}]}");
    may(caller("everybody is in *", fixture.person(ACME, "ada", "b")), "r");
    may(anonymous(), "");
    acl("{\"read\":[{\"userGroups\":{\"oneOf\":[\"a\"],\"allOf\":[\"b\"]}}]}");
    may(caller("both conditions", fixture.person(ACME, "ada", "a", "b")), "r");
    may(caller("only one", fixture.person(ACME, "ada", "b")), "");
    acl("{\"read\":[{\"userGroups\":{\"oneOf\":[\"a\"]}},{\"userGroups\":{\"oneOf\":[\"b\"]}}]}");
    may(caller("entries are alternatives", fixture.person(ACME, "ada", "b")), "r");
  }

  @Test
  void aBucketWithoutAclTakesTheAccounts() {
    bucket(",\"owner\":\"berta\"");
    may(caller("a user", fixture.person(ACME, "ada", "user")), "");
    may(anonymous(), "");
    may(caller("the group admin", fixture.person(ACME, "ada", "admin")), "rwda");
    may(caller("the group admin of Global", fixture.person("global", "ada", "admin")), "");
    may(caller("the owner", fixture.person(ACME, "berta")), "rwda");
    may(caller("the account's owner", fixture.person(ACME, "olga")), "rwda");
    fixture.ask(
        "PUT",
        "/v1/accounts/acme",
        Optional.of(ROOT),
        Optional.of("{\"owner\":\"olga\",\"acl\":" + EXAMPLE + "}"));
    may(anonymous(), "r");
    may(caller("the group admin", fixture.person(ACME, "ada", "admin")), "r");
    acl("{\"write\":[]}");
    may(anonymous(), "");
  }

  @Test
  void aServiceCountsOnlyWhereItIsRegistered() {
    acl("{\"read\":[{\"serviceSignatures\":{\"oneOf\":[\"" + SIGNATURE + "\"]}}]}");
    String crawler = fixture.service(ACME, "crawler");
    may(caller("the service", crawler), "r");
    String global = fixture.service("global", "crawler");
    may(caller("the service with a token of Global", global), "r");
    String elsewhere = fixture.service("tenant:other", "crawler");
    assertThat(ask(caller("elsewhere", elsewhere), "GET", ITEM, "").code())
        .isEqualTo("SCOPE_DENIED");
    assertThat(
            ask(caller("each must reach", fixture.person(ACME, "ada"), elsewhere), "GET", ITEM, "")
                .code())
        .isEqualTo("SCOPE_DENIED");
    assertThat(ask(caller("made up", crawler, "vdx_made_up"), "GET", ITEM, "").status())
        .isEqualTo(401);
    assertThat(
            ask(caller("no service", crawler, fixture.person(ACME, "ada")), "GET", ITEM, "").code())
        .isEqualTo("BAD_REQUEST");
    fixture.ask(
        "DELETE", "/v1/accounts/acme/services/crawler", Optional.of(ROOT), Optional.empty());
    may(caller("no longer registered", crawler), "");
  }

  @Test
  void anEnvironmentHasBucketsAndServicesOfItsOwn() {
    fixture.ask("PUT", "/v1/accounts/acme/environments/dev", Optional.of(ROOT), Optional.empty());
    acl("{\"read\":[{\"serviceSignatures\":{\"oneOf\":[\"" + SIGNATURE + "\"]}}]}");
    String crawler = fixture.service(ACME, "crawler");
    assertThat(fixture.get(crawler, ITEM + "?env=dev").status()).isEqualTo(404);
    fixture.ask(
        "PUT",
        BUCKET + "?env=dev",
        Optional.of(ROOT),
        Optional.of(
            "{\"type\":\"items\",\"acl\":{\"read\":[{\"serviceSignatures\":{\"oneOf\":[\""
                + SIGNATURE
                + "\"]}}]}}"));
    fixture.ask("PUT", ITEM + "?env=dev", Optional.of(ROOT), Optional.of("in dev"));
    assertThat(fixture.get(crawler, ITEM + "?env=dev").status())
        .as("not registered there")
        .isEqualTo(404);
    fixture.ask(
        "PUT", "/v1/accounts/acme/services/crawler?env=dev", Optional.of(ROOT), Optional.empty());
    assertThat(fixture.get(crawler, ITEM + "?env=dev").text()).isEqualTo("in dev");
    assertThat(fixture.get(crawler, ITEM).text()).isEqualTo("hello");
    assertThat(fixture.get(ROOT, ITEM + "?env=none").status()).isEqualTo(404);
  }

  @Test
  void whoMayMakeBuckets() {
    String user = fixture.person(ACME, "ada", "makers");
    String maker = "{\"userGroups\":{\"oneOf\":[\"makers\"]}}";
    String body = "{\"type\":\"items\"}";
    assertThat(put(user, "b1", body).code()).isEqualTo("FORBIDDEN");
    assertThat(put(fixture.person(ACME, "olga"), "b0", body).status()).isEqualTo(201);
    creators("[" + maker + "]");
    assertThat(put(user, "b1", body).status()).isEqualTo(201);
    assertThat(fixture.get(user, "/v1/accounts/acme/buckets/b1").json().get("owner").asString())
        .as("whoever makes it owns it")
        .isEqualTo("ada");
    creators("{\"documents\":[" + maker + "]}");
    assertThat(put(user, "b2", body).code()).isEqualTo("FORBIDDEN");
    creators("{\"documents\":[],\"*\":[" + maker + "]}");
    assertThat(put(user, "b2", body).status()).isEqualTo(201);
    creators("{\"items\":[],\"*\":[" + maker + "]}");
    assertThat(put(user, "b3", body).code()).isEqualTo("FORBIDDEN");
    creators("[{\"userGroups\":{\"oneOf\":[\"*\"]}}]");
    assertThat(
            fixture
                .ask("PUT", "/v1/accounts/acme/buckets/b4", Optional.empty(), Optional.of(body))
                .status())
        .as("whoever brings no token changes nothing")
        .isEqualTo(401);
  }

  private void creators(String creators) {
    Reply reply =
        fixture.ask(
            "PUT",
            "/v1/accounts/acme",
            Optional.of(ROOT),
            Optional.of("{\"owner\":\"olga\",\"bucketCreators\":" + creators + "}"));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
  }

  private Reply put(String secret, String name, String body) {
    return fixture.ask(
        "PUT", "/v1/accounts/acme/buckets/" + name, Optional.of(secret), Optional.of(body));
  }

  @Test
  void wrongShapesAreBlamed() {
    record Wrong(String acl, String pointer) {}
    for (Wrong wrong :
        List.of(
            new Wrong("[]", "/acl"),
            new Wrong("\"*\"", "/acl"),
            new Wrong("null", "/acl"),
            new Wrong("{\"read\":null}", "/acl/read"),
            new Wrong("{\"delete\":null}", "/acl/delete"),
            new Wrong("{\"read\":[null]}", "/acl/read/0"),
            new Wrong(
                "{\"read\":[{\"userGroups\":null,\"serviceSignatures\":{}}]}",
                "/acl/read/0/userGroups"),
            new Wrong(
                "{\"read\":[{\"userGroups\":{\"oneOf\":null}}]}", "/acl/read/0/userGroups/oneOf"),
            new Wrong("{\"reed\":[]}", "/acl/reed"),
            new Wrong("{\"read\":{}}", "/acl/read"),
            new Wrong("{\"read\":[\"*\"]}", "/acl/read/0"),
            new Wrong("{\"read\":[{\"groups\":{}}]}", "/acl/read/0/groups"),
            new Wrong("{\"read\":[{},{\"userGroups\":[]}]}", "/acl/read/1/userGroups"),
            new Wrong(
                "{\"read\":[{\"userGroups\":{\"anyOf\":[]}}]}", "/acl/read/0/userGroups/anyOf"),
            new Wrong(
                "{\"write\":[{\"userGroups\":{\"oneOf\":\"a\"}}]}",
                "/acl/write/0/userGroups/oneOf"),
            new Wrong(
                "{\"write\":[{\"userGroups\":{\"oneOf\":[\"a\",1]}}]}",
                "/acl/write/0/userGroups/oneOf/1"),
            new Wrong(
                "{\"write\":[{\"userGroups\":{\"oneOf\":[\"\"]}}]}",
                "/acl/write/0/userGroups/oneOf/0"),
            new Wrong(
                "{\"write\":[{\"serviceSignatures\":{\"oneOf\":[\"*\"]}}]}",
                "/acl/write/0/serviceSignatures/oneOf/0"),
            new Wrong(
                "{\"write\":[{\"serviceSignatures\":{\"allOf\":[\"B7821DBCA23B6F36DB2BDCC3BA1007"
                    + "5521999E6B\"]}}]}",
                "/acl/write/0/serviceSignatures/allOf/0"))) {
      for (String target : List.of("/v1/accounts/acme", BUCKET)) {
        Reply reply =
            fixture.ask(
                "PUT",
                target,
                Optional.of(ROOT),
                Optional.of(
                    "{"
                        + (target.equals(BUCKET) ? "\"type\":\"items\"," : "")
                        + "\"acl\":"
                        + wrong.acl
                        + "}"));
        assertThat(reply.status()).as(wrong.acl).isEqualTo(400);
        assertThat(reply.json().get("pointer").asString()).as(wrong.acl).isEqualTo(wrong.pointer);
      }
    }
    assertThat(fixture.get(ROOT, BUCKET).status()).as("nothing was made").isEqualTo(404);
  }

  @Test
  void aSignatureIsTheSha1OfTheId() {
    assertThat(Service.signature("")).isEqualTo("da39a3ee5e6b4b0d3255bfef95601890afd80709");
    assertThat(
            fixture
                .get(ROOT, "/v1/accounts/acme/services/crawler")
                .json()
                .get("signature")
                .asString())
        .isEqualTo(SIGNATURE)
        .matches("[0-9a-f]{40}");
  }
}
