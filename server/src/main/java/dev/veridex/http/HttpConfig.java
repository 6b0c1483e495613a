package dev.veridex.http;

import dev.veridex.settings.Settings;
import java.time.Duration;

/// Configuration of the HTTP server: address, limits and time-outs.
///
/// More than eight components: one component for each setting.
///
/// @param host the address to listen on
/// @param port 0: any that is free
/// @param maxConnections how many may be open; more wait to be accepted
/// @param maxInFlight how many requests are served at a time; more are refused
/// @param maxBodyBytesInFlight the bytes of all bodies that are held at a time
/// @param idleTimeout how long a connection may be silent between requests
/// @param headTimeout how long a client may take to send the head of a request
/// @param stallTimeout how long a client may neither send nor take anything while we wait for it
/// @param stopTimeout how long requests in flight are waited for when the server stops
/// @param openMetrics whether `/metrics` is shown without a token
public record HttpConfig(
    String host,
    int port,
    int maxConnections,
    int maxInFlight,
    long maxBodyBytesInFlight,
    Duration idleTimeout,
    Duration headTimeout,
    Duration stallTimeout,
    Duration stopTimeout,
    boolean openMetrics) {

  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofHours(1);

  public static HttpConfig read(Settings http) {
    return new HttpConfig(
        http.text("host", "127.0.0.1"),
        http.number("port", 7400, 0, 65_535),
        http.number("maxConnections", 8192, 1, 1_000_000),
        http.number("maxInFlight", 1024, 1, 1_000_000),
        http.bytes("maxBodyBytesInFlight", "256MiB", 1 << 20, Long.MAX_VALUE),
        http.duration("idleTimeout", Duration.ofSeconds(75), SHORTEST, LONGEST),
        http.duration("headTimeout", Duration.ofSeconds(10), SHORTEST, LONGEST),
        http.duration("stallTimeout", Duration.ofSeconds(30), SHORTEST, LONGEST),
        http.duration("stopTimeout", Duration.ofSeconds(30), Duration.ZERO, LONGEST),
        http.flag("openMetrics", false));
  }
}
