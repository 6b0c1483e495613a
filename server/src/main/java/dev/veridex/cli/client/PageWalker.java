package dev.veridex.cli.client;

import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/// Walks a list of the API from page to page.
public final class PageWalker {
  private PageWalker() {}

  /// Visits every item.
  public static void each(
      ApiClient api, String path, Map<String, String> query, Consumer<JsonNode> visit) {
    query.put("limit", "1000");
    JsonNode page = api.get(path, query);
    page.path("items").forEach(visit);
    while (!page.path("cursor").isNull()) {
      query.put("cursor", page.path("cursor").asString());
      page = api.get(path, query);
      page.path("items").forEach(visit);
    }
  }
}
