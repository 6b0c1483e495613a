package dev.veridex.http.openapi;

import dev.veridex.http.Route;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// The API as a page to read: plain HTML, made on the server, that loads nothing from anywhere.
final class DocsPage {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; --line: #8884; --soft: #8881; --ink: #1a6; }
      * { box-sizing: border-box; }
      body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; padding: 2rem 1.25rem 6rem;
        max-width: 62rem; }
      h1 { margin: 0; font-size: 1.9rem; } h2 { margin: 3rem 0 .75rem; font-size: 1.25rem; }
      h3 { margin: 0; font: 600 1rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
      p { margin: .35rem 0; } .lead { opacity: .8; } a { color: inherit; }
      nav { display: flex; flex-wrap: wrap; gap: .35rem 1rem; margin: 1.25rem 0;
        padding: .75rem 0; border-block: 1px solid var(--line); }
      article { border: 1px solid var(--line); border-radius: .6rem; margin: .9rem 0;
        padding: .9rem 1.1rem; }
      .method { display: inline-block; min-width: 4.4rem; color: var(--ink); }
      .right { float: right; font-size: .8rem; border: 1px solid var(--line);
        border-radius: 1rem; padding: .1rem .65rem; margin-left: 1rem; }
      table { border-collapse: collapse; width: 100%; margin: .6rem 0; font-size: .92rem; }
      th { text-align: left; font-weight: 600; } td, th { padding: .25rem .6rem .25rem 0;
        border-bottom: 1px solid var(--line); vertical-align: top; }
      td:first-child, code, pre { font-family: ui-monospace, monospace; font-size: .88rem; }
      pre { background: var(--soft); border-radius: .4rem; padding: .7rem .9rem; overflow-x: auto;
        margin: .6rem 0; } summary { cursor: pointer; margin-top: .4rem; }
      """;

  private final StringBuilder html = new StringBuilder();

  static String of(List<Route<?, ?>> routes, String version) {
    return new DocsPage().page(routes, version);
  }

  private String page(List<Route<?, ?>> routes, String version) {
    Map<String, List<Route<?, ?>>> byTag = new LinkedHashMap<>();
    routes.forEach(
        route -> byTag.computeIfAbsent(OpenApi.tag(route), _ -> new ArrayList<>()).add(route));
    html.append("<!doctype html><html lang=en><meta charset=utf-8>")
        .append("<meta name=viewport content=\"width=device-width\"><title>Veridex API</title>")
        .append("<style>")
        .append(STYLE)
        .append("</style><h1>Veridex API</h1><p class=lead>");
    text("A permission-aware index that stays true. Version " + version + ".");
    html.append("</p><p>Send a token with <code>Authorization: Bearer …</code>. Errors are ")
        .append("<code>application/problem+json</code> with a <code>code</code>. For programs: ")
        .append("<a href=/openapi.json>/openapi.json</a>.</p><nav>");
    byTag.keySet().forEach(tag -> link(tag));
    html.append("</nav>");
    byTag.forEach(
        (tag, tagged) -> {
          html.append("<h2 id=").append(tag).append(">").append(tag).append("</h2>");
          tagged.forEach(this::route);
        });
    return html.append("</html>\n").toString();
  }

  private void link(String tag) {
    html.append("<a href=#").append(tag).append(">").append(tag).append("</a>");
  }

  private void route(Route<?, ?> route) {
    html.append("<article><span class=right>");
    text(route.right().text());
    html.append("</span><h3><span class=method>").append(route.method()).append("</span> ");
    text(route.path());
    html.append("</h3><p>");
    text(route.summary() + ".");
    html.append("</p>");
    parameters(route.allParameters());
    if (route.request().orElse(null)
        instanceof Route.Body.Json<?>(Shape<?> shape, JsonNode example)) {
      members("Body", shape);
      example(route, example);
    }
    if (route.request().orElse(null) instanceof Route.Body.Bulk<?>(_, JsonNode example, _)) {
      example(route, example);
    }
    route.reply().shape().ifPresent(shape -> members("Answer " + route.reply().status(), shape));
    html.append("</article>");
  }

  private void example(Route<?, ?> route, JsonNode example) {
    html.append("<details><summary>Example</summary><pre>");
    text(curl(route, example));
    html.append("</pre></details>");
  }

  private void parameters(List<Parameter<?>> parameters) {
    if (!parameters.isEmpty()) {
      html.append("<table><tr><th>Parameter<th><th>");
      for (Parameter<?> parameter : parameters) {
        row(
            parameter.name(),
            parameter.in().text() + ", " + type(parameter.type().schema()),
            parameter.description());
      }
      html.append("</table>");
    }
  }

  private void members(String title, Shape<?> shape) {
    html.append("<details><summary>");
    text(title + ": " + shape.name());
    html.append("</summary><table><tr><th>Member<th><th>");
    for (Member<?> member : shape.members()) {
      String optional = member.required() ? "" : ", optional";
      row(member.name(), type(member.type().schema()) + optional, member.description());
    }
    html.append("</table>");
    shape.parts().stream().distinct().forEach(part -> members("with", part));
    html.append("</details>");
  }

  private void row(String name, String type, String description) {
    html.append("<tr><td>");
    text(name);
    html.append("<td>");
    text(type);
    html.append("<td>");
    text(description);
  }

  private static String type(JsonNode schema) {
    if (schema.has("$ref")) {
      String reference = schema.get("$ref").asString();
      return reference.substring(reference.lastIndexOf('/') + 1);
    }
    if (schema.has("oneOf")) {
      return schema
          .get("oneOf")
          .valueStream()
          .map(DocsPage::type)
          .collect(Collectors.joining(" or "));
    }
    JsonNode type = schema.path("type");
    if (type.isArray()) {
      return type.get(0).asString() + " or null";
    }
    return schema.has("items")
        ? "list of " + type(schema.get("items"))
        : schema.path("format").asString(type.asString());
  }

  private static String curl(Route<?, ?> route, JsonNode example) {
    return "curl -X %s http://localhost:7400%s \\\n  -H \"Authorization: Bearer $VERIDEX_TOKEN\" \\\n"
            .formatted(route.method(), route.path())
        + "  -H 'Content-Type: application/json' -d '"
        + new String(JsonText.write(example), StandardCharsets.UTF_8)
        + "'";
  }

  private void text(String text) {
    html.append(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"));
  }
}
