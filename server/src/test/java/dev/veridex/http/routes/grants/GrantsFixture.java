package dev.veridex.http.routes.grants;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Scope;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.Token;
import dev.veridex.identity.Token.Flag;
import dev.veridex.identity.TokenRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// A server, and short words for requests about grants.
final class GrantsFixture implements AutoCloseable {
  final ServerFixture server;

  GrantsFixture(Path data, String... settings) {
    server = new ServerFixture(data, settings);
  }

  Reply ask(String secret, String method, String target, String body) {
    return server.ask(
        method,
        target,
        Optional.of(secret),
        body.isEmpty() ? Optional.empty() : Optional.of(body.replace('\'', '"')));
  }

  /// @param more members of the body, as `,'ttlSeconds':60`
  Reply approve(String secret, String scope, String who, String what, String action, String more) {
    return ask(
        secret,
        "PUT",
        "/v1/approvals",
        "{'scope':'%s','identity':'%s','resource':'%s','action':'%s'%s}"
            .formatted(scope, who, what, action, more));
  }

  void approved(String scope, String who, String what, String more) {
    Reply reply = approve(ROOT, scope, who, what, "read", more);
    assertThat(reply.status()).as(reply.text()).isIn(200, 201);
  }

  void related(String scope, String subject, String relation, String object, String type) {
    Reply reply =
        ask(
            ROOT,
            "PUT",
            "/v1/relationships",
            "{'scope':'%s','subject':'%s','relation':'%s','object':'%s','type':'%s'}"
                .formatted(scope, subject, relation, object, type));
    assertThat(reply.status()).as(reply.text()).isIn(200, 201);
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  static String key(String scope, String identity, String resource, String action) {
    return "?scope=%s&identity=%s&resource=%s&action=%s"
        .formatted(encoded(scope), encoded(identity), encoded(resource), encoded(action));
  }

  boolean has(String scope, String who, String what) {
    Reply reply = server.get(ROOT, "/v1/approvals/check" + key(scope, who, what, "read"));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json().get("granted").asBoolean();
  }

  Reply query(String kind, String members) {
    Reply reply = ask(ROOT, "POST", "/v1/" + kind + "/query", "{" + members + "}");
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply;
  }

  long count(String kind, String members) {
    return query(kind, members + ",'count':true").json().get("count").asLong();
  }

  List<String> listed(String kind, String part, String members) {
    return query(kind, members)
        .json()
        .get("items")
        .valueStream()
        .map(item -> item.get(part).asString())
        .toList();
  }

  Reply path(String query) {
    Reply reply = server.get(ROOT, "/v1/relationships/path?scope=tenant:acme" + query);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply;
  }

  /// A token of a person with flags.
  String token(String scope, String subject, Flag... flags) {
    Token root = server.server.tokens().authenticate(ROOT).orElseThrow();
    TokenRequest request =
        new TokenRequest(
            Scope.parse(scope),
            false,
            Optional.of(subject),
            new TreeSet<>(),
            Optional.empty(),
            Set.of(flags),
            Optional.empty());
    return ((MintResult.Minted) server.server.tokens().mint(root, request)).secret();
  }

  @Override
  public void close() {
    server.close();
  }
}
