package dev.veridex.http.helidon;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.http.Payload;
import dev.veridex.http.Problems;
import dev.veridex.http.Response;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectHandlers;
import org.jspecify.annotations.Nullable;

/// Answers to requests that Helidon rejects while it reads them.
final class ConnectionProblems implements DirectHandler {
  private ConnectionProblems() {}

  /// The handler for every kind of such problem.
  static DirectHandlers handlers() {
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    for (EventType type : EventType.values()) {
      handlers.addHandler(type, new ConnectionProblems());
    }
    return handlers.build();
  }

  @Override
  public TransportResponse handle(
      TransportRequest request,
      EventType eventType,
      Status defaultStatus,
      ServerResponseHeaders responseHeaders,
      @Nullable String message) {
    Response response =
        Problems.response(problem(defaultStatus.code(), message == null ? "" : message));
    TransportResponse.Builder answer =
        TransportResponse.builder()
            .status(Status.create(response.status()))
            .header(HeaderNames.CONTENT_TYPE, response.payload().contentType())
            .keepAlive(false);
    response.headers().forEach((name, value) -> answer.header(HeaderNames.create(name), value));
    return response.payload() instanceof Payload.Bytes(_, byte[] bytes)
        ? answer.entity(bytes).build()
        : answer.build();
  }

  /// @param message what Helidon says, from which we take no more than what kind it is
  static Problem problem(int status, String message) {
    if (message.contains("Header size exceeded")) {
      return Problem.of(ErrorCode.HEADERS_TOO_LARGE, "the headers are larger than 16 KiB");
    }
    return switch (status) {
      case 413 -> Problem.of(ErrorCode.BODY_TOO_LARGE, "the body is too large");
      case 414 -> Problem.of(ErrorCode.TARGET_TOO_LONG, "path and query are longer than 16 KiB");
      case 501 -> Problem.of(ErrorCode.UNSUPPORTED, "bodies are sent as they are or in chunks");
      case 503 -> Problem.of(ErrorCode.OVERLOADED, "the server has too much to do");
      case 505 -> Problem.of(ErrorCode.UNSUPPORTED_HTTP_VERSION, "HTTP/1.1 is spoken here");
      // Also what Helidon calls an internal error: while it reads a request, that is one that its
      // parser did not foresee. Faults of ours never come here, see Handling.
      default -> Problem.of(ErrorCode.BAD_REQUEST, "this is not a request as HTTP/1.1 has it");
    };
  }
}
