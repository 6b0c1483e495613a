package dev.veridex.http;

import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The media type and shape of a route's answers.
///
/// @param statuses with which it succeeds, the usual first
/// @param shape of its JSON; absent if it answers something else
/// @param contentTypes what it may answer, the usual first
/// @param rendering makes an answer's payload
public record Reply<A>(
    List<Integer> statuses,
    Optional<Shape<?>> shape,
    List<String> contentTypes,
    Function<A, Payload> rendering) {

  public static final String JSON = "application/json";

  /// One JSON value per line.
  public static final String LINES = "application/x-ndjson";

  /// Protobuf messages, each after its length as a varint.
  public static final String PROTOBUF = "application/x-protobuf";

  /// The usual status.
  public int status() {
    return statuses.getFirst();
  }

  /// The same, which may also succeed with another status.
  public Reply<A> or(int other) {
    List<Integer> all = new ArrayList<>(statuses);
    all.add(other);
    return new Reply<>(List.copyOf(all), shape, contentTypes, rendering);
  }

  /// A JSON object.
  public static <A> Reply<A> json(int status, Shape<A> shape) {
    Type<A> type = Type.object(shape);
    return new Reply<>(
        List.of(status),
        Optional.of(shape),
        List.of(JSON),
        value -> new Payload.Bytes(JSON, JsonText.write(type.writing().apply(value))));
  }

  /// A text of some type.
  public static Reply<String> text(String contentType) {
    return new Reply<>(
        List.of(200),
        Optional.empty(),
        List.of(contentType),
        text -> new Payload.Bytes(contentType, text.getBytes(StandardCharsets.UTF_8)));
  }

  /// A text, or a JSON object for those who ask for it. The handler makes the payload.
  public static <A> Reply<Payload> textOr(String contentType, Shape<A> shape) {
    return new Reply<>(
        List.of(200), Optional.of(shape), List.of(contentType, JSON), payload -> payload);
  }

  /// Bytes of whatever type they have; the handler makes the payload.
  public static Reply<Payload> bytes() {
    return new Reply<>(List.of(200), Optional.empty(), List.of("*/*"), payload -> payload);
  }

  /// A JSON object, or, if the caller prefers to see progress, lines that end with it. The handler
  /// makes the payload.
  public static <A> Reply<Payload> progress(Shape<A> shape) {
    return new Reply<>(List.of(200), Optional.of(shape), List.of(JSON, LINES), payload -> payload);
  }
}
