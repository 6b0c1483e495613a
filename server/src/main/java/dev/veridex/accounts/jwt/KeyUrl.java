package dev.veridex.accounts.jwt;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// Keys at an address that the server's configuration names. Redirects are not followed.
public final class KeyUrl implements KeySource {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_BYTES = 1 << 20;

  private final HttpClient client;
  private final URI address;

  /// @throws IllegalArgumentException unless nobody on the way can put in keys of their own:
  ///   `https`, or this machine
  public KeyUrl(HttpClient client, URI address) {
    boolean here = "127.0.0.1".equals(address.getHost()) || "localhost".equals(address.getHost());
    if (!"https".equals(address.getScheme()) && !here) {
      throw new IllegalArgumentException("keys come over https");
    }
    this.client = client;
    this.address = address;
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public String read() throws IOException {
    HttpRequest request = HttpRequest.newBuilder(address).timeout(TIMEOUT).build();
    try {
      HttpResponse<InputStream> response =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        if (response.statusCode() != 200) {
          throw new IOException(address + " answers " + response.statusCode());
        }
        byte[] bytes = body.readNBytes(MAX_BYTES + 1);
        if (bytes.length > MAX_BYTES) {
          throw new IOException(address + " answers more than a key set");
        }
        return new String(bytes, StandardCharsets.UTF_8);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
