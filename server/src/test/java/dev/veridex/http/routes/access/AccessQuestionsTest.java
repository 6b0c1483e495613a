package dev.veridex.http.routes.access;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.json.JsonText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Lists, the past, what-if and changes over HTTP.
final class AccessQuestionsTest {
  private static final String ACME = "/v1/accounts/acme";
  private static final String ACCESS = ACME + "/access";

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

  private String state(String... individuals) {
    Reply reply = post(ROOT, ACCESS + "/individuals", "[" + String.join(",", individuals) + "]");
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json().get("revision").asString();
  }

  private Reply post(String secret, String target, String body) {
    return fixture.ask("POST", target, Optional.of(secret), Optional.of(body.replace('\'', '"')));
  }

  private static String may(String subject, String object, String flags) {
    return "{'@id':'%s on %s','rdf:type':'v-s:PermissionStatement','v-s:permissionSubject':'%s','v-s:permissionObject':'%s',%s}"
        .formatted(subject, object, subject, object, flags);
  }

  private static String in(String member, String group) {
    return "{'@id':'%s in %s','rdf:type':'v-s:Membership','v-s:resource':'%s','v-s:memberOf':'%s'}"
        .formatted(member, group, member, group);
  }

  private JsonNode get(String target) {
    Reply reply = fixture.get(ROOT, target);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json();
  }

  private static List<String> texts(JsonNode array) {
    return array.valueStream().map(JsonNode::asString).toList();
  }

