package dev.veridex.http.routes.access;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.identity.Token.Flag;
import dev.veridex.json.JsonText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// The AuthZEN API, with the examples of its specification: each request as it is printed there.
final class AuthZenTest {
  private static final String BASE = "/access/v1";

  @TempDir private Path folder;
  private ServerFixture fixture;
  private String admin;

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder);
    fixture.arrange();
    admin = fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private void may(String subject, String resource, String flag) {
    Reply reply =
        fixture.ask(
            "POST",
            "/v1/accounts/acme/access/individuals",
            Optional.of(ROOT),
            Optional.of(
                "{\"@id\":\"%s %s %s\",\"rdf:type\":\"v-s:PermissionStatement\",\"v-s:permissionSubject\":\"%s\",\"v-s:permissionObject\":\"%s\",\"v-s:%s\":true}"
                    .formatted(subject, resource, flag, subject, resource, flag)));
    assertThat(reply.status()).isEqualTo(200);
  }

  private static JsonNode example(String name) {
    try (InputStream in =
        Objects.requireNonNull(AuthZenTest.class.getResourceAsStream("/authzen/" + name), name)) {
      return JsonText.read(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Reply ask(String path, JsonNode body) {
    return ask(path, body.toString());
  }

  private Reply ask(String path, String body) {
    return fixture.ask(
        "POST", BASE + path, Optional.of(admin), Optional.of(body.replace('\'', '"')));
  }

  private JsonNode answer(String path, JsonNode body) {
    Reply reply = ask(path, body);
    assertThat(reply.status()).as("%s", reply.text()).isEqualTo(200);
    assertThat(reply.response().headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/json");
    return reply.json();
  }

  /// Every request of the specification is answered in the shape of its answers.
  @Test
  void everyExampleOfARequestIsAnswered() throws IOException, URISyntaxException {
    Path examples =
        Path.of(Objects.requireNonNull(AuthZenTest.class.getResource("/authzen")).toURI());
    try (Stream<Path> files = Files.walk(examples)) {
      List<Path> requests =
          files
              .filter(file -> file.getFileName().toString().contains("-request"))
              .sorted()
              .toList();
      assertThat(requests).hasSizeGreaterThan(15);
      for (Path file : requests) {
        JsonNode request = JsonText.read(Files.readAllBytes(file));
        String kind = Objects.requireNonNull(file.getParent()).getFileName().toString();
        switch (kind) {
          case "evaluation" -> decision(answer("/evaluation", request));
          case "evaluations" -> {
            JsonNode answer = answer("/evaluations", request);
            assertThat(answer.propertyNames()).containsExactly("evaluations");
            assertThat(answer.get("evaluations").size())
                .isBetween(1, request.get("evaluations").size());
            answer.get("evaluations").forEach(AuthZenTest::decision);
          }
          default -> {
            if (!request.path("page").has("token")) {
              results(answer("/search/" + kind.substring("search-".length()), request), kind);
            }
          }
        }
      }
    }
  }

  private static void decision(JsonNode decision) {
    assertThat(decision.get("decision").isBoolean()).as("%s", decision).isTrue();
    assertThat(new TreeSet<>(decision.propertyNames())).isSubsetOf("context", "decision");
    assertThat(!decision.has("context") || decision.get("context").isObject()).isTrue();
  }

  private static void results(JsonNode answer, String kind) {
    assertThat(answer.propertyNames()).containsExactly("page", "results");
    assertThat(answer.get("page").get("next_token").isString()).isTrue();
    for (JsonNode result : answer.get("results")) {
      assertThat(new TreeSet<>(result.propertyNames()))
          .isEqualTo(
              new TreeSet<>(
                  kind.equals("search-action") ? List.of("name") : List.of("id", "type")));
    }
  }

  @Test
  void evaluationsAreAnsweredAsPrinted() {
    String alice = "alice@example.com";
    may(alice, "1", "canRead");
    may(alice, "3", "canRead");
    assertThat(answer("/evaluation", example("evaluation/32-evaluation-https-request.json")))
        .isEqualTo(example("evaluation/32-evaluation-https-response.json"));
    assertThat(
            answer("/evaluations", example("evaluations/19-evaluations-execute_all-request.json")))
        .isEqualTo(example("evaluations/19-evaluations-execute_all-response.json"));
    JsonNode denied =
        answer(
            "/evaluations", example("evaluations/20-evaluations-deny_on_first_deny-request.json"));
    assertThat(denied.get("evaluations").findValuesAsString("decision"))
        .isEqualTo(
            example("evaluations/20-evaluations-deny_on_first_deny-response.json")
                .get("evaluations")
                .findValuesAsString("decision"));
    assertThat(
            answer(
                "/evaluations",
                example("evaluations/21-evaluations-permit_on_first_permit-request.json")))
        .isEqualTo(example("evaluations/21-evaluations-permit_on_first_permit-response.json"));
  }

  @Test
  void searchesAreAnsweredAsPrinted() {
    for (String who : List.of("alice@example.com", "bob@example.com")) {
      may(who, "123", "canRead");
      may(who, "456", "canRead");
    }
    may("alice@example.com", "123", "canUpdate");
    assertThat(results("/search/subject", "search-subject/34-search-subject-https"))
        .isEqualTo(example("search-subject/34-search-subject-https-response.json").get("results"));
    assertThat(results("/search/resource", "search-resource/35-search-resource-https"))
        .isEqualTo(
            example("search-resource/35-search-resource-https-response.json").get("results"));
    assertThat(
            results("/search/action", "search-action/36-search-action-https")
                .findValuesAsString("name"))
        .as("ours are called create, read, update and delete")
        .containsExactly("can_read", "can_update");
  }

  private JsonNode results(String path, String name) {
    return answer(path, example(name + "-request.json")).get("results");
  }

  @Test
  void pagesFollowEachOther() {
    for (String document : List.of("123", "456", "789")) {
      may("alice@example.com", document, "canRead");
    }
    JsonNode first = example("search-resource/24-search-resource-page1-request.json");
    JsonNode page = answer("/search/resource", first);
    assertThat(page.get("results").findValuesAsString("id")).containsExactly("123", "456");
    String token = page.get("page").get("next_token").asString();
    assertThat(token).isNotEmpty();
    // The specification's second request says nothing of the limit.
    JsonNode second =
        JsonText.read(
            example("search-resource/25-search-resource-page2-request.json")
                .toString()
                .replaceAll("\"token\":\"[^\"]*\"", "\"token\":\"" + token + "\"")
                .getBytes(StandardCharsets.UTF_8));
    JsonNode last = answer("/search/resource", second);
    assertThat(last.get("results").findValuesAsString("id")).containsExactly("789");
    assertThat(last.get("page").get("next_token").asString()).isEmpty();
    String other = second.toString().replace("alice@example.com", "bob@example.com");
    assertThat(ask("/search/resource", other).status()).as("another list").isEqualTo(400);
    String changed = second.toString().replace("\"page\":{", "\"page\":{\"limit\":5,");
    assertThat(ask("/search/resource", changed).status()).as("another limit").isEqualTo(400);
    assertThat(ask("/search/resource", second.toString().replace(token, "forged")).status())
        .isEqualTo(400);
  }

  @Test
  void storedItemsAreEnumeratedForWhoMayKnowOfThem() {
    for (String group : List.of("*", "nobody")) {
      String bucket = "/v1/accounts/acme/buckets/" + (group.equals("*") ? "open" : "hidden");
      String settings =
          "{'type':'items','acl':{'read':[{'userGroups':{'oneOf':['%s']}}]},'settings':{'itemAccess':true,'resourcePrefix':'%s:'}}"
              .formatted(group, bucket.substring(bucket.lastIndexOf('/') + 1));
      assertThat(put(bucket, settings)).isEqualTo(201);
      for (String key : List.of("a", "b", "c")) {
        assertThat(put(bucket + "/items/" + key, key)).isEqualTo(201);
      }
    }
    may("ada", "bucket:open", "canRead");
    may("ada", "open:b", "canUpdate");
    String search =
        "{'subject':{'type':'user','id':'ada'},'action':{'name':'read'},'resource':{'type':'t','properties':{'bucket':'open'}},'page':{'limit':2}}";
    String ada = fixture.person("tenant:acme", "ada");
    // Of what somebody is approved for is known as of what a statement names.
    List<String> known =
        List.of(
            "bucket:open", "document-123", "open:a", "open:b", "open:c", "v-s:AllResourcesGroup");
    assertThat(found(ada, search)).containsExactlyElementsOf(known);
    may("ada", "v-s:AllResourcesGroup", "canRead");
    String everywhere = search.replace(",'properties':{'bucket':'open'}", "");
    assertThat(found(ada, everywhere)).containsExactlyElementsOf(known);
    assertThat(found(admin, everywhere))
        .as("the administrator reads both buckets")
        .contains("hidden:a", "hidden:b", "hidden:c")
        .containsAll(known);
  }

  private int put(String target, String body) {
    return fixture
        .ask("PUT", target, Optional.of(ROOT), Optional.of(body.replace('\'', '"')))
        .status();
  }

  private List<String> found(String who, String search) {
    List<String> ids = new ArrayList<>();
    String token = "";
    do {
      Reply reply =
          fixture.ask(
              "POST",
              BASE + "/search/resource",
              Optional.of(who),
              Optional.of(
                  search
                      .replace("'page':{", "'page':{'token':'" + token + "',")
                      .replace('\'', '"')));
      assertThat(reply.status()).as("%s", reply.text()).isEqualTo(200);
      reply.json().get("results").forEach(result -> ids.add(result.get("id").asString()));
      token = reply.json().get("page").get("next_token").asString();
    } while (!token.isEmpty());
    return ids;
  }

  @Test
  void aWrongQuestionAmongManyIsDeniedAlone() {
    may("u", "d", "canRead");
    String two =
        "{'subject':{'type':'user','id':'u'},'action':{'name':'read'},'evaluations':[{'resource':{'type':'t','id':'d'}},{},{'resource':{'type':'t','id':'d'}}]}";
    assertThat(ask("/evaluations", two).json().get("evaluations").findValuesAsString("decision"))
        .containsExactly("true", "false", "true");
    String single =
        "{'subject':{'type':'user','id':'u'},'action':{'name':'read'},'resource':{'type':'t','id':'d'},'evaluations':[]}";
    assertThat(ask("/evaluations", single).json().toString()).isEqualTo("{\"decision\":true}");
    String unknown = single.replace("'read'", "'fly'");
    assertThat(ask("/evaluation", unknown).json().get("decision").asBoolean()).isFalse();
  }

  @Test
  void wrongRequestsAreRefused() {
    String good =
        "{'subject':{'type':'user','id':'u'},'action':{'name':'read'},'resource':{'type':'t','id':'d'}}";
    assertThat(ask("/evaluation", good).status()).isEqualTo(200);
    for (String bad :
        List.of(
            good.replace("'subject':{'type':'user','id':'u'},", ""),
            good.replace("'type':'user',", ""),
            good.replace(",'id':'u'", ""),
            good.replace("{'name':'read'}", "{}"),
            good.replace("{'name':'read'}", "{'name':1}"),
            good.replace("{'type':'user','id':'u'}", "'u'"),
            good.replace("'id':'d'}", "'id':'d','properties':{'bucket':5}}"),
            good.replace("'id':'d'}}", "'id':'d'},'context':{'filter':['f']}}"),
            "[]",
            "{")) {
      Reply reply = ask("/evaluation", bad);
      assertThat(reply.status()).as(bad).isEqualTo(400);
      assertThat(reply.code()).isEqualTo("BAD_REQUEST");
    }
    String many = "{'evaluations':[" + "{},".repeat(1000) + "{}]}";
    assertThat(ask("/evaluations", many).status()).isEqualTo(400);
    assertThat(
            ask("/evaluations", "{'options':{'evaluations_semantic':'guess'},'evaluations':[{}]}")
                .status())
        .isEqualTo(400);
    String user = fixture.person("tenant:acme", "u");
    assertThat(
            fixture
                .ask(
                    "POST",
                    BASE + "/evaluation",
                    Optional.of(user),
                    Optional.of(good.replace('\'', '"')))
                .status())
        .as("for oneself")
        .isEqualTo(200);
    assertThat(
            fixture
                .ask(
                    "POST",
                    BASE + "/evaluation",
                    Optional.of(user),
                    Optional.of(good.replace("'u'", "'v'").replace('\'', '"')))
                .status())
        .as("for others")
        .isEqualTo(403);
    assertThat(
            fixture
                .ask(
                    "POST",
                    BASE + "/evaluation",
                    Optional.of(ROOT),
                    Optional.of(good.replace('\'', '"')))
                .status())
        .as("of no account")
        .isEqualTo(400);
  }
}
