package dev.veridex.http.routes.admin;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.identity.Token.Flag;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Accounts over HTTP.
final class AccountsTest {
  @TempDir private Path data;
  private ServerFixture fixture;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(data);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Reply put(String secret, String name, String body) {
    return fixture.ask("PUT", "/v1/accounts/" + name, Optional.of(secret), Optional.of(body));
  }

  private Reply delete(String secret, String name) {
    return fixture.ask("DELETE", "/v1/accounts/" + name, Optional.of(secret), Optional.empty());
  }

  @Test
  void anAccountIsMadeReadChangedAndListed() {
    Reply made = put(ROOT, "acme", "{}");
    assertThat(made.status()).isEqualTo(201);
    assertThat(made.json().get("etag").asString()).isEqualTo("0.1");
    assertThat(made.response().headers().firstValue("ETag")).contains("\"0.1\"");
    Reply changed =
        put(ROOT, "acme", "{\"description\":\"d\",\"owner\":\"ada\",\"quotas\":{\"bytes\":5}}");
    assertThat(changed.status()).isEqualTo(200);
    JsonNode read = fixture.get(ROOT, "/v1/accounts/acme").json();
    assertThat(read.get("owner").asString()).isEqualTo("ada");
    assertThat(read.get("quotas").get("bytes").asLong()).isEqualTo(5);
    assertThat(read.get("createdAt")).isEqualTo(made.json().get("createdAt"));
    put(ROOT, "b", "{}");
    put(ROOT, "c.d-e", "{}");
    JsonNode page = fixture.get(ROOT, "/v1/accounts?limit=2").json();
    assertThat(page.get("items")).hasSize(2);
    JsonNode rest =
        fixture.get(ROOT, "/v1/accounts?cursor=" + page.get("cursor").asString()).json();
    assertThat(rest.get("items").get(0).get("name").asString()).isEqualTo("c.d-e");
    String user = fixture.mint("tenant:b", Optional.empty()).secret();
    JsonNode own = fixture.get(user, "/v1/accounts").json();
    assertThat(own.get("items")).hasSize(1);
    assertThat(fixture.get(user, "/v1/accounts/b").status()).isEqualTo(200);
    assertThat(fixture.get(user, "/v1/accounts/acme").code()).isEqualTo("SCOPE_DENIED");
    assertThat(fixture.get(ROOT, "/v1/accounts/nothing").status()).isEqualTo(404);
  }

  @Test
  void namesHaveRules() {
    for (String bad : List.of("A", "a_b", "-a", ".a", "a%20b", "%C3%A9", "a".repeat(65), "a%00")) {
      Reply refused = put(ROOT, bad, "{}");
      assertThat(refused.status()).as(bad).isEqualTo(400);
      assertThat(refused.code()).isEqualTo("INVALID_NAME");
    }
    for (String good : List.of("0", "a.b-c", "a".repeat(64))) {
      assertThat(put(ROOT, good, "{}").status()).as(good).isEqualTo(201);
    }
    for (String bad :
        List.of("{\"quotas\":{\"bytes\":-1}}", "{\"quotas\":{\"cars\":1}}", "{\"owner\":\"\"}")) {
      assertThat(put(ROOT, "x", bad).status()).as(bad).isEqualTo(400);
    }
  }

  @Test
  void ownerAndAdministratorsChangeIt() {
    String owner = fixture.mint("tenant:acme", Optional.empty()).secret();
    String admin = fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret();
    assertThat(put(admin, "acme", "{}").code()).as("only Global makes them").isEqualTo("FORBIDDEN");
    put(ROOT, "acme", "{}");
    assertThat(put(owner, "acme", "{}").code()).isEqualTo("FORBIDDEN");
    assertThat(put(admin, "acme", "{\"owner\":\"somebody\"}").status()).isEqualTo(200);
    assertThat(put(owner, "acme", "{\"owner\":\"somebody\"}").status()).isEqualTo(200);
    String other = fixture.mint("tenant:other", Optional.empty(), Flag.ADMIN).secret();
    assertThat(delete(other, "acme").code()).isEqualTo("SCOPE_DENIED");
    assertThat(delete(owner, "acme").status()).isEqualTo(200);
  }

  @Test
  void whoIsRefusedAgainAndAgainDoesNotFillTheLog() {
    put(ROOT, "acme", "{}");
    String user = fixture.mint("tenant:acme", Optional.empty()).secret();
    for (int i = 0; i < 200; i++) {
      assertThat(
              fixture
                  .ask(
                      "PUT",
                      "/v1/accounts/acme/services/" + "x".repeat(900) + i + "?env=e" + i,
                      Optional.of(user),
                      Optional.empty())
                  .code())
          .isEqualTo("FORBIDDEN");
    }
    int entries = 0;
    for (int i = 0; i < 200; i++) {
      JsonNode log = fixture.get(ROOT, "/v1/audit?scope=tenant:acme:env:e" + i).json();
      for (JsonNode entry : log.get("items")) {
        entries++;
        assertThat(entry.get("key").get(1).asString().length()).isLessThan(300);
      }
    }
    assertThat(entries).isBetween(20, 30);
  }