  @Test
  void listsArePagedAndAgreeWithTheCheck() {
    List<String> statements = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      statements.add(may(i % 2 == 0 ? "u" : "g", "d%02d".formatted(i), "'v-s:canRead':true"));
    }
    statements.add(in("u", "g"));
    statements.add(in("v", "g"));
    statements.add(may("v", "d01", "'v-s:canRead':false"));
    state(statements.toArray(String[]::new));
    List<String> found = new ArrayList<>();
    String cursor = "";
    int pages = 0;
    do {
      JsonNode page = get(ACCESS + "/resources?subject=u&right=R&limit=10" + cursor);
      assertThat(page.get("all").asBoolean()).isFalse();
      assertThat(page.get("revision").asString()).hasSize(22);
      found.addAll(texts(page.get("items")));
      cursor = page.get("cursor").isNull() ? "" : "&cursor=" + page.get("cursor").asString();
      pages++;
    } while (!cursor.isEmpty());
    assertThat(pages).isEqualTo(3);
    assertThat(found).hasSize(25).isSorted().contains("d00", "d01");
    assertThat(texts(get(ACCESS + "/resources?subject=v&right=R").get("items")))
        .hasSize(11)
        .doesNotContain("d01");
    assertThat(texts(get(ACCESS + "/subjects?resource=d01&right=R").get("items")))
        .containsExactly("g", "u");
    assertThat(texts(get(ACCESS + "/resources?subject=nobody&right=R").get("items"))).isEmpty();
    assertThat(texts(get(ACCESS + "/subjects?resource=nothing&right=D").get("items"))).isEmpty();
  }

  @Test
  void aGrantOnEverythingIsSaidSo() {
    state(
        may("u", "v-s:AllResourcesGroup", "'v-s:canRead':true"),
        may("u", "secret", "'v-s:canRead':false"),
        may("u", "plain", "'v-s:canUpdate':true"));
    JsonNode all = get(ACCESS + "/resources?subject=u&right=R");
    assertThat(all.get("all").asBoolean()).isTrue();
    assertThat(texts(all.get("except"))).containsExactly("secret");
    assertThat(texts(all.get("items"))).isEmpty();
    JsonNode updates = get(ACCESS + "/resources?subject=u&right=U");
    assertThat(updates.get("all").asBoolean()).isFalse();
    assertThat(texts(updates.get("items"))).containsExactly("plain");
    assertThat(updates.has("except")).isFalse();
    state(may("u", "bucket:pages", "'v-s:canDelete':true"));
    assertThat(get(ACCESS + "/resources?subject=u&right=D").get("all").asBoolean()).isFalse();
    assertThat(get(ACCESS + "/resources?subject=u&right=D&bucket=pages").get("all").asBoolean())
        .isTrue();
  }

  @Test
  void theNatureOfAListMayNotChangeUnderItsReader() {
    state(may("u", "a", "'v-s:canRead':true"), may("u", "b", "'v-s:canRead':true"));
    String cursor = get(ACCESS + "/resources?subject=u&right=R&limit=1").get("cursor").asString();
    state(may("u", "v-s:AllResourcesGroup", "'v-s:canRead':true"));
    Reply reply =
        fixture.get(ROOT, ACCESS + "/resources?subject=u&right=R&limit=1&cursor=" + cursor);
    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.code()).isEqualTo("CONFLICT");
  }

  @Test
  void earlierAnswersCanBeAskedFor() {
    String before = get(ACCESS + "/flow").get("revision").asString();
    String granted = state(may("u", "d", "'v-s:canRead':true"));
    String taken = state(may("u", "d", "'v-s:canRead':false"));
    fixture.clock.advance(Duration.ofSeconds(1));
    Instant later = fixture.clock.instant();
    fixture.clock.advance(Duration.ofSeconds(1));
    state(may("u", "d", "'v-s:canUpdate':true"));
    String check = ACCESS + "/check?subject=u&resource=d&at=";
    assertThat(get(check + before).get("allRights").asString()).isEmpty();
    assertThat(get(check + granted).get("allRights").asString()).isEqualTo("R");
    assertThat(get(check + granted).get("revision").asString()).isEqualTo(granted);
    assertThat(get(check + taken).get("allRights").asString()).isEmpty();
    assertThat(get(check + later).get("allRights").asString()).isEmpty();
    assertThat(get(check.replace("&at=", "")).get("allRights").asString()).isEqualTo("U");
    explainsWhatWas(check, granted, later);
    assertThat(texts(get(ACCESS + "/resources?subject=u&right=R&at=" + granted).get("items")))
        .containsExactly("d");
    assertThat(texts(get(ACCESS + "/subjects?resource=d&right=R&at=" + granted).get("items")))
        .containsExactly("u");
    assertThat(texts(get(ACCESS + "/subjects?resource=d&right=R&at=" + taken).get("items")))
        .isEmpty();
    Reply batch =
        post(
            ROOT,
            ACCESS + "/check",
            "{'checks':[{'subject':'u','resource':'d'}],'at':'%s'}".formatted(granted));
    assertThat(batch.json().get("results").get(0).get("allRights").asString()).isEqualTo("R");
  }

  private void explainsWhatWas(String check, String granted, Instant denied) {
    JsonNode then = get(check + granted + "&explain=true").at("/trace/reasons/1");
    assertThat(then.get("right").asString()).isEqualTo("R");
    assertThat(then.get("outcome").asString()).isEqualTo("granted");
    JsonNode trace = get(check + denied + "&explain=true").get("trace");
    assertThat(trace.get("time").asString()).isEqualTo(denied.toString());
    assertThat(trace.at("/reasons/1/outcome").asString()).isEqualTo("missing");
    assertThat(trace.at("/reasons/1/denying")).hasSize(1);
    String individual = ACCESS + "/individuals/u%20on%20d";
    assertThat(get(individual + "?at=" + granted).at("/state/v-s:canRead").asBoolean()).isTrue();
    assertThat(get(individual + "?at=" + denied).at("/state/v-s:canRead").asBoolean(true))
        .isFalse();
    assertThat(get(individual).at("/state").has("v-s:canRead")).isFalse();
  }

  @Test
  void eachWrongQuestionHasItsProblem() {
    String revision = state(may("u", "d", "'v-s:canRead':true"));
    String check = ACCESS + "/check?subject=u&resource=d";
    String cursor =
        get(ACCESS + "/resources?subject=cfg:VedaSystem&right=C&limit=1")
            .get("revision")
            .asString();
    problem(check + "&rights=RX", 400, "BAD_REQUEST", "rights");
    problem(check + "&at=forged", 400, "UNKNOWN_REVISION", "");
    problem(check + "&at=" + "A".repeat(22), 400, "UNKNOWN_REVISION", "");
    problem(check + "&atLeast=forged", 400, "UNKNOWN_REVISION", "");
    problem(check + "&at=12:00", 400, "BAD_REQUEST", "at");
    problem(check + "&at=2999-01-01T00:00:00Z", 400, "BAD_REQUEST", "");
    problem(check + "&at=2001-01-01T00:00:00Z", 410, "REVISION_TOO_OLD", "");
    problem(check + "&at=" + revision + "&atLeast=" + revision, 400, "BAD_REQUEST", "at");
    String list = ACCESS + "/resources?subject=u";
    problem(list, 400, "BAD_REQUEST", "right");
    problem(list + "&right=X", 400, "BAD_REQUEST", "right");
    problem(list + "&right=R&limit=0", 400, "BAD_REQUEST", "limit");
    problem(list + "&right=R&limit=10001", 400, "BAD_REQUEST", "limit");
    problem(list + "&right=R&cursor=forged", 400, "BAD_REQUEST", "cursor");
    problem(list + "&right=R&cursor=" + cursor, 400, "BAD_REQUEST", "cursor");
    problem(ACCESS + "/subjects?right=R", 400, "BAD_REQUEST", "resource");
    problem(ACME + "/changes?since=forged", 400, "UNKNOWN_REVISION", "");
    problem("/v1/accounts/none/access/resources?subject=u&right=R", 404, "NOT_FOUND", "");
    String many = "{'checks':[" + "{'subject':'u','resource':'d'},".repeat(1000);
    Reply over = post(ROOT, ACCESS + "/check", many + "{'subject':'u','resource':'d'}]}");
    assertThat(over.status()).isEqualTo(400);
    assertThat(over.json().get("pointer").asString()).isEqualTo("/checks");
    Reply tried = post(ROOT, ACCESS + "/whatif", "{'individuals':[" + "{},".repeat(1000) + "{}]}");
    assertThat(tried.status()).isEqualTo(400);
    assertThat(tried.json().get("pointer").asString()).isEqualTo("/individuals");
  }

  private void problem(String target, int status, String code, String parameter) {
    Reply reply = fixture.get(ROOT, target);
    assertThat(reply.status()).as("%s %s", target, reply.text()).isEqualTo(status);
    assertThat(reply.code()).as(target).isEqualTo(code);
    if (!parameter.isEmpty()) {
      assertThat(reply.text()).as(target).contains(parameter);
    }
  }

  @Test
  void aCursorIsGoodForItsOwnListOnly() {
    state(may("u", "a", "'v-s:canRead':true"), may("u", "b", "'v-s:canRead':true"));
    state(may("v", "a", "'v-s:canRead':true"), may("v", "b", "'v-s:canRead':true"));
    String cursor = get(ACCESS + "/resources?subject=u&right=R&limit=1").get("cursor").asString();
    assertThat(
            texts(
                get(ACCESS + "/resources?subject=u&right=R&limit=5&cursor=" + cursor).get("items")))
        .containsExactly("b");
    for (String other :
        List.of(
            "/resources?subject=v&right=R",
            "/resources?subject=u&right=U",
            "/resources?subject=u&right=R&bucket=pages",
            "/subjects?resource=u&right=R",
            "/resources?subject=u&right=R&env=dev")) {
      assertThat(fixture.get(ROOT, ACCESS + other + "&cursor=" + cursor).status())
          .as(other)
          .isEqualTo(400);
    }
  }

  @Test
  void everybodyAsksForHimself() {
    state(may("u", "d", "'v-s:canRead':true"));
    String user = fixture.person("tenant:acme", "u");
    assertThat(texts(fixture.get(user, ACCESS + "/resources?right=R").json().get("items")))
        .containsExactly("d");
    assertThat(fixture.get(user, ACCESS + "/resources?subject=v&right=R").status()).isEqualTo(403);
    assertThat(fixture.get(user, ACCESS + "/subjects?resource=d&right=R").status()).isEqualTo(403);
    assertThat(fixture.get(user, ACME + "/changes?follow=false").status()).isEqualTo(403);
    assertThat(post(user, ACCESS + "/whatif", "{'individuals':[]}").status()).isEqualTo(403);
  }

  @Test
  void whatIfTellsAndWritesNothing() {
    state(in("ann", "g"), in("bob", "g"), in("d1", "set"), in("d2", "set"));
    fixture.awaitSent();
    String before = get(ACCESS + "/flow").get("revision").asString();
    Reply reply =
        post(
            ROOT,
            ACCESS + "/whatif",
            "{'individuals':[%s,{'@id':'broken'}]}"
                .formatted(may("g", "set", "'v-s:canRead':true")));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    JsonNode told = reply.json();
    assertThat(told.get("results").findValuesAsString("status"))
        .containsExactly("applied", "rejected");
    // Ann, Bob and their group, on both documents and the set.
    assertThat(told.get("appear").get("R").asLong()).isEqualTo(9);
    assertThat(told.get("vanish").get("R").asLong()).isZero();
    assertThat(told.get("complete").asBoolean()).isTrue();
    JsonNode largest = told.get("classes").get(0);
    assertThat(largest.get("subjects").get("count").asLong()).isEqualTo(2);
    assertThat(largest.get("subjects").get("sample").asString()).isEqualTo("ann");
    assertThat(largest.get("resources").get("count").asLong()).isEqualTo(2);
    assertThat(largest.get("appears").asString()).isEqualTo("R");
    assertThat(told.get("samples").get(0).toString())
        .isEqualTo(
            "{\"subject\":\"ann\",\"resource\":\"d1\",\"right\":\"R\",\"change\":\"appears\"}");
    assertThat(get(ACCESS + "/flow").get("revision").asString()).isEqualTo(before);
    assertThat(get(ACCESS + "/check?subject=ann&resource=d1").get("allRights").asString())
        .isEmpty();
    Reply everything =
        post(
            ROOT,
            ACCESS + "/whatif",
            "{'individuals':[%s]}"
                .formatted(may("ann", "v-s:AllResourcesGroup", "'v-s:canDelete':true")));
    assertThat(
            everything.json().get("classes").findValues("everythingElse").stream()
                .map(JsonNode::asBoolean))
        .contains(true);
  }

  /// Reads events until there are so many, with the ids that stood before or beside them.
  private List<Event> events(String target, Optional<String> lastEvent, int count)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(fixture.url() + target))
            .header("Authorization", "Bearer " + ROOT);
    lastEvent.ifPresent(id -> request.header("Last-Event-ID", id));
    List<Event> events = new ArrayList<>();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<InputStream> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(response.body(), UTF_8))) {
        Event next = new Event("", "", "");
        while (events.size() < count) {
          String line = lines.readLine();
          if (line == null) {
            break;
          }
          if (line.isEmpty()) {
            events.add(next);
            next = new Event("", "", "");
          } else {
            next = next.with(line);
          }
        }
      }
      client.shutdownNow();
    }
    return events;
  }

  private record Event(String id, String type, String data) {
    private Event with(String line) {
      String value = line.substring(line.indexOf(':') + 2);
      return switch (line.substring(0, line.indexOf(':'))) {
        case "id" -> new Event(value, type, data);
        case "event" -> new Event(id, value, data);
        default -> new Event(id, type, value);
      };
    }

    private JsonNode json() {
      return JsonText.read(data.getBytes(UTF_8));
    }
  }

  @Test
  void changesAreToldFromWhereTheReaderStopped() throws IOException, InterruptedException {
    String start = get(ACCESS + "/flow").get("revision").asString();
    String first = state(in("a", "g"), in("b", "g"));
    String second = state(in("c", "g"), in("a", "g"));
    state("{'cmd':'remove','prevState':{'@id':'a in g'},'newState':null}");
    String all = ACME + "/changes?follow=false&since=";
    List<Event> events = events(all + start, Optional.empty(), 100);
    List<Event> told = events.stream().filter(event -> !event.data.isEmpty()).toList();
    assertThat(told)
        .extracting(event -> event.json().get("individual").asString())
        .containsExactly("a in g", "b in g", "c in g", "a in g");
    assertThat(told).extracting(Event::id).startsWith("", first, second);
    assertThat(told.get(1).json().get("revision").asString()).isEqualTo(first);
    assertThat(told.getFirst().json().get("state").get("v-s:memberOf").asString()).isEqualTo("g");
    assertThat(told.getLast().json().get("state").isNull()).isTrue();
    assertThat(told.getLast().json().has("first")).isFalse();
    assertThat(events.getLast().id).as("where to go on").isNotEmpty();
    List<Event> rest = events(all + start, Optional.of(first), 100);
    assertThat(rest.stream().filter(event -> !event.data.isEmpty()))
        .as("the header counts")
        .extracting(event -> event.json().get("individual").asString())
        .containsExactly("c in g", "a in g");
    assertThat(events(all + events.getLast().id, Optional.empty(), 100))
        .extracting(Event::data)
        .containsOnly("");
  }

  @Test
  void changesComeAsTheyAreMade() throws Exception {
    state(in("a", "g"));
    Thread writer =
        Thread.ofVirtual()
            .unstarted(
                () -> {
                  state(in("b", "g"));
                  state(in("c", "g"));
                });
    String target =
        ACME + "/changes?since=" + encoded(get(ACCESS + "/flow").get("revision").asString());
    writer.start();
    List<Event> told = new ArrayList<>();
    String last = "";
    while (told.size() < 2) {
      // Reconnects after each part, as clients do.
      for (Event event : events(target, Optional.of(last).filter(id -> !id.isEmpty()), 2)) {
        last = event.id.isEmpty() ? last : event.id;
        if (!event.data.isEmpty()) {
          told.add(event);
        }
      }
    }
    writer.join();
    assertThat(told)
        .extracting(event -> event.json().get("individual").asString())
        .containsExactly("b in g", "c in g");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }
}
