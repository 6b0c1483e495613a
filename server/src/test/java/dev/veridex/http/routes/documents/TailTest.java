package dev.veridex.http.routes.documents;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.json.JsonText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
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

/// Documents as they become searchable, as events over HTTP.
final class TailTest {
  private static final String BUCKET = "/v1/accounts/acme/buckets/offers";

  @TempDir private Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    fixture = new ServerFixture(folder);
    fixture.arrange();
    fixture.awaitSent();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private Reply ask(String method, String target, String body) {
    return fixture.ask(method, target, Optional.of(ROOT), Optional.of(body.replace('\'', '"')));
  }

  /// Sends a document, and waits until it can be found.
  private void send(String pk, int version, String action) {
    String fields =
        action.equals("UPSERT") ? ",'fields':{'title':'Number %d'}".formatted(version) : "";
    Reply reply =
        ask(
            "POST",
            BUCKET + "/documents",
            "[{'pk':'%s','epoch':1,'version':%d,'modifiedAt':'2026-01-31T12:00:00Z','action':'%s'%s}]"
                .formatted(pk, version, action, fields));
    assertThat(reply.status()).as(reply.text()).isLessThan(300);
    Reply found =
        ask(
            "POST",
            BUCKET + "/search",
            "{'atLeast':'" + reply.json().get("revision").asString() + "'}");
    assertThat(found.status()).as(found.text()).isEqualTo(200);
  }

  private record Told(List<String> documents, String id) {}

  private Told tail(String since) {
    String from =
        since.isEmpty() ? "" : "&since=" + URLEncoder.encode(since, StandardCharsets.UTF_8);
    Reply reply = fixture.get(ROOT, BUCKET + "/changes?follow=false" + from);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    List<String> documents = new ArrayList<>();
    String id = "";
    for (String line : reply.text().lines().toList()) {
      if (line.startsWith("data: ")) {
        JsonNode event = JsonText.read(line.substring(6).getBytes(StandardCharsets.UTF_8));
        documents.add(
            "%s %s %d %s"
                .formatted(
                    event.get("action").asString(),
                    event.get("pk").asString(),
                    event.get("version").asLong(),
                    event.path("fields").path("title").asString("")));
      }
      id = line.startsWith("id: ") ? line.substring(4) : id;
    }
    return new Told(documents, id);
  }

  @Test
  void documentsAreToldAsTheyBecomeSearchable() {
    Told before = tail("");
    assertThat(before.documents).isEmpty();
    send("a", 1, "UPSERT");
    Told first = tail(before.id);
    assertThat(first.documents).containsExactly("UPSERT a 1 Number 1");
    assertThat(tail(first.id).documents).isEmpty();
    send("a", 3, "UPSERT");
    send("a", 2, "UPSERT");
    send("b", 1, "UPSERT");
    send("b", 2, "DELETE");
    assertThat(tail(first.id).documents)
        .as("neither what came too late nor what is gone by now")
        .containsExactlyInAnyOrder("UPSERT a 3 Number 3", "DELETE b 2 ");
  }

  @Test
  void whatIsNotKeptIsNotLeftOutSilently() {
    String id = tail("").id;
    fixture.clock.advance(Duration.ofHours(25));
    Reply late = fixture.get(ROOT, BUCKET + "/changes?follow=false&since=" + id);
    assertThat(late.status()).as(late.text()).isEqualTo(410);
    assertThat(late.json().get("code").asString()).isEqualTo("CURSOR_EXPIRED");
    Reply forged = fixture.get(ROOT, BUCKET + "/changes?since=forged");
    assertThat(forged.status()).as(forged.text()).isEqualTo(400);
    assertThat(forged.json().get("code").asString()).isEqualTo("BAD_CURSOR");
    assertThat(fixture.get(ROOT, "/v1/accounts/acme/buckets/pages/changes").status())
        .as("items are not searched")
        .isEqualTo(404);
  }

  @Test
  void theCheckComparesIndexesWithTheRegistry() {
    send("a", 1, "UPSERT");
    JsonNode verified = fixture.get(ROOT, "/v1/admin/verify").json();
    assertThat(verified.get("ok").asBoolean()).as(verified.toString()).isTrue();
    assertThat(verified.get("checks").findValuesAsString("name")).contains("search");
  }
}
