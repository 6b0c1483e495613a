package dev.veridex;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.common.MutableClock;
import dev.veridex.common.Namespace;
import dev.veridex.common.Scope;
import dev.veridex.common.Waiting;
import dev.veridex.documents.DeadElement;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.Token;
import dev.veridex.identity.Token.Flag;
import dev.veridex.identity.TokenRequest;
import dev.veridex.items.ReversedItemStore;
import dev.veridex.json.JsonText;
import dev.veridex.settings.SettingsSources;
import dev.veridex.store.Snapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/// The whole server on a folder, and a client of it.
public final class ServerFixture implements AutoCloseable {
  public static final String ROOT = "root secret of the fixture";

  public final MutableClock clock;
  final ByteArrayOutputStream log = new ByteArrayOutputStream();
  final List<Duration> pauses = new ArrayList<>();
  public final Server server;
  private final HttpClient client = HttpClient.newHttpClient();

  public ServerFixture(Path data, String... settings) {
    this(data, MutableClock.daysAgo(0), settings);
  }

  ServerFixture(Path data, MutableClock clock, String... settings) {
    this.clock = clock;
    List<String> assignments =
        new ArrayList<>(List.of("data=" + data, "http.port=0", "rootToken=" + ROOT));
    assignments.addAll(List.of(settings));
    server =
        Server.start(
            Config.read(new SettingsSources(Optional.empty(), Map.of(), assignments)),
            new Server.World(clock, new SecureRandom(), log, pauses::add, "test"),
            ReversedItemStore.asSecondVersion());
  }

  /// An answer.
  public record Reply(int status, HttpResponse<byte[]> response) {
    public JsonNode json() {
      return JsonText.read(response.body());
    }

    public String text() {
      return new String(response.body(), UTF_8);
    }

    public String code() {
      return json().path("code").asString("");
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.port();
  }

  public Reply get(String secret, String target) {
    return ask("GET", target, Optional.of(secret), Optional.empty());
  }

