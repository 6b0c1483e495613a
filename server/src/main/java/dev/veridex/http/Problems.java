package dev.veridex.http;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.json.JsonText;
import java.util.Map;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Problems as clients see them, RFC 9457.
public final class Problems {
  /// The media type of a problem.
  public static final String CONTENT_TYPE = "application/problem+json";

  private Problems() {}

  /// The answer that tells a problem.
  public static Response response(Problem problem) {
    Response response =
        new Response(
            status(problem.code()), Map.of(), new Payload.Bytes(CONTENT_TYPE, bytes(problem)));
    return switch (status(problem.code())) {
      case 401 -> response.with("WWW-Authenticate", "Bearer realm=\"veridex\"");
      case 429, 503 -> response.with("Retry-After", "1");
      default -> response;
    };
  }

  private static byte[] bytes(Problem problem) {
    return JsonText.write(json(problem));
  }

  /// A problem as JSON.
  public static ObjectNode json(Problem problem) {
    int status = status(problem.code());
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("type", "about:blank");
    object.put("title", title(status));
    object.put("status", status);
    object.put("code", problem.code().name());
    object.put("detail", problem.detail());
    problem.pointer().ifPresent(pointer -> object.put("pointer", pointer));
    object.put("retryable", problem.retryable());
    // What varies never passes for one of the members above.
    problem.values().forEach((name, value) -> object.putIfAbsent(name, object.stringNode(value)));
    return object;
  }

  /// The status of a code. There is no other place that decides it.
  public static int status(ErrorCode code) {
    return switch (code) {
      case BAD_REQUEST,
          INVALID_SCOPE,
          SCOPE_REQUIRED,
          INVALID_TTL,
          INVALID_TTL_POLICY,
          INVALID_KEY,
          INVALID_NAME,
          UNKNOWN_TYPE,
          BAD_KEY,
          BAD_EVENT,
          BAD_SEQUENCER,
          SUBJECT_REQUIRED,
          BAD_QUERY,
          BAD_CURSOR,
          UNKNOWN_REVISION ->
          400;
      case UNAUTHENTICATED -> 401;
      case FORBIDDEN, SCOPE_DENIED -> 403;
      case NOT_FOUND -> 404;
      case METHOD_NOT_ALLOWED -> 405;
      case REQUEST_TIMEOUT -> 408;
      case ALREADY_EXISTS,
          CONFLICT,
          IDEMPOTENCY_CONFLICT,
          QUOTA_EXCEEDED,
          UPGRADE_DIFFERS,
          AMBIGUOUS_KEY,
          STALE_DOCUMENT,
          STALE_EPOCH,
          TOO_LATE,
          REJECTED ->
          409;
      case REVISION_TOO_OLD, CURSOR_EXPIRED, GONE -> 410;
      case PRECONDITION_FAILED -> 412;
      case BODY_TOO_LARGE, VALUE_TOO_LARGE, TRANSACTION_TOO_LARGE -> 413;
      case TARGET_TOO_LONG -> 414;
      case UNSUPPORTED_MEDIA_TYPE -> 415;
      case BAD_VERSION,
          BAD_TIMESTAMP,
          BAD_ACTION,
          UNKNOWN_EPOCH,
          BAD_TTL,
          NO_FIELDS,
          SCHEMA_MISMATCH,
          EMPTY_FIELD_VALUE,
          BAD_NAME,
          DUPLICATE_NAME,
          BAD_EMBEDDING,
          TOO_LARGE,
          INDEX_REFUSED ->
          422;
      case TOO_MANY_ATTEMPTS -> 429;
      case HEADERS_TOO_LARGE -> 431;
      case INTERNAL,
          STORE_LOCKED,
          NOT_A_STORE,
          UNKNOWN_FORMAT,
          CORRUPT_STORE,
          CLOCK_BEHIND,
          BAD_CONFIGURATION ->
          500;
      case UNSUPPORTED -> 501;
      case UNAVAILABLE,
          ABORTED,
          CLOSED,
          OVERLOADED,
          STOPPING,
          NOT_YET_FRESH,
          INDEX_BUILDING,
          INDEX_DAMAGED ->
          503;
      case UNSUPPORTED_HTTP_VERSION -> 505;
    };
  }

  private static String title(int status) {
    return switch (status) {
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 408 -> "Request Timeout";
      case 409 -> "Conflict";
      case 410 -> "Gone";
      case 412 -> "Precondition Failed";
      case 413 -> "Content Too Large";
      case 414 -> "URI Too Long";
      case 415 -> "Unsupported Media Type";
      case 422 -> "Unprocessable Content";
      case 429 -> "Too Many Requests";
      case 431 -> "Request Header Fields Too Large";
      case 501 -> "Not Implemented";
      case 503 -> "Service Unavailable";
      case 505 -> "HTTP Version Not Supported";
      default -> "Internal Server Error";
    };
  }
}
