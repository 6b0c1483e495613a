package dev.veridex.http;

import dev.veridex.http.shape.JsonText;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// How a route's answers look.
///
/// @param shape of its JSON; absent if it answers something else
/// @param contentTypes what it may answer, the usual first
/// @param rendering makes an answer's payload
public record Reply<A>(
    int status,
    Optional<Shape<?>> shape,
    List<String> contentTypes,
    Function<A, Payload> rendering) {

  public static final String JSON = "application/json";

  /// One JSON value per line.
  public static final String LINES = "application/x-ndjson";

  /// A JSON object.
  public static <A> Reply<A> json(int status, Shape<A> shape) {
    Type<A> type = Type.object(shape);
    return new Reply<>(
        status,
        Optional.of(shape),
        List.of(JSON),
        value -> new Payload.Bytes(JSON, JsonText.write(type.writing().apply(value))));
  }

  /// A text of some type.
  public static Reply<String> text(String contentType) {
    return new Reply<>(
        200,
        Optional.empty(),
        List.of(contentType),
        text -> new Payload.Bytes(contentType, text.getBytes(StandardCharsets.UTF_8)));
  }

  /// A JSON object, or, if the caller prefers to see progress, lines that end with it. The handler
  /// makes the payload.
  public static <A> Reply<Payload> progress(Shape<A> shape) {
    return new Reply<>(200, Optional.of(shape), List.of(JSON, LINES), payload -> payload);
  }
}