  public Reply ask(String method, String target, Optional<String> secret, Optional<String> body) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url() + target));
    secret.ifPresent(token -> request.header("Authorization", "Bearer " + token));
    request.method(
        method,
        body.map(HttpRequest.BodyPublishers::ofString).orElse(HttpRequest.BodyPublishers.noBody()));
    try {
      HttpResponse<byte[]> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return new Reply(response.statusCode(), response);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A request with headers and a body of bytes.
  public Reply send(
      String method, String target, Optional<String> secret, List<String> headers, byte[] body) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url() + target));
    secret.ifPresent(token -> request.header("Authorization", "Bearer " + token));
    for (int i = 0; i < headers.size(); i += 2) {
      request.header(headers.get(i), headers.get(i + 1));
    }
    request.method(method, HttpRequest.BodyPublishers.ofByteArray(body));
    try {
      HttpResponse<byte[]> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      return new Reply(response.statusCode(), response);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Waits until the documents and objects that were arranged are sent on: then nobody writes but
  /// the test.
  public void awaitSent() {
    for (String queues :
        List.of(
            "offers/queues", "offers/queues?env=prod", "files/queues", "files/queues?env=prod")) {
      Waiting.until(
          "what was arranged to be sent",
          () ->
              get(ROOT, "/v1/accounts/acme/buckets/" + queues)
                  .json()
                  .get("items")
                  .findValues("elements")
                  .stream()
                  .allMatch(elements -> elements.asLong() == 0));
    }
  }

  /// An account with an environment, an approval, a relationship, a service, a bucket of items and
  /// an item, one of documents and a document, and a queue, which are all there afterwards, whoever
  /// deleted them.
  public void arrange() {
    ask("PUT", "/v1/accounts/acme", Optional.of(ROOT), Optional.of("{}"));
    ask("PUT", "/v1/accounts/acme/environments/dev", Optional.of(ROOT), Optional.empty());
    ask("PUT", "/v1/accounts/acme/environments/prod", Optional.of(ROOT), Optional.empty());
    ask("PUT", "/v1/accounts/acme/services/crawler", Optional.of(ROOT), Optional.empty());
    for (String scope : List.of("tenant:acme", "tenant:acme:env:prod")) {
      ask(
          "PUT",
          "/v1/approvals",
          Optional.of(ROOT),
          Optional.of(
              "{\"scope\":\"%s\",\"identity\":\"alice\",\"resource\":\"document-123\",\"action\":\"read\"}"
                  .formatted(scope)));
      ask(
          "PUT",
          "/v1/relationships",
          Optional.of(ROOT),
          Optional.of(
              "{\"scope\":\"%s\",\"subject\":\"alice\",\"relation\":\"member\",\"object\":\"editors\"}"
                  .formatted(scope)));
      ask("PUT", "/v1/scopes/" + scope + "/ttl", Optional.of(ROOT), Optional.of("{}"));
    }
    for (String query : List.of("", "?env=prod")) {
      ask(
          "POST",
          "/v1/accounts/acme/access/individuals" + query,
          Optional.of(ROOT),
          Optional.of("{\"@id\":\"ada's\",\"rdf:type\":\"v-s:Account\",\"v-s:login\":\"Ada\"}"));
      String bucket = "/v1/accounts/acme/buckets/pages";
      ask("PUT", bucket + query, Optional.of(ROOT), Optional.of("{\"type\":\"items/1\"}"));
      ask("PUT", bucket + "/items/home" + query, Optional.of(ROOT), Optional.of("hello"));
      String offers = "/v1/accounts/acme/buckets/offers";
      ask("PUT", offers + query, Optional.of(ROOT), Optional.of("{\"type\":\"documents\"}"));
      ask(
          "POST",
          offers + "/documents" + query,
          Optional.of(ROOT),
          Optional.of(
              "{\"pk\":\"offer-1\",\"epoch\":1,\"version\":1,\"modifiedAt\":\"2026-01-01T00:00:00Z\",\"action\":\"UPSERT\",\"fields\":{\"price\":1}}"));
      String jobs = "/v1/accounts/acme/buckets/jobs";
      ask("PUT", jobs + query, Optional.of(ROOT), Optional.of("{\"type\":\"queue\"}"));
      String files = "/v1/accounts/acme/buckets/files";
      ask("PUT", files + query, Optional.of(ROOT), Optional.of("{\"type\":\"objects\"}"));
      ask(
          "POST",
          files + "/events" + query,
          Optional.of(ROOT),
          Optional.of(
              "{\"Records\":[{\"eventTime\":\"2026-01-31T12:00:00Z\",\"eventName\":\"ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"lab\"},\"object\":{\"key\":\"runs/2026/sample+1.bam\",\"size\":1024,\"sequencer\":\"0055AED6DCD90281E5\"}}}]}"));
    }
  }

  /// Puts an element about a document of the arrangement where those are that were tried too often,
  /// with the number 1.
  public void killElement(String pk) {
    try (Snapshot snapshot = server.store().snapshot()) {
      DeadElement.put(
          server.store(),
          server
              .domain()
              .buckets()
              .lookup()
              .find(snapshot, new Namespace("acme", Optional.empty()), "offers")
              .orElseThrow(),
          pk);
    }
  }

  /// A new token of a person.
  ///
  /// @param groups that it brings
  public String person(String scope, String subject, String... groups) {
    return secret(scope, Optional.of(subject), Optional.empty(), List.of(groups));
  }

  /// A new token of a service.
  public String service(String scope, String id, Flag... flags) {
    return secret(scope, Optional.empty(), Optional.of(id), List.of(), flags);
  }

  private String secret(
      String scope,
      Optional<String> subject,
      Optional<String> service,
      List<String> groups,
      Flag... flags) {
    Token root = server.tokens().authenticate(ROOT).orElseThrow();
    TokenRequest request =
        new TokenRequest(
            Scope.parse(scope),
            false,
            subject,
            new TreeSet<>(groups),
            service,
            Set.of(flags),
            Optional.empty());
    return ((MintResult.Minted) server.tokens().mint(root, request)).secret();
  }

  /// A new token.
  public MintResult.Minted mint(String scope, Optional<Duration> ttl, Flag... flags) {
    Token root = server.tokens().authenticate(ROOT).orElseThrow();
    TokenRequest request =
        new TokenRequest(
            Scope.parse(scope),
            false,
            Optional.of("somebody"),
            new TreeSet<>(),
            Optional.empty(),
            Set.of(flags),
            ttl);
    return (MintResult.Minted) server.tokens().mint(root, request);
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
