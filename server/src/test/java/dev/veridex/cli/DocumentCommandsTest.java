package dev.veridex.cli;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `put`, `get`, `queue` and `rebuild` for documents, on the command line.
final class DocumentCommandsTest {
  private static final String DOCUMENT =
      "{\"pk\":\"%s\",\"epoch\":1,\"version\":%d,\"modifiedAt\":\"2026-01-31T12:00:00Z\",\"action\":\"UPSERT\",\"fields\":{\"title\":%s}}";

  private final CommandRun command = new CommandRun();

  @TempDir private Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder.resolve("data"));
    fixture.arrange();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private int run(String... arguments) {
    return command.run(fixture, arguments);
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void filesOfDocumentsAreSentAndReadBack() throws IOException {
    String lines =
        file(
            "lines.ndjson",
            DOCUMENT.formatted("a", 1, "\"one\"") + "\n" + DOCUMENT.formatted("b/c", 1, "\"two\""));
    String array = file("array.json", "[" + DOCUMENT.formatted("d", 1, "\"three\"") + "]");
    assertThat(run("put", "acme/offers", lines, array)).as(command.err()).isZero();
    assertThat(command.out()).contains("3 ACK");
    assertThat(run("put", "acme/offers", lines)).isZero();
    assertThat(command.out()).contains("2 ACK_DUPLICATE");
    assertThat(run("get", "acme/offers/b/c")).as(command.err()).isZero();
    assertThat(command.out()).contains("\"two\"", "\"acceptedAt\"");
    assertThat(run("get", "acme/offers/none")).isEqualTo(1);
    assertThat(run("get", "acme/pages/home")).as("items as before").isZero();
    assertThat(command.out()).isEqualTo("hello");
    String bad = file("bad.json", DOCUMENT.formatted("a", 2, "5"));
    assertThat(run("put", "acme/offers", bad)).isEqualTo(1);
    assertThat(command.err()).contains("SCHEMA_MISMATCH", "a", "/fields/title");
    assertThat(run("put", "acme/pages/home", lines, array)).as("one file").isEqualTo(2);
  }

  @Test
  void documentsAreFound() throws IOException {
    String lines =
        file(
            "lines.ndjson",
            DOCUMENT.formatted("a", 1, "\"Red bike\"")
                + "\n"
                + DOCUMENT.formatted("b", 1, "\"Blue bike\""));
    assertThat(run("put", "acme/offers", lines)).isZero();
    Waiting.until(
        "it to be found",
        () -> run("search", "acme/offers", "bike") == 0 && command.out().contains("2 found"));
    assertThat(command.out()).contains("pk", "score", "title", "Red bike");
    assertThat(
            run(
                "search",
                "acme/offers",
                "red bike",
                "--all",
                "--field",
                "title^2",
                "--facet",
                "title",
                "--highlight",
                "title",
                "--sort",
                "-title",
                "--filter",
                "{\"title\": {\"prefix\": \"Red\"}}"))
        .as(command.err())
        .isZero();
    assertThat(command.out())
        .contains("1 found", "title: Red bike 1", "a, title: <em>Red</em> <em>bike</em>");
    assertThat(run("search", "acme/offers", "bike", "--limit", "1", "--json")).isZero();
    assertThat(command.out()).contains("\"total\":2", "\"cursor\":\"");
    assertThat(run("search", "acme", "bike", "--in", "offers")).as(command.err()).isZero();
    assertThat(command.out()).contains("bucket", "offers", "2 found");
    assertThat(run("search", "acme", "bike", "--in", "nowhere")).isEqualTo(1);
    assertThat(run("search", "acme/offers", "\"open")).isEqualTo(2);
    assertThat(command.err()).contains("a quotation mark is not closed");
  }

  @Test
  void documentsAreShownAsTheyBecomeSearchable() throws IOException {
    Reply begin = fixture.get(ROOT, "/v1/accounts/acme/buckets/offers/changes?follow=false");
    String id =
        begin.text().lines().filter(line -> line.startsWith("id: ")).findFirst().orElseThrow();
    String lines = file("lines.ndjson", DOCUMENT.formatted("a", 1, "\"Red bike\""));
    assertThat(run("put", "acme/offers", lines)).isZero();
    Waiting.until(
        "it to be told",
        () ->
            run("tail", "acme/offers", "--no-follow", "--since", id.substring("id: ".length())) == 0
                && command.out().contains("title=Red bike"));
    assertThat(command.out()).contains("version 1", "a");
    assertThat(run("tail", "acme/offers", "--no-follow", "--since", "forged")).isEqualTo(2);
  }

  @Test
  void queuesAreShownAndWhatIsInThemIsTriedAgain() {
    assertThat(run("rebuild", "acme/offers")).as(command.err()).isZero();
    assertThat(command.out()).contains("1 documents");
    Waiting.until(
        "it to be sent",
        () -> {
          run("queue", "acme/offers");
          return command.out().lines().anyMatch(line -> line.matches("emergency +0 .*"));
        });
    assertThat(command.out()).contains("main", "failed", "dead");
    fixture.killElement("offer-1");
    assertThat(run("queue", "acme/offers/dead")).as(command.err()).isZero();
    assertThat(command.out()).contains("offer-1", "it was poison");
    assertThat(run("queue", "acme/offers/dead", "--requeue", "--idx", "1")).isZero();
    assertThat(command.out()).contains("queued again 1");
    assertThat(run("queue", "acme/offers/dead", "--drop", "--idx", "1")).isEqualTo(1);
    assertThat(run("queue", "acme/jobs")).isZero();
    assertThat(run("rebuild", "acme")).as("the access index, as before").isZero();
  }
}
