package dev.veridex;

import dev.veridex.http.AccessLog;
import dev.veridex.http.Admission;
import dev.veridex.http.helidon.HelidonServer;
import dev.veridex.identity.jwt.JwtTokens;
import dev.veridex.metrics.Metrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The network side of the server: its connections, its access log, and the keys of those who issue
/// tokens.
record HttpModule(
    HelidonServer network, AccessLog accessLog, Admission admission, JwtTokens issuers)
    implements ServerModule {
  private static final Duration WATCH_EVERY = Duration.ofMillis(500);
  private static final Duration LOG_EVERY = Duration.ofMillis(100);

  @Override
  public List<Task> tasks(ServerContext context) {
    List<Task> tasks = new ArrayList<>();
    tasks.add(new Task("connections", network.watch(), WATCH_EVERY));
    tasks.add(new Task("access-log", accessLog, LOG_EVERY));
    if (!issuers.isEmpty()) {
      tasks.add(new Task("issuers", issuers, context.config().keysEvery()));
    }
    return tasks;
  }

  @Override
  public void register(Metrics metrics, ServerContext context) {
    metrics.gauge("veridex_http_in_flight", "Requests being served", Map.of(), admission::inFlight);
    metrics.gauge("veridex_http_connections", "Open connections", Map.of(), network::connections);
    metrics.gauge(
        "veridex_http_buffered_bytes",
        "Bytes of requests that were received and not yet handed on",
        Map.of(),
        network::bufferedBytes);
  }
}
