package dev.veridex.http;

/// What every answer says besides its payload.
final class Headers {
  static final String POLICY = "Content-Security-Policy";

  /// A page of ours runs no script and loads nothing.
  private static final String PAGE_POLICY =
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

  private Headers() {}

  static Response complete(Response response) {
    Response complete =
        response.with("Cache-Control", "no-store").with("X-Content-Type-Options", "nosniff");
    return response.payload().contentType().startsWith("text/html")
            && !response.headers().containsKey(POLICY)
        ? complete.with(POLICY, PAGE_POLICY)
        : complete;
  }
}
