package dev.veridex;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.accounts.Minting;
import dev.veridex.accounts.Token;
import dev.veridex.accounts.Token.Flag;
import dev.veridex.accounts.TokenRequest;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Scope;
import dev.veridex.http.shape.JsonText;
import dev.veridex.settings.SettingsSources;
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
final class ServerFixture implements AutoCloseable {
  static final String ROOT = "root secret of the fixture";

  final MutableClock clock = MutableClock.daysAgo(0);
  final ByteArrayOutputStream log = new ByteArrayOutputStream();
  final List<Duration> pauses = new ArrayList<>();
  final Server server;
  private final HttpClient client = HttpClient.newHttpClient();

  ServerFixture(Path data, String... settings) {
    List<String> assignments =
        new ArrayList<>(List.of("data=" + data, "http.port=0", "rootToken=" + ROOT));
    assignments.addAll(List.of(settings));
    server =
        Server.start(
            Config.read(new SettingsSources(Optional.empty(), Map.of(), assignments)),
            new Server.World(clock, new SecureRandom(), log, pauses::add, "test"));
  }

  /// An answer.
  record Reply(int status, HttpResponse<byte[]> response) {
    JsonNode json() {
      return JsonText.read(response.body());
    }

    String text() {
      return new String(response.body(), UTF_8);
    }

    String code() {
      return json().path("code").asString("");
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.port();
  }

  Reply get(String secret, String target) {
    return ask("GET", target, Optional.of(secret), Optional.empty());
  }

  Reply ask(String method, String target, Optional<String> secret, Optional<String> body) {
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

  /// A new token.
  Minting.Minted mint(String scope, Optional<Duration> ttl, Flag... flags) {
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
    return (Minting.Minted) server.tokens().mint(root, request);
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
