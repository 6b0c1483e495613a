package dev.veridex.http.openapi;

import static dev.veridex.ServerFixture.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import dev.veridex.ServerFixture.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Walk;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// The description says what is served, and what is served is what it says.
final class OpenApiTest {
  @TempDir private Path data;
  private ServerFixture fixture;
  private JsonNode api;

  @BeforeEach
  void open() {
    fixture = new ServerFixture(data);
    api = fixture.ask("GET", "/openapi.json", Optional.empty(), Optional.empty()).json();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void everyRouteIsDescribedAndNothingElse() {
    Set<String> described = new TreeSet<>();
    for (String path : api.get("paths").propertyNames()) {
      for (String method : api.get("paths").get(path).propertyNames()) {
        described.add(method.toUpperCase(Locale.ROOT) + " " + path);
      }
    }
    Set<String> served = new TreeSet<>();
    for (Route<?, ?> route : fixture.server.routes()) {
      served.add(route.method() + " " + route.path());
      JsonNode operation = operation(route);
      assertThat(operation.get("x-veridex-right").asString()).isEqualTo(route.right().text());
      assertThat(operation.get("security").isEmpty())
          .isEqualTo(route.right() instanceof RequiredRight.Open<?>);
      assertThat(operation.get("summary").asString()).isNotBlank();
    }
    assertThat(described).isEqualTo(served);
  }

  @Test
  void itIsWellFormed() {
    assertThat(api.get("openapi").asString()).isEqualTo("3.1.0");
    Set<String> operations = new HashSet<>();
    for (Route<?, ?> route : fixture.server.routes()) {
      JsonNode operation = operation(route);
      assertThat(operations.add(operation.get("operationId").asString())).isTrue();
      Set<String> inPath = new TreeSet<>();
      for (JsonNode parameter : operation.get("parameters")) {
        if (parameter.get("in").asString().equals("path")) {
          inPath.add("{" + parameter.get("name").asString() + "}");
          assertThat(parameter.get("required").asBoolean()).isTrue();
        }
      }
      Set<String> placeholders = new TreeSet<>();
      for (String segment : route.path().split("/", -1)) {
        if (segment.startsWith("{")) {
          placeholders.add(segment);
        }
      }
      assertThat(inPath).as(route.path()).isEqualTo(placeholders);
    }
    references(api).forEach(reference -> assertThat(resolve(reference)).as(reference).isNotNull());
  }

  @Test
  void answersHaveTheShapeThatIsDescribed() {
    for (Route<?, ?> route : fixture.server.routes()) {
      fixture.arrange();
      Optional<String> body = Walk.prepare(fixture, route);
      String id = Walk.id(fixture, route, "tenant:acme");
      Reply reply =
          fixture.ask(
              route.method().name(),
              Walk.with(
                  Walk.target(route, Walk.existing(route, id)),
                  route.takesScope() ? "scope=tenant:acme" : ""),
              Optional.of(Walk.secret(fixture, route)),
              body.or(() -> Walk.example(route).map(JsonNode::toString)));
      JsonNode answer = operation(route).get("responses").path(String.valueOf(reply.status()));
      assertThat(answer.isMissingNode()).as("%s %s", route, reply.status()).isFalse();
      String type = reply.response().headers().firstValue("Content-Type").orElseThrow();
      JsonNode content = answer.get("content");
      JsonNode media = content.path(content.has(type) ? type : "*/*");
      assertThat(media.isMissingNode()).as("%s %s", route.path(), type).isFalse();
      if (media.has("schema")) {
        conforms(reply.json(), media.get("schema"), route.path());
      }
      Walk.example(route)
          .ifPresent(
              example ->
                  conforms(
                      example,
                      operation(route)
                          .get("requestBody")
                          .get("content")
                          .get("application/json")
                          .get("schema"),
                      route.path()));
    }
    Reply refused = fixture.get(ROOT, "/v1/audit?limit=0");
    conforms(refused.json(), resolve("#/components/schemas/Problem"), "a problem");
  }

  @Test
  void thePageLoadsNothingFromElsewhere() {
    Reply page = fixture.ask("GET", "/docs", Optional.empty(), Optional.empty());
    assertThat(page.text())
        .contains("/v1/tokens/{id}", "scope admin")
        .doesNotContain("<script", "src=", "@import", "url(", "<link");
    assertThat(page.response().headers().firstValue("Content-Security-Policy").orElseThrow())
        .contains("default-src 'none'");
  }

  private JsonNode operation(Route<?, ?> route) {
    return api.get("paths").get(route.path()).get(route.method().name().toLowerCase(Locale.ROOT));
  }

  private JsonNode resolve(String reference) {
    return api.at(reference.substring(1));
  }

  private static List<String> references(JsonNode node) {
    return node.findValues("$ref").stream().map(JsonNode::asString).toList();
  }

  private boolean fits(JsonNode value, JsonNode schema) {
    try {
      conforms(value, schema, "");
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }

  /// As much of JSON Schema as we write.
  private void conforms(JsonNode value, JsonNode schema, String where) {
    if (schema.has("$ref")) {
      conforms(value, resolve(schema.get("$ref").asString()), where);
      return;
    }
    if (schema.has("oneOf")) {
      long fitting = schema.get("oneOf").valueStream().filter(one -> fits(value, one)).count();
      assertThat(fitting).as(where).isEqualTo(1);
      return;
    }
    JsonNode type = schema.get("type");
    if (type.isArray() && value.isNull()) {
      return;
    }
    switch (type.isArray() ? type.get(0).asString() : type.asString()) {
      case "string" -> assertThat(value.isString()).as(where).isTrue();
      case "integer" -> assertThat(value.isIntegralNumber()).as(where).isTrue();
      case "number" -> assertThat(value.isNumber()).as(where).isTrue();
      case "boolean" -> assertThat(value.isBoolean()).as(where).isTrue();
      case "array" -> {
        assertThat(value.isArray()).as(where).isTrue();
        value.forEach(element -> conforms(element, schema.get("items"), where + "[]"));
      }
      case "object" -> object(value, schema, where);
      default -> throw new AssertionError("unknown type " + type);
    }
  }

  private void object(JsonNode value, JsonNode schema, String where) {
    assertThat(value.isObject()).as(where).isTrue();
    for (JsonNode required : schema.path("required")) {
      assertThat(value.has(required.asString())).as("%s %s", where, required).isTrue();
    }
    boolean closed = schema.path("additionalProperties").isBoolean();
    for (String name : value.propertyNames()) {
      JsonNode property = schema.path("properties").path(name);
      assertThat(property.isMissingNode() && closed).as("%s %s", where, name).isFalse();
      if (!property.isMissingNode()) {
        conforms(value.get(name), property, where + "/" + name);
      }
    }
  }
}
