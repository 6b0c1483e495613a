package dev.veridex;

import static dev.veridex.ServerFixture.ROOT;

import dev.veridex.accounts.Token.Flag;
import dev.veridex.common.Waiting;
import dev.veridex.http.Route;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/// Fills the paths of routes for tests that walk over all of them.
final class Walk {
  private static final String PAGES = "/v1/accounts/acme/buckets/pages";

  private Walk() {}

  /// The parameters of a path that name what [ServerFixture#arrange] made.
  static Map<String, String> existing(Route<?, ?> route, String token) {
    String id = route.path().contains("/services/") ? "crawler" : token;
    return Map.of(
        "account",
        "acme",
        "env",
        "dev",
        "bucket",
        "pages",
        "key",
        "home",
        "id",
        id,
        "individual",
        "cfg:VedaSystemPermission",
        "indexKey",
        "Pv-s:AllResourcesGroup",
        "login",
        "ada");
  }

  /// The parameters of a path that name what is not there, inside the account.
  static Map<String, String> missing() {
    return Map.of(
        "account",
        "acme",
        "env",
        "none",
        "bucket",
        "none",
        "key",
        "none",
        "id",
        "missing",
        "individual",
        "none",
        "indexKey",
        "Pnone",
        "login",
        "none");
  }

  static String target(Route<?, ?> route, Map<String, String> values) {
    String path = route.path();
    for (Map.Entry<String, String> value : values.entrySet()) {
      path = path.replace("{" + value.getKey() + "}", value.getValue());
    }
    return path
        + switch (route.operation()) {
          case "access.check" -> "?subject=ada&resource=home";
          case "access.resources" -> "?subject=ada&right=R";
          case "access.subjects" -> "?resource=home&right=R";
          case "access.changes" -> "?follow=false";
          default -> "";
        };
  }

  /// The secret of somebody who may use a route.
  static String secret(ServerFixture fixture, Route<?, ?> route) {
    return route.operation().startsWith("authzen.")
        ? fixture.mint("tenant:acme", Optional.empty(), Flag.ADMIN).secret()
        : ROOT;
  }

  /// A target with one more part of its query.
  static String with(String target, String query) {
    return query.isEmpty() ? target : target + (target.contains("?") ? "&" : "?") + query;
  }

  /// Whether the path of a route names something inside an account that may not be there.
  static boolean isAboutSomething(Route<?, ?> route) {
    return Stream.of("{id}", "{bucket}", "{individual}", "{indexKey}", "{login}")
        .anyMatch(route.path()::contains);
  }

  /// The example of a route's body; nothing for bytes.
  static Optional<JsonNode> example(Route<?, ?> route) {
    return switch (route.request().orElse(null)) {
      case Route.Body.Json<?>(_, JsonNode example) -> Optional.of(example);
      case Route.Body.Bulk<?>(_, JsonNode example, _) -> Optional.of(example);
      case Route.Body.Raw<?> _ -> Optional.empty();
      case null -> Optional.empty();
    };
  }

  /// Brings about what a route needs to succeed.
  static void prepare(ServerFixture fixture, Route<?, ?> route) {
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
