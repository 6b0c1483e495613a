package dev.veridex.cli;

import static dev.veridex.ServerFixture.ROOT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.json.JsonText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Accounts, buckets and items on the command line, and an account from one server to another.
final class TransferTest {
  private final CommandRun command = new CommandRun();

  @TempDir private Path parent;
  private ServerFixture fixture;
  private ServerFixture other;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(parent.resolve("data"));
    other = new ServerFixture(parent.resolve("other"));
  }

  @AfterEach
  void close() {
    fixture.close();
    other.close();
  }

  private int run(ServerFixture server, boolean interactive, String... arguments) {
    return command.run(
        Map.of("VERIDEX_URL", server.url(), "VERIDEX_TOKEN", ROOT), interactive, arguments);
  }

  private String ran(String... arguments) {
    assertThat(run(fixture, false, arguments)).as(command.err()).isZero();
    return command.out();
  }

  private Path file(String name, String text) throws Exception {
    return Files.writeString(parent.resolve(name), text);
  }

  @Test
  void accountsBucketsAndItemsAreHandled() throws Exception {
    assertThat(ran("account", "put", "acme", "--owner", "ada", "--description", "the shop"))
        .contains("acme");
    assertThat(ran("account", "list")).contains("NAME", "acme", "ada", "the shop");
    assertThat(ran("account", "show", "acme")).contains("\"owner\":\"ada\"");
    Path settings = file("bucket.json", "{\"quotas\":{\"items\":7},\"type\":\"items\"}");
    assertThat(ran("bucket", "put", "acme/pages", "--from", settings.toString()))
        .contains("items/2");
    assertThat(ran("bucket", "list", "acme")).contains("pages", "items/2");
    assertThat(ran("ls", "acme")).contains("pages");
    assertThat(ran("bucket", "show", "acme/pages")).contains("\"items\":7");
    Path page = file("page.html", "<p>hello");
    String stored =
        ran("put", "acme/pages/a/b.html", page.toString(), "--ttl", "1h", "--header", "Author=ada");
    assertThat(stored).startsWith("stored ");
    assertThat(ran("get", "acme/pages/a/b.html")).isEqualTo("<p>hello");
    assertThat(ran("get", "acme/pages/a/b.html", "--rev", stored.strip().substring(7)))
        .isEqualTo("<p>hello");
    Path copy = parent.resolve("copy");
    ran("get", "acme/pages/a/b.html", "--output", copy.toString());
    assertThat(copy).hasContent("<p>hello");
    assertThat(ran("ls", "acme/pages")).isEqualTo("a/b.html\n");
    assertThat(ran("ls", "acme/pages/a", "--long")).contains("text/html", "a/b.html");
    assertThat(ran("ls", "acme/pages/zzz")).isEmpty();
    assertThat(ran("get", "acme/pages/a/b.html", "--revisions")).contains("REV", "8");
    assertThat(ran("account", "usage", "acme")).contains("items", "none");
    assertThat(ran("account", "usage", "acme/pages")).contains("7");
    assertThat(run(fixture, false, "put", "acme/pages/a/b.html", page.toString(), "--if-absent"))
        .isEqualTo(1);
    assertThat(command.err()).contains("PRECONDITION_FAILED");
    assertThat(run(fixture, false, "get", "acme/pages")).as("no key").isEqualTo(2);
    assertThat(run(fixture, false, "get", "acme/pages/none")).isEqualTo(1);
    assertThat(run(fixture, false, "bucket", "delete", "acme/pages")).as("--yes").isEqualTo(2);
    ran("bucket", "delete", "acme/pages", "--yes");
    assertThat(run(fixture, false, "account", "delete", "acme")).isEqualTo(2);
    ran("account", "delete", "acme", "--yes");
    assertThat(ran("account", "list")).doesNotContain("acme");
  }

  private void fill() {
    fixture.arrange();
    fixture.ask(
        "PUT",
        "/v1/accounts/acme",
        Optional.of(ROOT),
        Optional.of("{\"description\":\"d\",\"acl\":{\"read\":[]}}"));
    for (int i = 0; i < 1500; i++) {
      fixture.send(
          "PUT",
          "/v1/accounts/acme/buckets/pages/items/k%2F" + i,
          Optional.of(ROOT),
          List.of("Content-Type", "text/plain", "X-Store-Number", "n" + i),
          ("value \0 " + i).getBytes(UTF_8));
    }
    fixture.ask(
        "PUT",
        "/v1/accounts/acme/buckets/pages/items/brief?ttl=3600&env=prod",
        Optional.of(ROOT),
        Optional.of("x"));
  }

  /// Everything of an account that an export carries, as a server tells it.
  private static List<String> everything(ServerFixture server) {
    List<String> all = new ArrayList<>();
    all.add(server.get(ROOT, "/v1/accounts/acme").json().get("acl").toString());
    for (String env : List.of("", "&env=dev", "&env=prod")) {
      String first = env.replace('&', '?');
      server
          .get(ROOT, "/v1/accounts/acme/services" + first)
          .json()
          .get("items")
          .forEach(service -> all.add(env + service.get("id")));
      for (JsonNode bucket :
          server.get(ROOT, "/v1/accounts/acme/buckets" + first).json().get("items")) {
        all.add(env + bucket.get("name") + bucket.get("settings") + bucket.get("type"));
        String items = "/v1/accounts/acme/buckets/pages/items";
        for (String prefix : List.of("k%2F", "home", "brief")) {
          JsonNode page = server.get(ROOT, items + "?limit=1000&prefix=" + prefix + env).json();
          page.get("items")
              .forEach(
                  item ->
                      all.add(
                          env
                              + item.get("key")
                              + item.get("bytes")
                              + item.get("contentType")
                              + item.has("expiresAt")));
        }
      }
    }
    return all;
  }

  @Test
  void anAccountGoesFromOneServerToAnother() throws Exception {
    fill();
    Path file = parent.resolve("acme.ndjson");
    assertThat(run(fixture, true, "export", "acme", file.toString())).as(command.err()).isZero();
    assertThat(command.out()).contains("1,503 items");
    assertThat(command.err()).contains("exporting [", "%");
    assertThat(parent.resolve("acme.ndjson.part")).doesNotExist();
    assertThat(run(fixture, false, "export", "acme", file.toString())).as("is there").isEqualTo(2);
    assertThat(run(other, true, "import", "acme", file.toString())).as(command.err()).isZero();
    assertThat(command.out()).contains("1,503 items");
    assertThat(everything(other)).isEqualTo(everything(fixture)).hasSizeGreaterThan(1000);
    assertThat(other.get(ROOT, "/v1/accounts/acme/buckets/pages/items/k%2F77").text())
        .isEqualTo("value \0 77");
    assertThat(
            other
                .get(ROOT, "/v1/accounts/acme/buckets/pages/items/k%2F77")
                .response()
                .headers()
                .firstValue("X-Store-Number"))
        .contains("n77");
    JsonNode brief =
        other
            .get(ROOT, "/v1/accounts/acme/buckets/pages/items?prefix=brief&env=prod")
            .json()
            .get("items")
            .get(0);
    assertThat(Instant.parse(brief.get("expiresAt").asString()))
        .isBefore(other.clock.instant().plusSeconds(3601));
  }

  @Test
  void whatWasBrokenOffGoesOn() throws Exception {
    fill();
    Path whole = parent.resolve("whole.ndjson");
    run(fixture, false, "export", "acme", whole.toString());
    List<String> lines = Files.readAllLines(whole);
    Path file = parent.resolve("acme.ndjson");
    for (int kept : List.of(0, 3, 1014, lines.size() - 1)) {
      Files.deleteIfExists(file);
      String begun = String.join("\n", lines.subList(0, kept));
      Files.writeString(parent.resolve("acme.ndjson.part"), begun);
      assertThat(run(fixture, false, "export", "acme", file.toString()))
          .as("%s: %s", kept, command.err())
          .isZero();
      assertThat(Files.readAllLines(file)).as("broken off after %s", kept).isEqualTo(lines);
      Files.writeString(parent.resolve("acme.ndjson.part"), begun + "\n{\"kind\":\"it");
      Files.delete(file);
      run(fixture, false, "export", "acme", file.toString());
      assertThat(Files.readAllLines(file)).isEqualTo(lines);
    }

    Path cut = parent.resolve("cut.ndjson");
    Files.write(cut, lines.subList(0, 900));
    assertThat(run(other, false, "import", "acme", cut.toString())).isEqualTo(1);
    assertThat(command.err()).contains("ends early");
    // As after a kill between storing some items and noting it.
    Files.writeString(
        parent.resolve("whole.ndjson.imported"),
        "800 "
            + Files.size(whole)
            + " "
            + other.url()
            + " acme "
            + other.get(ROOT, "/v1/accounts/acme").json().get("createdAt").asString());
    assertThat(run(other, false, "import", "acme", whole.toString())).as(command.err()).isZero();
    assertThat(command.err()).contains("going on after line 800");
    assertThat(parent.resolve("whole.ndjson.imported")).doesNotExist();
    assertThat(everything(other)).isEqualTo(everything(fixture));
    JsonNode known = JsonText.read(lines.get(820).getBytes(UTF_8));
    String key = known.get("key").asString().replace("/", "%2F");
    assertThat(
            other
                .get(ROOT, "/v1/accounts/acme/buckets/pages/items/" + key + "/revisions")
                .json()
                .get("items"))
        .as("what was stored before is not stored again")
        .hasSize(1);
  }

  @Test
  void whatIsLeftOfAnotherExportIsNotTakenUp() throws Exception {
    fixture.arrange();
    Path file = parent.resolve("acme.ndjson");
    run(fixture, false, "export", "acme", file.toString());
    fixture.ask("PUT", "/v1/accounts/other", Optional.of(ROOT), Optional.of("{}"));
    Files.move(file, parent.resolve("acme.ndjson.part"));
    assertThat(run(fixture, false, "export", "other", file.toString())).isEqualTo(2);
    assertThat(command.err()).contains("another export");
  }

  @Test
  void anImportIntoAnAccountThatWasMadeAgainBeginsAnew() throws Exception {
    fixture.arrange();
    Path file = parent.resolve("acme.ndjson");
    run(fixture, false, "export", "acme", file.toString());
    String made = fixture.get(ROOT, "/v1/accounts/acme").json().get("createdAt").asString();
    Files.writeString(
        parent.resolve("acme.ndjson.imported"),
        "5 " + Files.size(file) + " " + fixture.url() + " acme " + made);
    fixture.ask("DELETE", "/v1/accounts/acme", Optional.of(ROOT), Optional.empty());
    fixture.clock.advance(Duration.ofSeconds(1));
    fixture.ask("PUT", "/v1/accounts/acme", Optional.of(ROOT), Optional.of("{}"));
    assertThat(run(fixture, false, "import", "acme", file.toString())).isZero();
    assertThat(command.out()).contains("2 items");
    assertThat(fixture.get(ROOT, "/v1/accounts/acme/buckets/pages/items/home").text())
        .isEqualTo("hello");
  }

  @Test
  void whatItsBucketDoesNotTakeIsTold() throws Exception {
    fixture.arrange();
    String bucket = "/v1/accounts/acme/buckets/pages";
    fixture.ask("PUT", bucket + "/items/brief?ttl=100", Optional.of(ROOT), Optional.of("x"));
    Path file = parent.resolve("acme.ndjson");
    run(fixture, false, "export", "acme", file.toString());
    other.arrange();
    other.ask(
        "PUT",
        bucket,
        Optional.of(ROOT),
        Optional.of("{\"type\":\"items\",\"ttl\":\"long-lived\"}"));
    assertThat(run(other, false, "import", "acme", file.toString())).isEqualTo(1);
    assertThat(command.err()).contains("1 items were not stored");
  }

  @Test
  void largeValuesAreStreamed() throws Exception {
    fixture.arrange();
    byte[] large = new byte[8 << 20];
    for (int i = 0; i < 6; i++) {
      fixture.send(
          "PUT",
          "/v1/accounts/acme/buckets/pages/items/large" + i,
          Optional.of(ROOT),
          List.of(),
          large);
    }
    Path file = parent.resolve("acme.ndjson");
    assertThat(run(fixture, false, "export", "acme", file.toString())).isZero();
    assertThat(run(other, false, "import", "acme", file.toString())).as(command.err()).isZero();
    assertThat(other.get(ROOT, "/v1/accounts/acme/buckets/pages/items/large5").response().body())
        .isEqualTo(large);
  }

  @Test
  void whatIsNoExportIsRefused() throws Exception {
    Path wrong = file("wrong", "{\"kind\":\"export\",\"version\":9}\n");
    assertThat(run(other, false, "import", "acme", wrong.toString())).isEqualTo(2);
    Path garbage = file("garbage", "hello\n");
    assertThat(run(other, false, "import", "acme", garbage.toString())).isEqualTo(2);
    assertThat(run(other, false, "import", "acme", "not-there")).isEqualTo(2);
    assertThat(run(fixture, false, "export", "none", parent.resolve("x").toString())).isEqualTo(1);
  }
}
