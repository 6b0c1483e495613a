package dev.veridex.http;

/// Headers of every answer.
final class Headers {
  static final String POLICY = "Content-Security-Policy";

  /// A page of ours runs no script and loads nothing.
  private static final String PAGE_POLICY =
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

  private static final String REQUEST_ID = "X-Request-ID";
  private static final int MAX_REQUEST_ID = 256;

  private Headers() {}

  /// The answer to a request, with all that it says besides.
  static Response complete(Response response, Exchange exchange) {
    Response complete = complete(response);
    return exchange
        .header(REQUEST_ID)
        .filter(Headers::isPlain)
        .map(id -> complete.with(REQUEST_ID, id))
        .orElse(complete);
  }

  /// Whether a text can be sent back as it came.
  private static boolean isPlain(String text) {
    return text.length() <= MAX_REQUEST_ID && text.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }

  private static Response complete(Response response) {
    Response complete =
        response.with("Cache-Control", "no-store").with("X-Content-Type-Options", "nosniff");
    return response.payload().contentType().startsWith("text/html")
            && !response.headers().containsKey(POLICY)
        ? complete.with(POLICY, PAGE_POLICY)
        : complete;
  }
}
