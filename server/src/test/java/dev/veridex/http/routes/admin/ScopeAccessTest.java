package dev.veridex.http.routes.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.common.Scope;
import dev.veridex.common.Vectors;
import dev.veridex.identity.Token.Flag;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// The table of who reaches what, through real tokens over HTTP.
final class ScopeAccessTest {
  @TempDir private Path data;

  @Test
  void tokensReachExactlyWhatTheTableSays() {
    JsonNode rows = Vectors.read("scopes.json").get("access");
    assertThat(rows.size()).isEqualTo(144);
    Map<String, String> admins = new HashMap<>();
    Map<String, String> users = new HashMap<>();
    try (ServerFixture fixture = new ServerFixture(data)) {
      for (JsonNode row : rows) {
        String scope = row.get("token").asString();
        String request = row.get("request").asString();
        boolean allowed = row.get("allowed").asBoolean();
        String admin =
            admins.computeIfAbsent(
                scope, text -> fixture.mint(text, Optional.empty(), Flag.ADMIN).secret());
        Reply audit =
            fixture.get(
                admin, "/v1/audit?scope=" + URLEncoder.encode(request, StandardCharsets.UTF_8));
        expect(audit, allowed, 200, row);
        String user =
            users.computeIfAbsent(scope, text -> fixture.mint(text, Optional.empty()).secret());
        target(Scope.parse(request))
            .ifPresent(target -> expect(fixture.get(user, target), allowed, 404, row));
      }
    }
  }

  /// A list in an account that is not there, which only those may know who reach it.
  private static Optional<String> target(Scope scope) {
    return switch (scope) {
      case Scope.Tenant(String account) ->
          Optional.of("/v1/accounts/" + encoded(account) + "/services");
      case Scope.TenantEnvironment(String account, String environment) ->
          Optional.of("/v1/accounts/" + encoded(account) + "/services?env=" + encoded(environment));
      case Scope.Global _, Scope.Environment _, Scope.Custom _ -> Optional.empty();
    };
  }

  private static String encoded(String part) {
    return URLEncoder.encode(part, StandardCharsets.UTF_8);
  }

  /// @param ifAllowed the status that only those hear who reach it
  private static void expect(Reply reply, boolean allowed, int ifAllowed, JsonNode row) {
    if (allowed) {
      assertThat(reply.status()).as(row.toString()).isEqualTo(ifAllowed);
    } else {
      assertThat(reply.status()).as(row.toString()).isEqualTo(403);
      assertThat(reply.code()).as(row.toString()).isEqualTo("SCOPE_DENIED");
    }
  }
}
