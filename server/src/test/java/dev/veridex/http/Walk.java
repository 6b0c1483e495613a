package dev.veridex.http;

import static dev.veridex.ServerFixture.ROOT;

import dev.veridex.ServerFixture;
import dev.veridex.common.Waiting;
import dev.veridex.identity.Token.Flag;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectKey;
import dev.veridex.objects.event.Sequencer;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/// Fills the paths of routes for tests that walk over all of them.
public final class Walk {
  private static final String PAGES = "/v1/accounts/acme/buckets/pages";
  private static final String JOBS = "/v1/accounts/acme/buckets/jobs";

  /// The event of the example.
  private static final ObjectEvent.Identity OBJECT =
      new ObjectEvent.Native(
          new ObjectKey("lab", "runs/2026/sample 1.bam"),
          ObjectEvent.NO_VERSION,
          EventType.CREATED,
          Sequencer.of("0055AED6DCD90281E5").orElseThrow());

  private Walk() {}

  /// The parameters of a path that name what [ServerFixture#arrange] made.
  public static Map<String, String> existing(Route<?, ?> route, String token) {
    String id =
        route.path().contains("/services/")
            ? "crawler"
            : route.path().contains("/objects/") ? OBJECT.id().toString() : token;
    return Map.ofEntries(
        Map.entry("account", "acme"),
        Map.entry("env", "dev"),
        Map.entry("bucket", bucket(route)),
        Map.entry("key", "home"),
        Map.entry("pk", "offer-1"),
        Map.entry("epoch", "1"),
        Map.entry("queue", "dead"),
        Map.entry("idx", "1"),
        Map.entry("id", id),
        Map.entry("individual", "cfg:VedaSystemPermission"),
        Map.entry("indexKey", "Pv-s:AllResourcesGroup"),
        Map.entry("scope", "tenant:acme"),
        Map.entry("login", "ada"));
  }

  /// What an id in a path stands for: a token, or a job that is started for it.
  public static String id(ServerFixture fixture, Route<?, ?> route, String scope) {
    return route.path().startsWith("/v1/jobs/")
        ? fixture
            .ask("DELETE", "/v1/scopes/" + scope + "?waitMs=0", Optional.of(ROOT), Optional.empty())
            .json()
            .get("job")
            .asString()
        : fixture.mint(scope, Optional.empty()).token().id();
  }

  private static String bucket(Route<?, ?> route) {
    return switch (route.operation().substring(0, route.operation().indexOf('.'))) {
      case "document", "epoch", "queue" -> "offers";
      case "message" -> "jobs";
      case "event", "object" -> "files";
      default -> "pages";
    };
  }

  /// The parameters of a path that name what is not there, inside the account.
  static Map<String, String> missing() {
    return Map.ofEntries(
        Map.entry("account", "acme"),
        Map.entry("env", "none"),
        Map.entry("bucket", "none"),
        Map.entry("key", "none"),
        Map.entry("pk", "none"),
        Map.entry("epoch", "99"),
        Map.entry("queue", "none"),
        Map.entry("idx", "99"),
        Map.entry("id", "missing"),
        Map.entry("individual", "none"),
        Map.entry("indexKey", "Pnone"),
        Map.entry("scope", "tenant:acme"),
        Map.entry("login", "none"));
  }

  public static String target(Route<?, ?> route, Map<String, String> values) {
    String path = route.path();
    for (Map.Entry<String, String> value : values.entrySet()) {
      path = path.replace("{" + value.getKey() + "}", value.getValue());
    }
    return path
        + switch (route.operation()) {
          case "access.check" -> "?subject=ada&resource=home";
          case "access.resources" -> "?subject=ada&right=R";
          case "access.subjects" -> "?resource=home&right=R";
          case "access.changes", "document.changes" -> "?follow=false";
          case "object.history", "object.patchAll" -> "?key=runs*";
          case "message.read" -> "?group=mailers&shard=0";
          case "approval.read", "approval.revoke", "approval.check" ->
              "?identity=alice&resource=document-123&action=read";
          case "relationship.read",
              "relationship.remove",
              "relationship.check",
              "relationship.path" ->
              "?subject=alice&relation=member&object=editors";
          default -> "";
        };
  }

  /// The secret of somebody who may use a route.
  public static String secret(ServerFixture fixture, Route<?, ?> route) {
    return route.operation().startsWith("authzen.")
        ? fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret()
        : ROOT;
  }

  /// A target with one more part of its query.
  public static String with(String target, String query) {
    return query.isEmpty() ? target : target + (target.contains("?") ? "&" : "?") + query;
  }

  /// Whether the path of a route names something inside an account that may not be there.
  static boolean isAboutSomething(Route<?, ?> route) {
    return Stream.of("{id}", "{bucket}", "{individual}", "{indexKey}", "{login}")
        .anyMatch(route.path()::contains);
  }

  /// The example of a route's body; nothing for bytes.
  public static Optional<JsonNode> example(Route<?, ?> route) {
    return switch (route.request().orElse(null)) {
      case Route.Body.Json<?>(_, JsonNode example) -> Optional.of(example);
      case Route.Body.Bulk<?>(_, JsonNode example, _) -> Optional.of(example);
      case Route.Body.Raw<?> _ -> Optional.empty();
      case null -> Optional.empty();
    };
  }

  /// Brings about what a route needs to succeed.
  ///
  /// @return the body that succeeds then, if it is not the example
  public static Optional<String> prepare(ServerFixture fixture, Route<?, ?> route) {
    if (route.operation().equals("message.commit")) {
      fixture.ask("DELETE", JOBS, Optional.of(ROOT), Optional.empty());
      fixture.arrange();
      return Optional.of(offset(fixture));
    }
    bringAbout(fixture, route);
    return Optional.empty();
  }

  /// A group that is done with one message.
  private static String offset(ServerFixture fixture) {
    JsonNode sent =
        post(fixture, "/messages", "{\"messages\":[{\"key\":\"order-1\",\"body\":\"paid\"}]}")
            .get("results")
            .get(0);
    long shard = sent.get("shard").asLong();
    JsonNode lease =
        post(fixture, "/leases", "{\"group\":\"mailers\",\"shard\":%d}".formatted(shard));
    return "{\"group\":\"mailers\",\"shard\":%d,\"token\":%d,\"previous\":0,\"offset\":%d}"
        .formatted(shard, lease.get("token").asLong(), sent.get("idx").asLong());
  }

  private static JsonNode post(ServerFixture fixture, String path, String body) {
    return fixture.ask("POST", JOBS + path, Optional.of(ROOT), Optional.of(body)).json();
  }

  private static void bringAbout(ServerFixture fixture, Route<?, ?> route) {
    if (route.operation().equals("queue.drop")) {
      fixture.killElement("offer-1");
    }
    if (route.path().contains("/upgrade")) {
      fixture.ask("DELETE", PAGES, Optional.of(ROOT), Optional.empty());
      fixture.arrange();
    }
    if (route.path().contains("/upgrade/")) {
      fixture.ask("POST", PAGES + "/upgrade", Optional.of(ROOT), Optional.empty());
      Waiting.until(
          "what was there to be copied",
          () -> fixture.get(ROOT, PAGES).json().path("upgrade").path("copied").asBoolean(false));
    }
  }
}
