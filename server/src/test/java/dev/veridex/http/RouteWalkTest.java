package dev.veridex.http;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.identity.Token.Flag;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Knocks at every declared route with every kind of bad caller.
final class RouteWalkTest {
  private static final String ACME = "tenant:acme";

  @TempDir private Path data;
  private ServerFixture fixture;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(data);
    fixture.arrange();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /// A caller who must be refused wherever a right is needed.
  private record Caller(String name, Optional<String> secret) {}

  private List<Caller> unknown() {
    String expired = fixture.mint(ACME, Optional.of(Duration.ofMinutes(1)), Flag.ADMIN).secret();
    var revoked = fixture.mint(ACME, Optional.empty(), Flag.ADMIN);
    fixture
        .server
        .tokens()
        .revoke(fixture.server.tokens().authenticate(ROOT).orElseThrow(), revoked.token().id());
    fixture.clock.advance(Duration.ofMinutes(1));
    return List.of(
        new Caller("nobody", Optional.empty()),
        new Caller("an empty token", Optional.of("")),
        new Caller("a made-up token", Optional.of("vdx_made_up")),
        new Caller("an expired token", Optional.of(expired)),
        new Caller("a revoked token", Optional.of(revoked.secret())));
  }

  @Test
  void whoIsUnknownIsRefusedEverywhere() {
    List<Caller> callers = unknown();
    int walked = 0;
    for (Route<?, ?> route : guarded()) {
      for (Caller caller : callers) {
        for (Request request : requests(route)) {
          Reply reply = ask(request, caller.secret);
          assertThat(reply.status()).as("%s by %s", request, caller.name).isEqualTo(401);
          assertThat(reply.code()).isEqualTo("UNAUTHENTICATED");
          walked++;
        }
      }
    }
    assertThat(walked).isGreaterThanOrEqualTo(5 * 7);
  }

  @Test
  void whoIsElsewhereIsRefusedEverywhere() {
    List<Caller> callers =
        List.of(
            admin("tenant:other"),
            admin("tenant:acme-corp"),
            admin("tenant:acme:env:dev"),
            admin("env:prod"),
            admin("custom:acme"));
    for (Route<?, ?> route : refusing()) {
      for (Caller caller : callers) {
        Set<String> answers = new TreeSet<>();
        List<Request> both = new ArrayList<>(requests(route));
        if (route.path().contains("{account}")) {
          both.add(requests(route).getFirst().about("not-there"));
        }
        for (Request request : both) {
          Reply reply = ask(request, caller.secret);
          assertThat(reply.status())
              .as("%s by %s", request, caller.name)
              .isEqualTo(outOfReach(route).status);
          assertThat(reply.code()).isEqualTo(outOfReach(route).code);
          answers.add(reply.text());
        }
        assertThat(answers)
            .as("what exists and what does not look the same: %s", route.operation())
            .hasSize(1);
      }
    }
  }

  @Test
  void whoIsInAnotherEnvironmentIsRefusedEverywhere() {
    Caller dev = admin("tenant:acme:env:dev");
    for (Route<?, ?> route : refusing()) {
      for (Request request : requests(route, "tenant:acme:env:prod")) {
        Reply reply = ask(request, dev.secret);
        assertThat(reply.status()).as("%s", request).isEqualTo(outOfReach(route).status);
        assertThat(reply.code()).isEqualTo(outOfReach(route).code);
      }
    }
  }

  @Test
  void whoHasTooFewRightsIsRefusedEverywhere() {
    Caller user = new Caller("a user", Optional.of(fixture.mint(ACME, Optional.empty()).secret()));
    Caller grantor =
        new Caller(
            "a grantor",
            Optional.of(
                fixture.mint(ACME, Optional.empty(), Flag.GRANTOR, Flag.IMPERSONATE).secret()));
    Caller globalUser =
        new Caller("a global user", Optional.of(fixture.mint("global", Optional.empty()).secret()));
    for (Route<?, ?> route : privileged()) {
      for (Caller caller : List.of(user, grantor, globalUser)) {
        if (caller.equals(grantor) && route.operation().startsWith("approval.")) {
          continue; // What a grantor may is for the tests of grants to say.
        }
        Set<String> answers = new TreeSet<>();
        for (Request request : requests(route)) {
          Reply reply = ask(request, caller.secret);
          boolean reaches =
              caller.equals(globalUser) || !(where(route) instanceof ScopeSource.Server<?>);
          if (route.right() instanceof RequiredRight.Allowed<?>) {
            // What one may not read looks like what is not there.
            assertThat(reply.status()).as("%s by %s", request, caller.name).isIn(403, 404);
            assertThat(reply.code()).isIn("FORBIDDEN", "NOT_FOUND");
          } else {
            assertThat(reply.status()).as("%s by %s", request, caller.name).isEqualTo(403);
            assertThat(reply.code()).isEqualTo(reaches ? "FORBIDDEN" : "SCOPE_DENIED");
          }
          answers.add(reply.text());
        }
        assertThat(answers).as(route.operation()).hasSize(1);
      }
    }
  }

