package dev.veridex.http.openapi;

import dev.veridex.http.Answer;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/// The routes that describe all routes, themselves included.
public final class Documentation {
  private static final String HTML = "text/html; charset=utf-8";

  private final List<Route<?, ?>> others;
  private final String version;

  public Documentation(List<Route<?, ?>> others, String version) {
    this.others = List.copyOf(others);
    this.version = version;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.GET, "/openapi.json", "docs.openapi", "This API, for programs")
            .needs(new RequiredRight.Open<>())
            .answers(Reply.text(Reply.JSON), _ -> Answer.of(json())),
        Route.of(Method.GET, "/docs", "docs.page", "This API, for people")
            .needs(new RequiredRight.Open<>())
            .answers(Reply.text(HTML), _ -> Answer.of(DocsPage.of(all(), version))));
  }

  private String json() {
    return new String(JsonText.write(OpenApi.describe(all(), version)), StandardCharsets.UTF_8);
  }

  private List<Route<?, ?>> all() {
    return Stream.concat(others.stream(), routes().stream()).toList();
  }
}
