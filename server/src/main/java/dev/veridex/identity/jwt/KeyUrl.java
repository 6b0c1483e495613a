package dev.veridex.identity.jwt;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
    // The request's own time-out ends with the head of the answer; this one is for all of it.
    CompletableFuture<HttpResponse<String>> exchange =
        client.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), MAX_BYTES));
    try {
      HttpResponse<String> response = exchange.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      if (response.statusCode() != 200) {
        throw new IOException(address + " answers " + response.statusCode());
      }
      return response.body();
    } catch (ExecutionException | TimeoutException e) {
      exchange.cancel(true);
      throw new IOException(address + " cannot be read", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
