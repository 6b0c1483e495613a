package dev.veridex.http.routes.documents;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Expiry;
import dev.veridex.common.Vectors;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The cases of freshness, through HTTP.
final class DocumentVectorsTest {
  @TempDir private Path folder;

  @Test
  void everyCaseIsAnsweredAsItMustBe() {
    try (ServerFixture fixture = new ServerFixture(folder)) {
      fixture.arrange();
      int cases = 0;
      for (JsonNode row : Vectors.read("documents.json")) {
        String id = row.get("id").asString();
        String bucket = "/v1/accounts/acme/buckets/" + id.toLowerCase(Locale.ROOT);
        assertThat(put(fixture, bucket, "{\"type\":\"documents\"}")).isEqualTo(201);
        assertThat(
                fixture
                    .ask("POST", bucket + "/epochs", Optional.of(ROOT), Optional.of("{}"))
                    .json()
                    .get("epoch")
                    .asLong())
            .isEqualTo(2);
        if (!row.get("stored").isNull()) {
          assertThat(status(fixture, bucket, document(row.get("stored"), row.get("stored"))))
              .as("%s, stored", id)
              .isEqualTo("ACK");
        }
        Reply reply = receive(fixture, bucket, document(row.get("incoming"), row.get("stored")));
        String expected = row.get("result").asString();
        assertThat(reply.json().get("results").get(0).get("status").asString())
            .as(id)
            .isEqualTo(expected);
        assertThat(reply.status()).as(id).isEqualTo(expected.startsWith("ACK") ? 200 : 409);
        cases++;
      }
      assertThat(cases).isGreaterThanOrEqualTo(15);
    }
  }

  private static int put(ServerFixture fixture, String target, String body) {
    return fixture.ask("PUT", target, Optional.of(ROOT), Optional.of(body)).status();
  }

  private static Reply receive(ServerFixture fixture, String bucket, JsonNode document) {
    return fixture.ask(
        "POST", bucket + "/documents", Optional.of(ROOT), Optional.of(document.toString()));
  }

  private static String status(ServerFixture fixture, String bucket, JsonNode document) {
    return receive(fixture, bucket, document).json().get("results").get(0).get("status").asString();
  }

  /// `SAME` is what is stored, `OTHER` is an upsert that says something else.
  private static JsonNode document(JsonNode given, JsonNode stored) {
    String action = given.get("action").asString();
    ObjectNode document =
        JsonNodeFactory.instance
            .objectNode()
            .put("pk", "the document")
            .put("epoch", given.get("epoch").asLong())
            .put("version", given.get("version").asLong())
            .put("modifiedAt", Expiry.instant(given.get("micros").asLong()).toString())
            .put(
                "action",
                switch (action) {
                  case "SAME" -> stored.get("action").asString();
                  case "OTHER" -> "UPSERT";
                  default -> action;
                });
    document.putObject("fields").put("title", action.equals("OTHER") ? "another" : "a title");
    return document;
  }
}