  @Test
  void everyRefusalOfSomebodyKnownIsAudited() {
    Caller user = new Caller("a user", Optional.of(fixture.mint(ACME, Optional.empty()).secret()));
    for (Route<?, ?> route : privileged()) {
      // Whoever is refused again and again is noted less and less; not so with pauses.
      fixture.clock.advance(Duration.ofMinutes(1));
      int before = audited(ACME, route.operation());
      for (Request request : requests(route)) {
        ask(request, user.secret);
      }
      // That something is not there is no refusal.
      int least = route.right() instanceof RequiredRight.Allowed<?> ? 1 : requests(route).size();
      assertThat(audited(ACME, route.operation()))
          .as(route.operation())
          .isBetween(before + least, before + requests(route).size());
    }
  }

  @Test
  void whoMayIsServedAndOpenRoutesAreOpen() {
    // Deletions last: what they delete is looked at before.
    List<Route<?, ?>> routes = new ArrayList<>(fixture.server.routes());
    routes.sort(Comparator.comparing((Route<?, ?> route) -> route.method() == Method.DELETE));
    for (Route<?, ?> route : routes) {
      fixture.arrange();
      Optional<String> body = Walk.prepare(fixture, route);
      boolean open = route.right() instanceof RequiredRight.Open<?>;
      Request request = requests(route).getFirst();
      Reply reply =
          ask(
              new Request(request.method, request.target, body.or(() -> request.body)),
              open ? Optional.empty() : Optional.of(Walk.secret(fixture, route)));
      assertThat(reply.status()).as(route.operation()).isIn(200, 201);
    }
  }

  private int audited(String scope, String operation) {
    int count = 0;
    for (JsonNode entry :
        fixture.get(ROOT, "/v1/audit?limit=1000&scope=" + scope).json().get("items")) {
      boolean refused = entry.get("outcome").asString().equals("refused");
      count += refused && entry.get("operation").asString().equals(operation) ? 1 : 0;
    }
    return count;
  }

  private Caller admin(String scope) {
    return new Caller(
        "an admin of " + scope,
        Optional.of(fixture.mint(scope, Optional.empty(), Flag.ADMIN).secret()));
  }

  private List<Route<?, ?>> guarded() {
    return fixture.server.routes().stream()
        .filter(route -> !(route.right() instanceof RequiredRight.Open<?>))
        .toList();
  }

  /// Routes that are closed to those whose scope is another one.
  private List<Route<?, ?>> refusing() {
    return guarded().stream()
        .filter(
            route -> !(route.right() instanceof RequiredRight.Reaches<?>(ScopeSource.Callers<?> _)))
        .toList();
  }

  /// Routes that take more than a token that reaches what they are about. A list of what one may
  /// see is for everybody, and empty for most.
  private List<Route<?, ?>> privileged() {
    return guarded().stream()
        .filter(route -> !(route.right() instanceof RequiredRight.Reaches<?>))
        .filter(route -> !route.operation().equals("bucket.list"))
        .toList();
  }

  private static ScopeSource<?> where(Route<?, ?> route) {
    return route.where().orElseThrow();
  }

  private record Expected(int status, String code) {}

  /// What somebody hears who administers another scope.
  private static Expected outOfReach(Route<?, ?> route) {
    return switch (where(route)) {
      case ScopeSource.Server<?>(),
          ScopeSource.Query<?>(),
          ScopeSource.Body<?> _,
          ScopeSource.Named<?> _,
          ScopeSource.Path<?>(),
          ScopeSource.Account<?>(),
          ScopeSource.Inside<?>() ->
          new Expected(403, "SCOPE_DENIED");
      case ScopeSource.Callers<?>() -> new Expected(404, "NOT_FOUND");
    };
  }

  private record Request(String method, String target, Optional<String> body) {
    Request about(String account) {
      return new Request(method, target.replace("accounts/acme", "accounts/" + account), body);
    }
  }

  /// The requests of a route that are about the tenant acme, or about the server: for something
  /// that exists, and for something that does not.
  private List<Request> requests(Route<?, ?> route) {
    return requests(route, ACME);
  }

  private List<Request> requests(Route<?, ?> route, String scope) {
    List<Request> requests = new ArrayList<>();
    String id = Walk.id(fixture, route, scope);
    List<Map<String, String>> both = new ArrayList<>(List.of(Walk.existing(route, id)));
    if (Walk.isAboutSomething(route)) {
      both.add(Walk.missing());
    }
    boolean inEnvironment =
        route.where().filter(ScopeSource.Inside.class::isInstance).isPresent()
            && scope.endsWith(":env:prod");
    String query = route.takesScope() ? "scope=" + scope : inEnvironment ? "env=prod" : "";
    for (Map<String, String> values : both) {
      requests.add(
          new Request(
              route.method().name(),
              Walk.with(
                  Walk.target(route, values).replace("/scopes/tenant:acme", "/scopes/" + scope),
                  query),
              Walk.example(route).map(example -> example(example, scope))));
    }
    return requests;
  }

  private static String example(JsonNode example, String scope) {
    ObjectNode body = (ObjectNode) example.deepCopy();
    if (body.has("scope")) {
      body.put("scope", scope);
    }
    return body.toString();
  }

  private Reply ask(Request request, Optional<String> secret) {
    return fixture.ask(request.method, request.target, secret, request.body);
  }
}
