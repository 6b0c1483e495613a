package dev.veridex.http.openapi;

import dev.veridex.common.ErrorCode;
import dev.veridex.http.Problems;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The description of an API in OpenAPI 3.1.
public final class OpenApi {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private OpenApi() {}

  public static ObjectNode describe(List<Route<?, ?>> routes, String version) {
    ObjectNode api = NODES.objectNode().put("openapi", "3.1.0");
    api.putObject("info")
        .put("title", "Veridex")
        .put("version", version)
        .put("description", "A permission-aware index that stays true.")
        .putObject("license")
        .put("name", "Apache-2.0")
        .put("identifier", "Apache-2.0");
    ObjectNode paths = api.putObject("paths");
    for (Route<?, ?> route : routes) {
      paths
          .withObjectProperty(route.path())
          .set(route.method().name().toLowerCase(Locale.ROOT), operation(route));
    }
    ObjectNode components = api.putObject("components");
    components.set("schemas", schemas(routes));
    components.set("responses", responses());
    components
        .putObject("securitySchemes")
        .putObject("bearer")
        .put("type", "http")
        .put("scheme", "bearer")
        .put("description", "a token of ours, or a JSON Web Token of a configured issuer");
    return api;
  }

  private static ObjectNode operation(Route<?, ?> route) {
    ObjectNode operation =
        NODES
            .objectNode()
            .put("operationId", route.operation())
            .put("summary", route.summary())
            .put("description", "Needs: " + route.right().text() + ".")
            .put("x-veridex-right", route.right().text());
    operation.putArray("tags").add(tag(route));
    ArrayNode security = operation.putArray("security");
    if (!isOpen(route)) {
      security.addObject().putArray("bearer");
      if (route.right() instanceof RequiredRight.Allowed<?>) {
        security.addObject();
      }
    }
    ArrayNode parameters = operation.putArray("parameters");
    route.allParameters().forEach(parameter -> parameters.add(parameter(parameter)));
    route.request().ifPresent(body -> operation.set("requestBody", body(body)));
    operation.set("responses", answers(route));
    return operation;
  }

  private static ObjectNode body(Route.Body<?> body) {
    ObjectNode node = NODES.objectNode();
    switch (body) {
      case Route.Body.Json<?>(Shape<?> shape, JsonNode example) -> {
        node.put("required", shape.members().stream().anyMatch(Member::required));
        ObjectNode content = node.putObject("content").putObject("application/json");
        content.set("schema", reference("schemas", shape.name()));
        content.set("example", example);
      }
      case Route.Body.Raw<?> _ -> node.putObject("content").putObject("*/*").putObject("schema");
      case Route.Body.Bulk<?>(_, JsonNode example, boolean protobuf) -> {
        node.put("required", true);
        ObjectNode content = node.putObject("content");
        ObjectNode json = content.putObject(Reply.JSON);
        ArrayNode forms = json.putObject("schema").putArray("oneOf");
        forms.addObject().put("type", "object");
        forms.addObject().put("type", "array").putObject("items").put("type", "object");
        json.set("example", example);
        ObjectNode lines = content.putObject(Reply.LINES);
        lines
            .putObject("schema")
            .put("type", "string")
            .put("description", "an object a line; answers come while lines do");
        if (protobuf) {
          content
              .putObject(Reply.PROTOBUF)
              .putObject("schema")
              .put("type", "string")
              .put("format", "binary")
              .put("description", "messages, each after its length as a varint");
        }
      }
    }
    return node;
  }

  static boolean isOpen(Route<?, ?> route) {
    return route.right() instanceof RequiredRight.Open<?>;
  }

  /// The tag of a route: the first word of its operation.
  static String tag(Route<?, ?> route) {
    return route.operation().substring(0, route.operation().indexOf('.'));
  }

  private static ObjectNode parameter(Parameter<?> parameter) {
    ObjectNode node =
        NODES
            .objectNode()
            .put("name", parameter.name())
            .put("in", parameter.in().text())
            .put("required", parameter.required())
            .put("description", parameter.description());
    node.set("schema", parameter.type().schema());
    return node;
  }