  @Test
  void conditionsHold() throws Exception {
    put(ROOT, "acme", "{}");
    try (HttpClient client = HttpClient.newHttpClient()) {
      assertThat(putIf(client, "\"0.9\"")).isEqualTo(412);
      assertThat(putIf(client, "\"0.1\"")).isEqualTo(200);
      assertThat(putIf(client, "\"0.1\"")).isEqualTo(412);
      assertThat(putIf(client, "*")).isEqualTo(200);
    }
  }

  private int putIf(HttpClient client, String etag) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(fixture.url() + "/v1/accounts/acme"))
            .header("Authorization", "Bearer " + ROOT)
            .header("If-Match", etag)
            .PUT(HttpRequest.BodyPublishers.ofString("{}"))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private Reply environment(String method, String secret, String name) {
    return fixture.ask(
        method, "/v1/accounts/acme/environments/" + name, Optional.of(secret), Optional.empty());
  }

  @Test
  void environmentsComeAndGo() {
    assertThat(environment("PUT", ROOT, "dev").status()).as("no account yet").isEqualTo(404);
    assertThat(fixture.get(ROOT, "/v1/accounts/acme/environments").status()).isEqualTo(404);
    put(ROOT, "acme", "{}");
    assertThat(environment("PUT", ROOT, "dev").status()).isEqualTo(201);
    Reply again = environment("PUT", ROOT, "dev");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json().get("scope").asString()).isEqualTo("tenant:acme:env:dev");
    assertThat(environment("PUT", ROOT, "prod").status()).isEqualTo(201);
    assertThat(environment("PUT", ROOT, "Bad_Name").code()).isEqualTo("INVALID_NAME");
    assertThat(fixture.get(ROOT, "/v1/accounts/acme/environments?limit=1").json().get("items"))
        .hasSize(1);
    String admin = fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret();
    String user = fixture.mint("tenant:acme", Optional.empty()).secret();
    String inDev = fixture.mint("tenant:acme:env:dev", Optional.empty(), Flag.ADMIN).secret();
    String inProd = fixture.mint("tenant:acme:env:prod", Optional.empty(), Flag.ADMIN).secret();
    assertThat(environment("DELETE", user, "dev").code()).isEqualTo("FORBIDDEN");
    assertThat(environment("DELETE", inDev, "dev").code()).isEqualTo("SCOPE_DENIED");
    assertThat(environment("GET", user, "dev").status()).isEqualTo(200);
    assertThat(environment("DELETE", admin, "dev").status()).isEqualTo(200);
    assertThat(environment("DELETE", admin, "dev").status()).isEqualTo(404);
    assertThat(environment("GET", user, "dev").status()).isEqualTo(404);
    assertThat(fixture.get(inDev, "/v1/tokens?scope=tenant:acme:env:dev").status())
        .as("its tokens went with it")
        .isEqualTo(401);
    assertThat(fixture.get(inProd, "/v1/tokens?scope=tenant:acme:env:prod").status())
        .isEqualTo(200);
    assertThat(environment("PUT", admin, "dev").status()).isEqualTo(201);
    assertThat(fixture.get(inDev, "/v1/tokens?scope=tenant:acme:env:dev").status()).isEqualTo(401);
    assertThat(fixture.get(ROOT, "/v1/tokens?scope=tenant:acme:env:dev").json().get("items"))
        .isEmpty();
  }

  @Test
  void whatIsDeletedIsOutOfReachAtOnceAndSharesNothingWithWhatComesAfter() {
    put(ROOT, "acme", "{}");
    put(ROOT, "acme-corp", "{}");
    String inside = fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret();
    String environment = fixture.mint("tenant:acme:env:prod", Optional.empty()).secret();
    String neighbour = fixture.mint("tenant:acme-corp", Optional.empty(), Flag.ADMIN).secret();
    assertThat(delete(inside, "acme").status()).isEqualTo(200);
    assertThat(fixture.get(inside, "/v1/accounts").status()).isEqualTo(401);
    assertThat(fixture.get(environment, "/v1/accounts").status()).isEqualTo(401);
    assertThat(fixture.get(ROOT, "/v1/accounts/acme").status()).isIn(410, 404);
    assertThat(fixture.get(ROOT, "/v1/audit?scope=tenant:acme").json().get("items")).isEmpty();
    assertThat(fixture.get(neighbour, "/v1/accounts/acme-corp").status()).isEqualTo(200);

    Reply again = put(ROOT, "acme", "{}");
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.json().get("etag").asString()).isEqualTo("1.1");
    assertThat(fixture.get(inside, "/v1/accounts").status()).as("an old token").isEqualTo(401);
    String fresh = fixture.mint("tenant:acme", Optional.empty()).secret();
    assertThat(fixture.get(fresh, "/v1/accounts/acme").status()).isEqualTo(200);
    assertThat(fixture.get(ROOT, "/v1/audit?scope=global").text()).contains("account.delete");
  }
}