  private static ObjectNode answers(Route<?, ?> route) {
    ObjectNode answers = NODES.objectNode();
    for (int status : route.reply().statuses()) {
      ObjectNode success = answers.putObject(String.valueOf(status)).put("description", "done");
      ObjectNode content = success.putObject("content");
      for (String type : route.reply().contentTypes()) {
        ObjectNode media = content.putObject(type);
        boolean json = type.equals(Reply.JSON) || type.equals(Reply.LINES);
        route
            .reply()
            .shape()
            .filter(_ -> json)
            .ifPresent(shape -> media.set("schema", reference("schemas", shape.name())));
      }
    }
    List<Integer> refusals = new ArrayList<>(List.of(400, 503));
    if (!isOpen(route)) {
      refusals.addAll(List.of(401, 403, 429));
    }
    if (route.request().isPresent()) {
      refusals.addAll(List.of(413, 415));
    }
    if (route.path().contains("{")) {
      refusals.add(404);
    }
    refusals.stream()
        .sorted()
        .forEach(
            status ->
                answers.set(String.valueOf(status), reference("responses", "Problem" + status)));
    answers.set("default", reference("responses", "Problem"));
    return answers;
  }

  private static ObjectNode schemas(List<Route<?, ?>> routes) {
    Map<String, Shape<?>> shapes = new TreeMap<>();
    for (Route<?, ?> route : routes) {
      if (route.request().orElse(null) instanceof Route.Body.Json<?>(Shape<?> shape, _)) {
        add(shapes, shape);
      }
      route.reply().shape().ifPresent(shape -> add(shapes, shape));
    }
    ObjectNode schemas = NODES.objectNode();
    shapes.forEach((name, shape) -> schemas.set(name, shape.schema()));
    schemas.set("Problem", problem());
    return schemas;
  }

  private static void add(Map<String, Shape<?>> shapes, Shape<?> shape) {
    Shape<?> known = shapes.put(shape.name(), shape);
    if (known != null && !known.schema().equals(shape.schema())) {
      throw new IllegalStateException("two shapes are called " + shape.name());
    }
    shape.parts().forEach(part -> add(shapes, part));
  }

  private static ObjectNode problem() {
    ObjectNode schema = NODES.objectNode().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    properties.putObject("type").put("type", "string");
    properties.putObject("title").put("type", "string");
    properties.putObject("status").put("type", "integer");
    ArrayNode codes = properties.putObject("code").put("type", "string").putArray("enum");
    Arrays.stream(ErrorCode.values()).map(ErrorCode::name).forEach(codes::add);
    properties.putObject("detail").put("type", "string");
    properties
        .putObject("pointer")
        .put("type", "string")
        .put("description", "the JSON pointer of the member at fault");
    properties
        .putObject("retryable")
        .put("type", "boolean")
        .put("description", "whether the same request may succeed later");
    schema.putArray("required").add("status").add("code").add("detail").add("retryable");
    return schema;
  }

  private static ObjectNode responses() {
    ObjectNode responses = NODES.objectNode();
    responses.set("Problem", response("a problem, RFC 9457"));
    Map<Integer, List<String>> codes = new TreeMap<>();
    for (ErrorCode code : ErrorCode.values()) {
      codes.computeIfAbsent(Problems.status(code), _ -> new ArrayList<>()).add(code.name());
    }
    codes.forEach(
        (status, names) ->
            responses.set("Problem" + status, response("one of " + String.join(", ", names))));
    return responses;
  }

  private static ObjectNode response(String description) {
    ObjectNode response = NODES.objectNode().put("description", description);
    response
        .putObject("content")
        .putObject(Problems.CONTENT_TYPE)
        .set("schema", reference("schemas", "Problem"));
    return response;
  }

  private static JsonNode reference(String kind, String name) {
    return NODES.objectNode().put("$ref", "#/components/" + kind + "/" + name);
  }
}
